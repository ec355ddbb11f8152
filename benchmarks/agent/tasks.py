"""The tasks of `tasks.toml`, and what a small repository of one looks like on disk."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from attrs import field, frozen

FAULTS = ("wrong-path", "stale", "truncated", "endless", "absolute", "parallel")
TESTS = (sys.executable, "-m", "unittest", "-q")


@frozen
class Task:
    """A repository with a failing test: what mends it, and what the model does wrong on its way (`faults`)."""

    name: str
    prompt: str
    path: str
    old: str
    new: str
    files: dict[str, str]
    faults: list[str] = field(factory=list)
    guess: str = ""
    stale: str = ""

    def write(self, folder: Path) -> None:
        """Make the repository, with one commit."""
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        (folder / ".gitignore").write_text("__pycache__/\n")
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "The beginning"]):
            subprocess.run(["git", *words], cwd=folder, check=True)

    def is_solved(self, folder: Path) -> bool:
        """Return whether the tests pass, as they were written: what the agent did to them is undone first."""
        for path, content in self.files.items():
            if Path(path).name.startswith("test_"):
                (folder / path).write_text(content, encoding="utf-8")
        return subprocess.run(TESTS, cwd=folder, capture_output=True, check=False, timeout=60).returncode == 0


def tasks() -> list[Task]:
    """Read the tasks."""
    with Path(__file__).with_name("tasks.toml").open("rb") as file:
        return [Task(**entry) for entry in tomllib.load(file)["task"]]
