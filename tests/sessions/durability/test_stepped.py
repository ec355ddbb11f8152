"""A process that is killed between any two system calls of a change loses neither the file nor the undo."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
STEPPING = Path(__file__).with_name("stepping.py")
ACTIONS = ["write", "patch", "create", "remove", "move", "restore", "undo"]


@pytest.mark.parametrize("action", ACTIONS)
def test_killed_at_some_steps_of_a_change(action: str, memory_path: Path) -> None:
    _kill(action, memory_path, 13 + 2 * (ACTIONS.index(action) % 3))  # odd: after every other kill the model goes on


@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
def test_killed_at_every_step_of_a_change(action: str, memory_path: Path) -> None:
    _kill(action, memory_path, 1)


def _kill(action: str, folder: Path, step: int) -> None:
    if not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("steps through processes as Linux does, and knows the numbers of system calls of two machines")
    argv = [sys.executable, "-P", str(STEPPING), str(folder), str(step)]
    environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(argv, input=action, capture_output=True, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    complaints, moments = json.loads(done.stdout)
    assert complaints == []
    assert moments > 20
