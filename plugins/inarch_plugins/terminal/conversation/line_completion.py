"""Completions for the line: commands and their arguments, paths after an `@`, programs and paths in a `!` line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import define
from prompt_toolkit.buffer import CompletionState
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from inarch import escape, split_slash_command
from inarch_brief.search.typed_paths import escaped, unescaped
from inarch_plugins.terminal.conversation.path_index import PathIndex
from inarch_plugins.terminal.conversation.shell_words import completed

if TYPE_CHECKING:
    from inarch import SlashCommand
    from inarch_plugins.terminal.conversation.screen import Screen
    from inarch_plugins.terminal.slash.talk import Talk

LONGEST_S = 5.0
"""Seconds that a command has to return completions."""
MOST_SHOWN = 100

_MENTION = re.compile(r"(?:(?<=\s)|^)@((?:\\.|[^\s\\])*\\?)$")
_COMMAND = re.compile(r"/(?:[A-Za-z0-9_.:-]*|[A-Za-z0-9_.:-]+\s.*)", re.S)


@define(eq=False, repr=False)
class LineCompleter(Completer):
    """Completes the line; empty until the application is composed. Runs in its own thread."""

    talk: Talk | None = None
    loop: asyncio.AbstractEventLoop | None = None
    paths: PathIndex | None = None

    def ready(self, talk: Talk, loop: asyncio.AbstractEventLoop) -> None:
        """Complete for this conversation; called again after a switch to another application."""
        self.talk, self.loop = talk, loop
        self.paths = PathIndex(talk.app.workspace)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield completions for the text before the cursor."""
        if self.talk is None:
            return
        text = document.text_before_cursor
        if text.startswith("!"):
            yield from self._words(text[1:])
        elif _COMMAND.fullmatch(text):
            yield from offered(re.split(r"\s", text)[-1].removeprefix("/"), self._rows(text))
        elif found := _MENTION.search(text):
            yield from self._paths(found[1])

    def _paths(self, typed: str) -> Iterator[Completion]:
        if self.paths is not None:
            for path in self.paths.matching(unescaped(typed)):
                yield Completion(escaped(path), -len(typed), escape(path, keep_newlines=False))

    def _words(self, line: str) -> Iterator[Completion]:
        if self.paths is not None:
            for written, name, typed in completed(line, self.paths):
                yield Completion(written, -len(typed), name)

    def _rows(self, line: str) -> Sequence[tuple[str, str]]:
        """Return the completions of a command, which runs in the event loop of the conversation."""
        if self.talk is None or self.loop is None:
            return ()
        asked = asyncio.run_coroutine_threadsafe(_asked(self.talk, line), self.loop)
        try:
            return asked.result(LONGEST_S)
        except (TimeoutError, asyncio.CancelledError):
            asked.cancel()
            return ()


async def _asked(talk: Talk, line: str) -> Sequence[tuple[str, str]]:
    with talk.here():
        return await talk.app.completions(talk.session, line, talk.columns())


def offered(typed: str, rows: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    """Yield the rows that match the typed text: prefix matches first, then matches anywhere."""
    wanted = typed.lower()
    fitting = sorted(
        ((not name.lower().startswith(wanted), name, said) for name, said in rows if wanted in name.lower()),
        key=lambda row: row[0],
    )
    for _, name, said in fitting[:MOST_SHOWN]:
        yield Completion(name, -len(typed), name, escape(said, keep_newlines=False))


def picking(talk: Talk, line: str) -> SlashCommand | None:
    """Return the command of a line, if it has no arguments yet and offers a list of them."""
    name, words = split_slash_command(line) or ("", "")
    bound = talk.app.composition.slash_commands.get(name)
    return bound.value if bound is not None and bound.value.picks and not words.strip() else None


async def open_list(talk: Talk, line: str, screen: Screen) -> bool:
    """Show the completions of a command; return whether there are any and the line is still empty."""
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
    """Return what Enter and Esc do, with the command's help."""
    return f"Enter does it, Esc leaves · {command.help.partition(';')[0].rstrip('.')}"
