"""A command that was sent without words, where they can be picked: the list of completions, the first one marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.buffer import CompletionState
from prompt_toolkit.document import Document

from inarch import split_slash_command
from inarch_terminal.conversation.completing import offered

if TYPE_CHECKING:
    from inarch import SlashCommand
    from inarch_terminal.conversation.screen import Screen
    from inarch_terminal.slash.talk import Talk


def picking(talk: Talk, line: str) -> SlashCommand | None:
    """Return the command of a line, if it is one without words and they are to be picked."""
    name, words = split_slash_command(line) or ("", "")
    bound = talk.app.composition.slash_commands.get(name)
    return bound.value if bound is not None and bound.value.picks and not words.strip() else None


async def open_list(talk: Talk, line: str, screen: Screen) -> bool:
    """Show what may follow a command; return whether there is anything, and the line is still empty."""
    begun = f"{line.strip()} "
    with talk.here():
        rows = await talk.app.completions(talk.session, begun, screen.columns)
    if not rows or screen.line.text:
        return False
    document = screen.line.document = Document(begun)
    screen.line.complete_state = CompletionState(document, [*offered("", rows)])
    screen.line.go_to_completion(0)
    return True


def hint(command: SlashCommand) -> str:
    """Return what choosing does, and the keys."""
    return f"Enter does it, Esc leaves · {command.help.partition(';')[0].rstrip('.')}"
