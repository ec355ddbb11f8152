"""Task file with one JSON object per line, checked as a whole before any request and never held in memory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from attrs import frozen

LONGEST_PROMPT = 1_000_000
"""Longest prompt in characters. Models take no more, and a wrong file is longer."""
LONGEST_LINE = 16_000_000
_SHOWN = 10
_TEXTS = ("root", "repo", "base_commit", "profile", "model")
_KEYS = frozenset({"id", "prompt", "max_cost_usd", "schema", "setup", *_TEXTS})
_OF_SWEBENCH = {"instance_id": "id", "problem_statement": "prompt"}


@frozen
class Task:
    """A task in one tree.

    Args:
        id: Its unique name.
        prompt: The prompt.
        root: A folder to copy; empty if `repo` is given.
        repo: A Git repository: a path or an address.
        base_commit: The commit of `repo` to start from.
        profile: Its profile; empty for the batch's.
        model: Its model; empty for the batch's.
        max_cost_usd: Its cost limit in US dollars, or None.
        schema: The JSON Schema of its answer.
        setup: Programs that run first in its tree, each with its arguments.
    """

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


@frozen
class Place:
    """Position of a task in the file."""

    id: str
    line: int
    offset: int


@frozen
class TaskFile:
    """A checked task file, with the position of each task."""

    path: Path
    folder: Path
    is_swebench: bool
    places: tuple[Place, ...]

    def read(self, place: Place) -> Task:
        """Read a task.

        Raises:
            TaskFault: The file has changed since the check.
        """
        with self.path.open("rb") as file:
            file.seek(place.offset)
            task = read_task(file.readline(LONGEST_LINE), self.folder, is_swebench=self.is_swebench)
        if task.id != place.id:
            raise TaskFault(f"{self.path} was changed while the batch ran")
        return task


def open_tasks(
    path: Path, folder: Path, check: Callable[[Task], None], *, is_swebench: bool = False, pattern: str = ""
) -> TaskFile:
    """Check a task file and return the positions of its tasks.

    Args:
        path: The file.
        folder: The base of relative paths in it.
        check: Raises `TaskFault` if a task can't run here, for example without its folder.
        is_swebench: Whether its lines are instances of SWE-bench.
        pattern: A regular expression to search for in task ids; `check` sees only the matching tasks.

    Raises:
        TaskFileFaults: The file has faults.
        OSError: The file can't be read.
        re.error: The pattern is not a regular expression.
    """
    wanted, places, lines, faults = re.compile(pattern), [], dict[str, int](), list[str]()
    for line, offset, data in _lines(path):
        try:
            task = read_task(data, folder, is_swebench=is_swebench)
            if task.id in lines:
                raise TaskFault(f"the id {task.id!r} is that of line {lines[task.id]}, too")
            lines[task.id] = line
            if wanted.search(task.id):
                check(task)
                places.append(Place(task.id, line, offset))
        except TaskFault as fault:
            faults.append(f"{path}:{line}: {fault}")
    if faults:
        raise TaskFileFaults(faults)
    if not lines:
        raise TaskFileFaults([f"{path}: there is no task in it"])
    return TaskFile(path, folder, is_swebench, tuple(places))


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of each line that isn't blank. Lines that are too long are cut."""
    with path.open("rb") as file:
        number, offset = 0, 0
        while data := file.readline(LONGEST_LINE):
            number += 1
            began, offset = offset, offset + len(data)
            rest = data
            while not rest.endswith(b"\n") and (rest := file.readline(LONGEST_LINE)):
                offset += len(rest)
            if data.strip():
                yield number, began, data


def read_task(data: bytes, folder: Path, *, is_swebench: bool = False) -> Task:
    """Parse a line as a task.

    Raises:
        TaskFault: The line is not a task.
    """
    if len(data) >= LONGEST_LINE and not data.endswith(b"\n"):
        raise TaskFault(f"the line is longer than {LONGEST_LINE:,} bytes")
    try:
        given = json.loads(data)
    except UnicodeDecodeError:
        raise TaskFault("the line is not UTF-8") from None
    except ValueError as error:
        raise TaskFault(f"the line is no JSON: {error}") from None
    except RecursionError:
        raise TaskFault("the line is no JSON: it is nested too deeply") from None
    if not isinstance(given, dict):
        raise TaskFault("the line is no JSON object")
    if is_swebench:
        given = {_OF_SWEBENCH.get(key, key): value for key, value in given.items()}
        given = {key: value for key, value in given.items() if key in _KEYS}
    if unknown := sorted(given.keys() - _KEYS):
        raise TaskFault(f"{unknown[0]!r} is no key of a task; there are {', '.join(sorted(_KEYS))}")
    return _task_of(given, folder)


def _task_of(given: Mapping[str, Any], folder: Path) -> Task:
    known = {key: value for key, value in given.items() if value is not None}
    texts = {key: _text(known, key) for key in ("id", "prompt", *_TEXTS) if key in known}
    for key in ("id", "prompt"):
        if not texts.get(key, "").strip():
            raise TaskFault(f"{key!r} is missing or empty")
    if len(texts["prompt"]) > LONGEST_PROMPT:
        size = f"{len(texts['prompt']):,} characters"
        raise TaskFault(f"'prompt' has {size}; no more than {LONGEST_PROMPT:,} are taken: put the rest into a file")
    if ("root" in texts) == ("repo" in texts):
        raise TaskFault("give 'root' (a folder that is copied) or 'repo' (a Git repository)")
    if "base_commit" in texts and "repo" not in texts:
        raise TaskFault("'base_commit' is of a 'repo', and there is none")
    if "root" in texts:
        texts["root"] = os.path.normpath(folder / texts["root"])
    elif not is_address(texts["repo"]):
        texts["repo"] = os.path.normpath(folder / texts["repo"])
    schema = known.get("schema")
    if schema is not None and not isinstance(schema, dict):
        raise TaskFault("'schema' is not a JSON Schema: it is not an object")
    return Task(**texts, schema=schema, max_cost_usd=_money(known), setup=_setup(known.get("setup", [])))


def is_address(repo: str) -> bool:
    """Return whether a repository is an address, such as `https://HOST/PATH` or `HOST:PATH`."""
    return "://" in repo or bool(re.match(r"[\w.@-]+:(?!\\)", repo))


def _text(known: Mapping[str, Any], key: str) -> str:
    value = known[key]
    if not isinstance(value, str):
        raise TaskFault(f"{key!r} is no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise TaskFault(f"{key!r} has half of a character") from None
    if (
        "\0" in value
        or (key not in ("prompt", "id") and not value.strip())
        or (key != "prompt" and (value.startswith("-") or not value.isprintable()))
    ):
        raise TaskFault(f"{key!r} is {value[:60]!r}, which can't be one")
    return value


def _money(known: Mapping[str, Any]) -> Decimal | None:
    value = known.get("max_cost_usd")
    if value is None:
        return None
    try:
        amount = Decimal(str(value)) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
    except ArithmeticError:
        amount = None
    if amount is None or not amount.is_finite() or amount <= 0:
        raise TaskFault(f"'max_cost_usd' is {value!r}; it is an amount of US dollars above 0, such as 0.5")
    return amount


def _setup(value: Any) -> tuple[tuple[str, ...], ...]:
    """Return the programs in a list of words (one program) or in a list of such lists."""
    if isinstance(value, list):
        programs = [value] if value and all(isinstance(one, str) for one in value) else value
        if all(isinstance(one, list) and one and all(isinstance(word, str) for word in one) for one in programs):
            return tuple(map(tuple, programs))
    raise TaskFault("'setup' is no list of a program and its arguments, and no list of such lists")
