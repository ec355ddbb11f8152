"""Calls as hooks know them: fields of our tools by their names, both ways, and the files that a call is about."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import inarch

FIELDS: Mapping[str, Mapping[str, str]] = {
    "patch_source_file": {"search": "old_string", "replace": "new_string"},
    "execute_command": {"timeout_s": "timeout"},
    "search_files": {"ignore_case": "-i", "limit": "head_limit"},
    "list_directory": {"directory": "path"},
    "task": {"agent": "subagent_type"},
    "activate_skill": {"name": "skill"},
}
"""Our tool, then its fields that hooks know by another name, with that name."""
_ABOUT_FILES = {"Read": "reads", "Edit": "writes", "Write": "writes", "MultiEdit": "writes", "NotebookEdit": "writes"}
"""Names whose hooks look at `file_path`, and the effects that say of which files."""
_PATHS: Mapping[str, tuple[str, ...]] = {
    "read_multiple_files": ("file_paths",), "move_file": ("file_path", "new_path"), "search_files": ("path",),
    "list_directory": ("directory",),
}  # fmt: skip
"""Our tool, then its fields with paths if these are not `file_path` alone."""
_GIT = frozenset({"git_status", "git_diff", "git_log", "git_show", "git_blame", "git_commit"})


def name_for(names: Sequence[str], matched: str) -> str:
    """Return the name that a hook gets for a tool: the one of Claude Code's that it matched, else the first."""
    return matched if matched != names[-1] else names[0]


def files_of(call: inarch.ToolCall, effects: inarch.Effects, name: str) -> Sequence[str | None]:
    """Return the files that a hook runs for, one after the other; None if the input itself says what it is about.

    A hook that looks at `file_path` is to see each file that the call concerns.
    """
    if name not in _ABOUT_FILES:
        return [None]
    files: frozenset[str] = getattr(effects, _ABOUT_FILES[name])
    return [None] if len(files) <= 1 and "file_path" in call.arguments else sorted(files) or [""]


def shown(tool: str, arguments: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a call's arguments as hooks know them: paths are absolute, times are milliseconds."""
    fields, paths = FIELDS.get(tool, {}), ("file_path", *_PATHS.get(tool, ()))
    given: dict[str, Any] = {
        fields.get(name, name): _each(lambda path: _place(path, root), value) if name in paths else value
        for name, value in arguments.items()
    }
    if isinstance(given.get("timeout"), (int, float)) and tool == "execute_command":
        given["timeout"] = given["timeout"] * 1000
    if tool == "read_file":
        _show_lines(given)
    if tool in _GIT:
        given["command"] = _git_command(tool, arguments)
    return given


def _each(change: Callable[[str], str], value: object) -> object:
    if isinstance(value, list):
        return [_each(change, one) for one in value]
    return change(value) if isinstance(value, str) else value


def _place(path: str, root: str) -> str:
    """Return the absolute path of a file; that of one in an added folder stands behind a `+`."""
    if path.startswith("/"):
        return path
    is_added = path.startswith("+/") and not os.path.lexists(f"{root}/+")
    return path[1:] if is_added else f"{root}/{path}".rstrip("/")


def _git_command(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the command line that does what a tool for Git does: guards of `Bash` look at that."""
    words = ["git", tool.removeprefix("git_")]
    if "message" in arguments:
        words += ["-m", str(arguments["message"])]
    words += [str(arguments[name]) for name in ("revision", "file_path") if name in arguments]
    paths = arguments.get("paths")
    return shlex.join([*words, *map(str, paths if isinstance(paths, list) else ())])


def _show_lines(given: dict[str, Any]) -> None:
    first, last = given.pop("start_line", None), given.pop("end_line", None)
    if isinstance(first, int):
        given["offset"] = first
    if isinstance(last, int):
        given["limit"] = last - (first if isinstance(first, int) else 1) + 1


def taken(tool: str, given: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a hook's input for a call as our tool's arguments; what has no counterpart keeps its name."""
    ours = {theirs: own for own, theirs in FIELDS.get(tool, {}).items()}
    arguments = {ours.get(name, name): value for name, value in given.items()}
    for name in ("file_path", *_PATHS.get(tool, ())):
        if name in arguments:
            arguments[name] = _each(lambda path: path.removeprefix(f"{root}/"), arguments[name])
    if tool == "execute_command" and isinstance(arguments.get("timeout_s"), (int, float)):
        arguments["timeout_s"] = arguments["timeout_s"] / 1000
    if tool == "read_file":
        _take_lines(arguments)
    if tool in _GIT:
        arguments.pop("command", None)
    return arguments


def _take_lines(arguments: dict[str, Any]) -> None:
    first, count = arguments.pop("offset", None), arguments.pop("limit", None)
    start = max(first, 1) if isinstance(first, int) else None
    if start is not None:
        arguments["start_line"] = start
    if isinstance(count, int):
        arguments["end_line"] = (start or 1) + count - 1
