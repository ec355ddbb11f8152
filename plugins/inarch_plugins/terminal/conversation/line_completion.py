"""Completions for the line: commands and their arguments, paths after an `@`, programs and paths in a `!` line."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define
from prompt_toolkit.buffer import CompletionState
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from inarch import InarchError, escape, split_slash_command
from inarch_brief.search.typed_paths import escaped, ranked, unescaped, with_folders

if TYPE_CHECKING:
    from inarch import SlashCommand
    from inarch_plugins.terminal.conversation.screen import Screen
    from inarch_plugins.terminal.slash.talk import Talk

LONGEST_S = 5.0
"""Seconds that a command has to return completions."""
MOST_SHOWN = 100
MOST_FOLDERS = 100
MOST_NAMES = 20_000
"""Maximum number of names read from one folder of the search path."""

_MENTION = re.compile(r"(?:(?<=\s)|^)@((?:\\.|[^\s\\])*\\?)$")
_COMMAND = re.compile(r"/(?:[A-Za-z0-9_.:-]*|[A-Za-z0-9_.:-]+\s.*)", re.S)
_WORD = re.compile(r"(?:\\.|[^\s\\|&;])*\\?\Z", re.S)
_ASSIGNMENTS = re.compile(r"\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*")
_SPECIAL = re.compile(r"([^\w@%+=:,./-])")


@define(eq=False, repr=False)
class LineCompleter(Completer):
    """Completes the line; empty until the application is composed. Runs in its own thread."""

    talk: Talk | None = None
    loop: asyncio.AbstractEventLoop | None = None
    _paths: tuple[str, ...] | None = None

    def ready(self, talk: Talk, loop: asyncio.AbstractEventLoop | None) -> None:
        """Complete for this conversation; called again after a switch to another application."""
        self.talk, self.loop = talk, loop
        self.forget_paths()

    def forget_paths(self) -> None:
        """Look for paths anew: files may have been added or removed."""
        self._paths = None

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
            for path in ranked(unescaped(found[1]), self._known()):
                yield Completion(escaped(path), -len(found[1]), escape(path, keep_newlines=False))

    def _words(self, line: str) -> Iterator[Completion]:
        """Yield programs for the first word of a command, also after `VAR=value`, else paths; runs nothing."""
        found = _WORD.search(line)
        raw = found[0] if found else ""
        meant = re.sub(r"\\(.?)", r"\1", raw, flags=re.S)
        if _ASSIGNMENTS.fullmatch(re.split(r"[|&;]", line.removesuffix(raw))[-1]) and "/" not in meant:
            names = programs(meant, os.environ.get("PATH", "")) if meant else []
        else:  # down to the next folder
            below = (path for path in self._known() if path.startswith(meant) and path.isprintable())
            names = sorted(path for path in below if path != meant and "/" not in path[len(meant) : -1])
        end = " " if len(names) == 1 and not names[0].endswith("/") else ""
        for name in names[:MOST_SHOWN]:
            yield Completion(_SPECIAL.sub(r"\\\1", name) + end, -len(raw), name)

    def _known(self) -> tuple[str, ...]:
        """Return the files that git tracks or would track, and their folders."""
        if self._paths is None and self.talk is not None:
            with suppress(InarchError):
                self._paths = tuple(with_folders(self.talk.app.workspace.walk().paths))
        return self._paths or ()

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


def programs(typed: str, search_path: str) -> list[str]:
    """Return the programs with this prefix in order; relative folders of the search path are ignored."""
    found: set[str] = set()
    for folder in dict.fromkeys(search_path.split(os.pathsep)[:MOST_FOLDERS]):
        if Path(folder).is_absolute():
            with suppress(OSError), os.scandir(folder) as entries:
                some = (entry for entry in islice(entries, MOST_NAMES) if entry.name.startswith(typed))
                can_run = (one for one in some if one.is_file() and os.access(one, os.X_OK))
                found.update(one.name for one in can_run if one.name.isprintable())
    return sorted(found)


def offered(typed: str, rows: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    """Yield the rows that match the typed text: prefix matches first, then matches anywhere."""
    wanted = typed.lower()
    fitting = [(name, said) for name, said in rows if wanted in name.lower()]
    fitting.sort(key=lambda row: not row[0].lower().startswith(wanted))
    for name, said in fitting[:MOST_SHOWN]:
        yield Completion(name, -len(typed), name, escape(said, keep_newlines=False))


def picking(talk: Talk, line: str) -> SlashCommand | None:
    """Return the command of a line, if it has no arguments yet and offers a list of them."""
    name, words = split_slash_command(line) or ("", "")
    bound = talk.app.composition.slash_commands.get(name)
    return bound.value if bound is not None and bound.value.picks and not words.strip() else None


async def open_list(talk: Talk, line: str, screen: Screen) -> bool:
    """Show the completions of a command; return whether there are any and the line is still empty."""
    begun = f"{line.strip()} "
    rows = await _asked(talk, begun)
    if not rows or screen.line.text:
        return False
    document = screen.line.document = Document(begun)
    screen.line.complete_state = CompletionState(document, [*offered("", rows)])
    screen.line.go_to_completion(0)
    return True


def hint(command: SlashCommand) -> str:
    """Return what Enter and Esc do, with the command's help."""
    return f"Enter does it, Esc leaves · {command.help.partition(';')[0].rstrip('.')}"
