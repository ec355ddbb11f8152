"""The map between our tools and fields and those that hooks know, both ways; it stands in docs/how-to/hooks.md."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarch import Tool, ToolCall

TOOLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "read_file": ("Read", {"file_path": "file_path"}),
    "write_file": ("Write", {"file_path": "file_path", "content": "content"}),
    "create_file": ("Write", {"file_path": "file_path", "content": "content"}),
    "patch_source_file": (
        "Edit",
        {"file_path": "file_path", "search": "old_string", "replace": "new_string", "replace_all": "replace_all",
         "description": "description"},
    ),
    "apply_patch": ("Edit", {"patch": "patch"}),
    "execute_command": ("Bash", {"command": "command", "timeout_s": "timeout"}),
    "search_files": (
        "Grep", {"pattern": "pattern", "path": "path", "glob": "glob", "ignore_case": "-i", "limit": "head_limit"},
    ),
    "list_files": ("Glob", {"pattern": "pattern", "limit": "limit"}),
}  # fmt: skip
"""Our tool, then the name that hooks know, and our fields with the names that hooks know."""
_PATHS = frozenset({"file_path"})


def names_of(tool: str) -> tuple[str, ...]:
    """Return the names by which a matcher may mean a tool: the one that hooks know first, then ours."""
    known = TOOLS.get(tool)
    return (known[0], tool) if known is not None else (tool,)


def shown(tool: str, arguments: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return a call's arguments as hooks know them: paths are absolute, times are milliseconds."""
    _, fields = TOOLS.get(tool, (tool, {}))
    given = {fields.get(name, name): value for name, value in arguments.items()}
    for name in _PATHS.intersection(given):
        if isinstance(given[name], str) and not given[name].startswith("/"):
            given[name] = _place(given[name], root)
    if tool == "execute_command" and isinstance(given.get("timeout"), (int, float)):
        given["timeout"] = given["timeout"] * 1000
    if tool == "read_file":
        _show_lines(given)
    return given


def _place(path: str, root: str) -> str:
    """Return the absolute path of a file; that of one in an added folder stands behind a `+`."""
    is_added = path.startswith("+/") and not os.path.lexists(f"{root}/+")
    return path[1:] if is_added else f"{root}/{path}"


def _show_lines(given: dict[str, Any]) -> None:
    first, last = given.pop("start_line", None), given.pop("end_line", None)
    if isinstance(first, int):
        given["offset"] = first
    if isinstance(last, int):
        given["limit"] = last - (first if isinstance(first, int) else 1) + 1


def files_of(call: ToolCall, tool: Tool) -> list[str]:
    """Return the files that hooks are run for, one after the other; [""] where the input says itself what it is about.

    A patch may change several files and names them in its text: a hook that looks at paths is to see each.
    """
    if "patch" not in call.arguments or "file_path" in call.arguments or tool.category != "file":
        return [""]
    return sorted(tool.effects(call.arguments).writes) or [""]


def taken(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hook's input for a call as our tool's arguments; what has no counterpart keeps its name."""
    _, fields = TOOLS.get(tool, (tool, {}))
    ours = {theirs: own for own, theirs in fields.items()}
    arguments = {ours.get(name, name): value for name, value in given.items()}
    if tool == "execute_command" and isinstance(arguments.get("timeout_s"), (int, float)):
        arguments["timeout_s"] = arguments["timeout_s"] / 1000
    if tool == "read_file":
        first, count = arguments.pop("offset", None), arguments.pop("limit", None)
        start = max(first, 1) if isinstance(first, int) else None
        if start is not None:
            arguments["start_line"] = start
        if isinstance(count, int):
            arguments["end_line"] = (start or 1) + count - 1
    return arguments
