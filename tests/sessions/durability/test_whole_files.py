"""A process that is killed while it writes a file of its own leaves the old one or the new one, and loses no trust."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
WRITING = Path(__file__).with_name("whole_files.py")
ACTIONS = ("configuration", "project", "trust", "blob", "export", "export-new", "cache", "former")


def test_killed_at_every_step_of_writing(memory_path: Path) -> None:
    if not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("steps through processes as Linux does, and knows the numbers of system calls of two machines")
    argv = [sys.executable, "-P", str(WRITING), str(memory_path / "place")]
    actions = [f"{action}{named}" for action in ACTIONS for named in ("", " named")]
    environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(argv, input="\n".join(actions), capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    found = dict(zip(actions, map(json.loads, done.stdout.splitlines()), strict=True))
    assert {action: complaints for action, (complaints, _) in found.items() if complaints} == {}
    assert all(moments >= 3 for _, moments in found.values()), found
