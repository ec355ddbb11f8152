"""What `plugins new` of 0.1.0 wrote still passes its own tests, one distribution of each kind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "distributions"


def test_their_own_tests_pass(tmp_path: Path) -> None:
    shutil.copytree(HERE, tmp_path / "kept")
    folders = sorted((tmp_path / "kept").iterdir())
    assert len(folders) == 5
    done = subprocess.run(  # in one process: their own `pythonpath` is given in its place
        [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider"],
        cwd=tmp_path / "kept",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for folder in folders:
        assert f"{folder.name}/test_" in done.stdout
    assert "skipped" not in done.stdout and "warning" not in done.stdout
