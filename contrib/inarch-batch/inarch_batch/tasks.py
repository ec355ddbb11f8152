"""Task file with one JSON object per line, checked as a whole before any request."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from attrs import frozen

from inarch_lib.schemas.validation import Schema

LONGEST_PROMPT = 1_000_000
"""Longest prompt in characters. Models take no more, and a wrong file is longer."""
_SHOWN = 10
_TEXTS = ("id", "root", "repo", "base_commit", "profile", "model")
_PROGRAM = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_KEYS: Mapping[str, Any] = {
    **{key: {"type": "string"} for key in (*_TEXTS, "prompt")},
    "max_cost_usd": {"type": ["number", "string"]},
    "schema": {"type": "object"},
    "setup": {"anyOf": [_PROGRAM, {"type": "array", "items": _PROGRAM}]},
}
_SCHEMA = Schema(
    {"type": "object", "properties": _KEYS, "required": ["id", "prompt"], "additionalProperties": False}, "key"
)
_OF_SWEBENCH = {"instance_id": "id", "problem_statement": "prompt"}


@frozen
class Task:
    """A task in one tree."""

    id: str
    prompt: str
    root: str = ""
    repo: str = ""
    base_commit: str = "HEAD"
    profile: str = ""
    model: str = ""
    max_cost_usd: Decimal | None = None
    schema: Mapping[str, Any] | None = None
    setup: tuple[tuple[str, ...], ...] = ()


class TaskFault(Exception):
    """A task is wrong. The message gives the reason."""


class TaskFileFaults(Exception):
    """The task file is wrong. `faults` has a line for each fault, with its place in the file."""

    def __init__(self, faults: Sequence[str]) -> None:
        more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        self.faults = (*faults[:_SHOWN], *more)
        super().__init__("\n".join(self.faults))


def open_tasks(
    path: Path, folder: Path, check: Callable[[Task], None], *, is_swebench: bool = False, pattern: str = ""
) -> list[Task]:
    """Check a task file and return its tasks.

    Args:
        path: The file.
        folder: The base of relative paths in it.
        check: Raises `TaskFault` if a task can't run here, for example without its folder.
        is_swebench: Whether its lines are instances of SWE-bench.
        pattern: A regular expression to search for in task ids; only the matching tasks are checked and returned.

    Raises:
        TaskFileFaults: The file has faults.
        OSError: The file can't be read.
        re.error: The pattern is not a regular expression.
    """
    wanted, tasks, lines, faults = re.compile(pattern), list[Task](), dict[str, int](), list[str]()
    with path.open("rb") as file:
        for line, data in enumerate(file, 1):
            if not data.strip():
                continue
            try:
                task = read_task(data, folder, is_swebench=is_swebench)
                if task.id in lines:
                    raise TaskFault(f"the id {task.id!r} is that of line {lines[task.id]}, too")
                lines[task.id] = line
                if wanted.search(task.id):
                    check(task)
                    tasks.append(task)
            except TaskFault as fault:
                faults.append(f"{path}:{line}: {fault}")
    if faults or not lines:
        raise TaskFileFaults(faults or [f"{path}: there is no task in it"])
    return tasks


def read_task(data: bytes, folder: Path, *, is_swebench: bool = False) -> Task:
    """Parse a line as a task.

    Raises:
        TaskFault: The line is not a task.
    """
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TaskFault(f"the line is no JSON: {error}") from None
    if isinstance(given, dict):
        names = _OF_SWEBENCH if is_swebench else {}
        given = {names.get(key, key): value for key, value in given.items() if value is not None}
        given = {key: value for key, value in given.items() if key in _KEYS or not is_swebench}
    for fault in _SCHEMA.faults(given):
        raise TaskFault(fault)
    _check_values(given)
    place = "root" if "root" in given else "repo"
    if place == "root" or not is_address(given[place]):
        given[place] = os.path.normpath(folder / given[place])
    setup = given.pop("setup", [])
    programs = [setup] if setup and isinstance(setup[0], str) else setup
    return Task(**given, setup=tuple(map(tuple, programs)))


def _check_values(given: dict[str, Any]) -> None:
    """Check what a schema can't say, and turn the amount into a number."""
    for key in (key for key in _TEXTS if key in given):
        value = given[key]
        if not value.strip() or value.startswith("-") or not value.isprintable():
            raise TaskFault(f"{key!r} is {value[:60]!r}, which can't be one")
    prompt = given["prompt"]
    if not prompt.strip() or re.search(r"[\0\ud800-\udfff]", prompt):
        raise TaskFault("'prompt' is empty, or has what is no character")
    if len(prompt) > LONGEST_PROMPT:
        size = f"{len(prompt):,} characters"
        raise TaskFault(f"'prompt' has {size}; no more than {LONGEST_PROMPT:,} are taken: put the rest into a file")
    if ("root" in given) == ("repo" in given):
        raise TaskFault("give 'root' (a folder that is copied) or 'repo' (a Git repository)")
    if "base_commit" in given and "root" in given:
        raise TaskFault("'base_commit' is of a 'repo', and there is none")
    if (cost := given.get("max_cost_usd")) is not None:
        try:
            given["max_cost_usd"] = amount = Decimal(str(cost))
        except ArithmeticError:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount <= 0:
            raise TaskFault(f"'max_cost_usd' is {cost!r}; it is an amount of US dollars above 0, such as 0.5")


def is_address(repo: str) -> bool:
    """Return whether a repository is an address, such as `https://HOST/PATH` or `HOST:PATH`."""
    return "://" in repo or bool(re.match(r"[\w.@-]+:(?!\\)", repo))
