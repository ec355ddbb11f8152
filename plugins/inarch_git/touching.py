"""What a call of each tool reads and writes, from its arguments alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch import Effects

Arguments = Mapping[str, Any]

GIT_FOLDER = ".git/"
"""The repository, wherever it really is: for the order of calls it is one thing."""
READS_EVERYTHING = Effects(reads=frozenset({""}))
READS_HISTORY = Effects(reads=frozenset({GIT_FOLDER}))


def reads_paths(arguments: Arguments) -> Effects:
    """Some paths, or all, are compared with the repository."""
    paths = _paths(arguments.get("paths"))
    return Effects(reads=paths | {GIT_FOLDER}) if paths else READS_EVERYTHING


def reads_file(arguments: Arguments) -> Effects:
    """One file is compared with the repository."""
    return Effects(reads=_paths([arguments.get("file_path")]) | {GIT_FOLDER})


def commits(arguments: Arguments) -> Effects:
    """Paths are read into the repository."""
    return Effects(reads=_paths(arguments.get("paths")) or READS_EVERYTHING.reads, writes=frozenset({GIT_FOLDER}))


def _paths(paths: object) -> frozenset[str]:
    """Return the paths; what is none stands for everything, so that the call, which will be refused, waits its turn."""
    given = paths if isinstance(paths, list) else []
    return frozenset("" if not isinstance(path, str) or path == "." else path for path in given)
