"""What a call of each file tool reads and writes, from its arguments alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inarch import Effects, ToolFailed
from inarch_sandbox_fs.globs import compile_glob
from inarch_sandbox_fs.paths import normal

Arguments = Mapping[str, Any]
_EVERYTHING = ""


def reads_file(arguments: Arguments) -> Effects:
    """One file is read."""
    return Effects(reads=_paths([arguments.get("file_path")]))


def reads_files(arguments: Arguments) -> Effects:
    """Several files are read."""
    paths = arguments.get("file_paths")
    return Effects(reads=_paths(paths if isinstance(paths, list) else [None]))


def reads_folder(arguments: Arguments) -> Effects:
    """A directory is read."""
    return Effects(reads=_subtree(arguments.get("directory", ".")))


def reads_pattern(arguments: Arguments) -> Effects:
    """Everything below the directory that a glob starts in is read."""
    try:
        start = compile_glob(normal(arguments.get("pattern", "**/*"))).start
    except ToolFailed:
        start = "."
    return Effects(reads=_subtree(start))


def searches(arguments: Arguments) -> Effects:
    """A file, or everything below a directory, is read."""
    path = arguments.get("path", ".")
    return Effects(reads=_subtree(path) | _paths([path]))


def changes_file(arguments: Arguments) -> Effects:
    """One file is read and written."""
    paths = _paths([arguments.get("file_path")])
    return Effects(reads=paths, writes=paths)


def writes_file(arguments: Arguments) -> Effects:
    """One file is written."""
    return Effects(writes=_paths([arguments.get("file_path")]))


def removes_file(arguments: Arguments) -> Effects:
    """One file is gone."""
    return Effects(writes=_paths([arguments.get("file_path")]), removes=True)


def moves_file(arguments: Arguments) -> Effects:
    """Two paths are written."""
    return Effects(writes=_paths([arguments.get("file_path"), arguments.get("new_path")]))


def _paths(paths: Iterable[object]) -> frozenset[str]:
    return frozenset(_one(path) for path in paths)


def _subtree(path: object) -> frozenset[str]:
    one = _one(path)
    return frozenset({one if one == _EVERYTHING else f"{one}/"})


def _one(path: object) -> str:
    try:
        found = normal(path)
    except ToolFailed:
        return _EVERYTHING  # the call will be refused; until then it conflicts with all others
    return _EVERYTHING if found == "." else found
