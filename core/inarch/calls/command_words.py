"""The words of a command call, as the one tokenizer reads them and as rules and grants compare them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from attrs import evolve

from inarch.contract.capabilities import AsksInParts, able
from inarch.contract.errors import ToolFailed
from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall

if TYPE_CHECKING:
    from inarch.config.grants import CommandGrant
    from inarch_sdk.joined_commands import Line


def is_command(call: ToolCall, tool: Tool) -> bool:
    """Whether a call runs the command line that its argument `command` is."""
    return tool.category == "command" and isinstance(call.arguments.get("command"), str)


def line_of(call: ToolCall, tool: Tool) -> Line | None:
    """Return what a command call joins; None for other calls, and where a shell would do more than that."""
    if not is_command(call, tool):
        return None
    from inarch_sdk.joined_commands import split_line

    try:
        return split_line(call.arguments["command"])
    except ToolFailed:
        return None


def words_of(call: ToolCall, tool: Tool) -> tuple[str, ...] | None:
    """Return the words of a call of one command; None for other calls."""
    line = line_of(call, tool)
    return line.parts[0].words if line is not None and line.is_plain else None


def open_parts(call: ToolCall, tool: Tool) -> tuple[tuple[ToolCall, bool], ...]:
    """Return the commands of a line that have to be allowed, each as a call of its own: all that its tool doesn't free.

    Beside each stands whether another command is piped into it.

    None for one command, and for those in another folder. What a command is among others can't be told from it alone.
    """
    line = line_of(call, tool)
    if line is None or line.is_plain or line.folder:
        return ()
    asks = able(tool, AsksInParts)
    places = range(len(line.parts)) if asks is None else asks.asking(call.arguments)
    parts = (line.parts[place] for place in places)
    return tuple(
        (evolve(call, arguments={**call.arguments, "command": canonical(part.words)}), part.joint == "|")
        for part in parts
    )


def canonical(words: tuple[str, ...]) -> str:
    """Return the one way to write these words: what globs over commands are compared with."""
    from shlex import join

    return join(words)


def granted_by(
    call: ToolCall, tool: Tool, commands: Mapping[str, CommandGrant], runners: Collection[str], *, fed: bool = False
) -> str | None:
    """Return the name of the `[commands.NAME]` that grants a call; `fed` is a command that another is piped into.

    What is granted are programs that the workspace runs: only `runners` do that, whatever a tool calls itself.
    """
    if not commands or call.name not in runners:
        return None
    words = words_of(call, tool) or through_shell(call)
    return (
        None
        if words is None
        else next((name for name, grant in commands.items() if grant.covers(words, fed=fed)), None)
    )


def through_shell(call: ToolCall) -> tuple[str, ...] | None:
    """Return how a line that is more than one command is granted: as the words of a shell; None for other lines."""
    from inarch_sdk.commandline import NeedsShell
    from inarch_sdk.joined_commands import split_line

    line = call.arguments.get("command")
    try:
        if split_line(line).is_plain:  # type: ignore[arg-type]  # what is no text fails like any other line
            return None
    except NeedsShell:
        pass
    except ToolFailed:
        return None
    return ("sh", "-c", str(line).strip())


def paths_in(line: Line, root: str) -> Iterator[str]:
    """Yield what may be paths among the arguments of commands: its folder, each word, and what follows its `=`.

    What lies below the root is relative to it, however it is written.
    """
    from posixpath import join, normpath

    given = [word for part in line.parts for word in part.words[1:]]
    for text in (line.folder and ".", *given, *(word.partition("=")[2] for word in given)):
        if text:
            path = normpath(join(root, line.folder, text))
            yield f"{path}/".removeprefix(root.rstrip("/") + "/" if root else "").rstrip("/") or "."
