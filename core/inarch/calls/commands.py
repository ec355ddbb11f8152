"""The words of a command call, as the one tokenizer reads them and as rules and grants compare them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from inarch.contract.errors import ToolFailed
from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall

if TYPE_CHECKING:
    from inarch.config.grants import CommandGrant


def is_command(call: ToolCall, tool: Tool) -> bool:
    """Whether a call runs the command line that its argument `command` is."""
    return tool.category == "command" and isinstance(call.arguments.get("command"), str)


def words_of(call: ToolCall, tool: Tool) -> tuple[str, ...] | None:
    """Return the words of a command call; None for other calls, and where a shell would do more than split it."""
    if not is_command(call, tool):
        return None
    from inarch_sdk.commandline import split_command

    try:
        return split_command(call.arguments["command"])
    except ToolFailed:
        return None


def canonical(words: tuple[str, ...]) -> str:
    """Return the one way to write these words: what globs over commands are compared with."""
    from shlex import join

    return join(words)


def granted_by(
    call: ToolCall, tool: Tool, commands: Mapping[str, CommandGrant], runners: Collection[str]
) -> str | None:
    """Return the name of the `[commands.NAME]` that grants a call.

    What is granted are programs that the workspace runs: only `runners` do that, whatever a tool calls itself.
    """
    if not commands or call.name not in runners:
        return None
    words = words_of(call, tool) or through_shell(call)
    return None if words is None else next((name for name, grant in commands.items() if grant.covers(words)), None)


def through_shell(call: ToolCall) -> tuple[str, ...] | None:
    """Return how a line that needs a shell is granted: as the words that run it; None for other lines."""
    from inarch_sdk.commandline import NeedsShell, split_command

    line = call.arguments.get("command")
    try:
        split_command(line)  # type: ignore[arg-type]  # what is no text fails like any other line
    except NeedsShell:
        return ("sh", "-c", str(line).strip())
    except ToolFailed:
        pass
    return None


def paths_in(words: tuple[str, ...]) -> Iterator[str]:
    """Yield what may be paths among a command's arguments: each word, and what follows its `=`."""
    from posixpath import normpath

    for word in words[1:]:
        for text in (word, word.partition("=")[2]):
            if text:
                yield normpath(text)
