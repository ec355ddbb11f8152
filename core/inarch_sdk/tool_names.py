"""Names that Claude Code has for tools: our tools that a name grants, and the names by which a guard covers a tool.

The names are those of https://code.claude.com/docs/en/tools-reference, as of 2026-08-22. `Task` is a former name of
`Agent`. `MultiEdit`, `LS`, `NotebookRead`, `BashOutput`, `KillBash` and `KillShell` are former tools.

Both directions err on the safe side, so they differ. A name grants the tools of the table and no other. A guard covers
each tool that does such a thing, whatever the tool is called.
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
    # No tool of ours does this, or none does this alone.
    "NotebookEdit": (), "PowerShell": (), "Monitor": (), "EnterPlanMode": (), "EnterWorktree": (),
    "ExitWorktree": (), "TaskGet": (), "TaskList": (), "SendMessage": (), "ToolSearch": (), "ListMcpResourcesTool": (),
    "ReadMcpResourceTool": (),
}  # fmt: skip
"""A name, then the tools of ours that do what it means and nothing beyond that."""
_WRITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_READING = ("Read",)
_RUNNING = ("Bash",)


def granted_tools(name: str) -> tuple[str, ...]:
    """Return the tools that a name grants in a list of rights. A name that only Inarch has is its own tool.

    >>> granted_tools("Edit"), granted_tools("git_log"), granted_tools("NotebookEdit")
    (('patch_source_file',), ('git_log',), ())
    """
    return _MEANT.get(name, (name,))


def guarding_names(tool: Tool, effects: Effects) -> tuple[str, ...]:
    """Return the names by which a guard covers a call of a tool, Claude Code's first.

    A tool without a name there is covered by what the call does, so that a new tool needs no entry.

    Args:
        tool: The tool; its own `known_as` comes before what it does.
        effects: What the call declares.
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
    if effects.exclusive:  # it may do anything
        yield from _RUNNING
