"""What the scripted model does: one script for every agent, which hears what came back and says what it wants next.

It plays what models do, by rules that are the same for all: README.md has them in words.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import PurePosixPath
from typing import Literal

from attrs import evolve, frozen
from tasks import Task

PATIENCE = 30
"""How often a model that reads without end reads, if nothing stops it."""
_FAILED = re.compile(r"(?i)\berror|not found|no such file|does not exist|could not|fail")


@frozen
class Want:
    """What the model wants: to read a file, to change it, to run a command, or to have said its last words.

    `is_cut` has the arguments end in the middle of their JSON, as where a reply was cut off.
    """

    kind: Literal["read", "edit", "run", "say"]
    path: str = ""
    old: str = ""
    new: str = ""
    text: str = ""
    is_cut: bool = False


Play = Generator[list[Want], str, None]
"""Yields what is wanted in one reply, and is sent the text of all that came back."""


def play(task: Task, folder: str) -> Play:
    """Play a task; `folder` is the repository's absolute path."""
    yield from _explore(task, folder)
    tests = Want("run", text="python3 -m unittest -q")
    attempts = [task.stale] if "stale" in task.faults else []
    cut = "truncated" in task.faults
    for old in [*attempts, task.old]:
        edit = Want("edit", task.path, old, task.new)
        if cut:
            yield [evolve(edit, is_cut=True)]
            cut = False
        if not _FAILED.search((yield [edit])) and not _FAILED.search((yield [tests])):
            break
        yield [Want("read", task.path)]
    yield [Want("say", text=f"{task.path} is mended, and the tests pass.")]


def _explore(task: Task, folder: str) -> Play:
    if "wrong-path" in task.faults:
        yield [Want("read", task.guess)]
    yield [Want("run", text="git ls-files")]
    path = str(PurePosixPath(folder, task.path)) if "absolute" in task.faults else task.path
    test = next(name for name in task.files if name.startswith("test_"))
    reads = [Want("read", path), Want("read", test)]
    if "parallel" in task.faults:
        yield reads
    else:
        yield reads[:1]
        yield reads[1:]
    if "endless" in task.faults:
        before = yield reads[:1]
        for _ in range(PATIENCE - 1):
            if (yield reads[:1]) != before:  # somebody said something about it
                break
