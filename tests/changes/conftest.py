"""The program in a copy of a small repository, with a model that makes the calls it is given."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inarch_lib.staging.copies import mounts_below
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_run import run_in_copy

from ..running.program import PROGRAM, environ, passes, probed, project, terminal

__all__ = ["environ", "passes", "probed", "project", "terminal"]

MODEL = ("--plugin", str(Path(__file__).with_name("obeying.py")), "--model", "obeying/words")
Ran = subprocess.CompletedProcess[str]
Call = tuple[str, dict[str, Any]]


@cache
def problem() -> str:
    """Return why there are no copies here."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/root")
        change = ChangeFolder.make(f"{folder}/state", f"{folder}/root")
        try:
            with change.locked() as lock:
                assert run_in_copy(change, ["/bin/true"], lock) == 0
        except Exception as error:
            return str(error)
    return ""


@pytest.fixture(autouse=True)
def copies(tmp_path: Path) -> Any:
    if problem():
        pytest.skip(problem())
    yield
    assert not mounts_below(str(tmp_path))


def command(line: str) -> Call:
    return "execute_command", {"command": line}


def write(path: str, content: str) -> Call:
    return "write_file", {"file_path": path, "content": content}


def git(root: Path, *words: str) -> str:
    """Run git in a repository without any configuration of this machine."""
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(project: Path, part: Callable[[str], str]) -> Path:
    """The project as a repository with a file of eight lines, and one that Git ignores."""
    part("git")
    (project / "lines.txt").write_text("".join(f"{number}\n" for number in range(1, 9)))
    (project / ".gitignore").write_text("ignored.txt\n")
    (project / "ignored.txt").write_text("mine\n")
    git(project, "init", "-q")
    git(project, "config", "user.name", "n")
    git(project, "config", "user.email", "n@example.org")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


@pytest.fixture
def inarch(repository: Path, environ: dict[str, str]) -> Callable[..., Ran]:
    """Run the program in the repository."""

    def run(*words: str, **more: str) -> Ran:
        return subprocess.run(
            [*PROGRAM, *words], cwd=repository, env=environ | more, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120,
        )  # fmt: skip

    return run


def asking(calls: Sequence[Call], *flags: str) -> list[str]:
    """Return the words with which the model makes calls in a copy."""
    return [*MODEL, "--approve", "review", "--output", "json", *flags, json.dumps(calls)]


@pytest.fixture
def review(inarch: Callable[..., Ran]) -> Callable[..., str]:
    """Have the model make calls in a copy, and return the change that waits."""

    def run(*calls: Call) -> str:
        ran = inarch(*asking(calls))
        assert ran.returncode == 0, ran.stderr
        told = json.loads(ran.stdout)
        assert not told["denied"], told["denied"]
        return str(told["waiting"])

    return run
