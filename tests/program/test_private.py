"""What Inarch writes into the user's folders is for the user alone, whatever the umask is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = (sys.executable, "-P", "-m", "inarch")
KINDS = ("state", "cache", "config")


@pytest.mark.parametrize("apart", [False, True], ids=["below the home", "where variables say"])
def test_nobody_else_may_read_what_a_run_an_undo_and_a_setting_leave(
    project: Path, environ: dict[str, str], tmp_path: Path, apart: bool
) -> None:
    home = tmp_path / "new home"
    home.mkdir(mode=0o700)
    environ = {name: value for name, value in environ.items() if not name.startswith("XDG_")} | {"HOME": str(home)}
    if apart:
        environ |= {f"XDG_{kind.upper()}_HOME": str(home / "far" / kind) for kind in KINDS}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*PROGRAM, *words]
        return subprocess.run(command, cwd=project, env=environ, umask=0, capture_output=True, text=True)

    ran = run("ask", "--approve", "all", 'replace "apples * 150" by "apples * 151" in shop/basket.py')
    assert ran.returncode == 0, ran.stderr
    for words in (("undo",), ("doctor",), ("sessions", "export", "--output", str(home / "session.html"))):
        run(*words)
    found = {path: path.lstat().st_mode & 0o077 for path in home.rglob("*") if not path.is_symlink()}
    assert len(found) > 10
    assert {os.fspath(path.relative_to(home)): oct(mode) for path, mode in found.items() if mode} == {}
