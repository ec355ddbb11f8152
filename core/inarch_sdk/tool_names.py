"""Claude Code's names of tools: the tools of Inarch that a name grants, and the names by which a guard covers a tool.

The names are those of https://code.claude.com/docs/en/tools-reference, as of 2026-08-22. `Task` is a former name of
`Agent`. `MultiEdit`, `LS`, `NotebookRead`, `BashOutput`, `KillBash` and `KillShell` are former tools.

Both directions are conservative, so they differ. A name grants only the tools of the table. A guard covers each tool
with such effects, whatever its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from inarch.contract.capabilities import KnownAs, able

if TYPE_CHECKING:
    from inarch.contract.ports import Tool
    from inarch.contract.records import Effects

_MEANT: Mapping[str, tuple[str, ...]] = {
    "Read": ("read_file", "read_multiple_files", "read_output"), "NotebookRead": ("read_file",),
    "Write": ("write_file", "create_file"), "Edit": ("patch_source_file",), "MultiEdit": ("patch_source_file",),
    "Bash": ("execute_command",), "BashOutput": ("read_process",), "TaskOutput": ("read_process",),
    "KillShell": ("stop_process",), "KillBash": ("stop_process",), "TaskStop": ("stop_process",),
    "Grep": ("search_files",), "Glob": ("list_files",), "LS": ("list_directory", "list_files"),
    "LSP": ("find_symbols", "find_callers", "find_entry_points", "trace_execution"),
    "WebFetch": ("web_fetch",), "WebSearch": ("web_search",), "Skill": ("activate_skill",),
    "Agent": ("task",), "Task": ("task",), "TodoWrite": ("write_todos",), "TaskCreate": ("write_todos",),
    "TaskUpdate": ("write_todos",), "AskUserQuestion": ("ask_user",), "ExitPlanMode": ("present_plan",),
    # Inarch has no tool for this, or none for this alone.
    "NotebookEdit": (), "PowerShell": (), "Monitor": (), "EnterPlanMode": (), "EnterWorktree": (),
    "ExitWorktree": (), "TaskGet": (), "TaskList": (), "SendMessage": (), "ToolSearch": (), "ListMcpResourcesTool": (),
    "ReadMcpResourceTool": (),
}  # fmt: skip
"""Claude Code's names, each with the tools that do this and no more."""
_WRITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_READING = ("Read",)
_RUNNING = ("Bash",)


def granted_tools(name: str) -> tuple[str, ...]:
    """Return the tools that a name grants in a list of rights; a name of Inarch alone grants its own tool.

    >>> granted_tools("Edit"), granted_tools("git_log"), granted_tools("NotebookEdit")
    (('patch_source_file',), ('git_log',), ())
    """
    return _MEANT.get(name, (name,))


def guarding_names(tool: Tool, effects: Effects) -> tuple[str, ...]:
    """Return the names by which a guard covers a call, Claude Code's first and Inarch's last.

    A tool that the table lacks is covered by its call's effects, so that new tools need no entry.

    Args:
        tool: The tool; its own `known_as` takes precedence over its effects.
        effects: The call's declared effects.
    """
    known = able(tool, KnownAs)
    theirs = [name for name, ours in _MEANT.items() if tool.name in ours]
    names = [*(known.known_as if known is not None else ()), *theirs] or _names_by_effects(tool, effects)
    return tuple(dict.fromkeys((*names, tool.name)))


def _names_by_effects(tool: Tool, effects: Effects) -> Iterator[str]:
    if tool.category in ("command", "git") or effects.programs:
        yield from _RUNNING
    if tool.category == "command":
        return
    if effects.writes or effects.exclusive:
        yield from _WRITING
    elif effects.reads:
        yield from _READING
    if effects.exclusive:  # it may have any effect
        yield from _RUNNING
