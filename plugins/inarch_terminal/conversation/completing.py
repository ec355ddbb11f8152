"""What the line can be completed to: commands and their words, and paths after an `@`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from attrs import define, field
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from inarch import InarchError, escape
from inarch_terminal.conversation.paths import PathIndex, escaped, unescaped

if TYPE_CHECKING:
    from inarch_terminal.slash.talk import Talk

MODELS_S = 4.0
"""Seconds that a provider has to list its models."""
MOST_SHOWN = 100

_MENTION = re.compile(r"(?:(?<=\s)|^)@((?:\\.|[^\s\\])*\\?)$")
_COMMAND = re.compile(r"/([A-Za-z0-9_.-]*)")
_WORDS = re.compile(r"/([A-Za-z0-9_.-]+)\s+(\S*)")
Row = tuple[str, str]


@define(eq=False, repr=False)
class LineCompleter(Completer):
    """Completes the line; it knows nothing until the conversation is composed. Runs in a thread of its own."""

    talk: Talk | None = None
    loop: asyncio.AbstractEventLoop | None = None
    paths: PathIndex | None = None
    _models: dict[str, list[Row]] = field(init=False, factory=dict)

    def ready(self, talk: Talk, loop: asyncio.AbstractEventLoop) -> None:
        """Complete for this conversation; called again when it goes on with another application."""
        self.talk, self.loop = talk, loop
        self.paths = PathIndex(talk.app.workspace)
        self._models.clear()

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield what the text before the cursor can become."""
        if self.talk is None:
            return
        text = document.text_before_cursor
        if found := _COMMAND.fullmatch(text):
            yield from _offered(found[1], self._commands(self.talk))
        elif found := _WORDS.fullmatch(text):
            yield from _offered(found[2], self._arguments(self.talk, found[1]))
        elif found := _MENTION.search(text):
            yield from self._paths(found[1])

    def _paths(self, typed: str) -> Iterator[Completion]:
        if self.paths is not None:
            for path in self.paths.matching(unescaped(typed)):
                yield Completion(escaped(path), -len(typed), escape(path, keep_newlines=False))

    def _commands(self, talk: Talk) -> Iterator[Row]:
        yield from sorted((name, one.value.help) for name, one in talk.app.composition.slash_commands.items())

    def _arguments(self, talk: Talk, name: str) -> Iterable[Row]:
        rows = _ARGUMENTS.get(name)
        try:
            return rows(self, talk) if rows is not None else ()
        except InarchError:
            return ()

    def models(self, talk: Talk) -> Iterator[Row]:
        """Yield the models that the providers of the profile offer; each is asked once."""
        yield "auto", "the first provider that has a key"
        for name, bound in talk.app.composition.models.items():
            if name not in self._models and self.loop is not None:
                asked = asyncio.run_coroutine_threadsafe(_offers(talk, name), self.loop)
                try:
                    self._models[name] = asked.result(MODELS_S + 1)
                except (TimeoutError, asyncio.CancelledError):
                    self._models[name] = [(f"{name}/{bound.value.default_model}", "")]
            yield from self._models[name]

    def commands(self, talk: Talk) -> Iterator[Row]:
        """Yield the names of commands."""
        return self._commands(talk)


async def _offers(talk: Talk, name: str) -> list[Row]:
    from inarch.host import guarded

    bound = talk.app.composition.models[name]
    try:
        async with asyncio.timeout(MODELS_S):
            with guarded(bound.plugin, "provider"):
                return [(f"{name}/{info.name}", info.description) for info in await bound.value.models()]
    except (InarchError, TimeoutError):
        return [(f"{name}/{bound.value.default_model}", "")]


def _sessions(completer: LineCompleter, talk: Talk) -> Iterator[Row]:
    for info in talk.app.store.sessions(talk.app.config.root):
        if info.id != talk.session.id:
            yield info.id, info.title


def _turns(completer: LineCompleter, talk: Talk) -> Iterator[Row]:
    for number, turn in enumerate(talk.session.turns, 1):
        yield str(number), turn.content.strip().split("\n", 1)[0]


def _tools(completer: LineCompleter, talk: Talk) -> Iterator[Row]:
    for name, bound in sorted(talk.app.composition.tools.items()):
        yield name, bound.value.description.strip().split("\n", 1)[0]


_ARGUMENTS: dict[str, Callable[[LineCompleter, Talk], Iterable[Row]]] = {
    "model": LineCompleter.models,
    "profile": lambda _, talk: [(name, "") for name in sorted(talk.app.config.profiles)],
    "tools": _tools,
    "resume": _sessions,
    "fork": _turns,
    "undo": _turns,
    "redo": _turns,
    "help": LineCompleter.commands,
    "retry": lambda _, talk: [("undo", "take the changes of the last turn back first")],
    "approve": lambda _, talk: [("revoke", "take back what was approved")],
}


def _offered(typed: str, rows: Iterable[Row]) -> Iterator[Completion]:
    """Yield the rows that what was typed fits: those that begin with it, then those with it anywhere."""
    wanted = typed.lower()
    fitting = sorted(
        ((not name.lower().startswith(wanted), name, said) for name, said in rows if wanted in name.lower()),
        key=lambda row: row[0],
    )
    for _, name, said in fitting[:MOST_SHOWN]:
        yield Completion(name, -len(typed), name, escape(said, keep_newlines=False))
