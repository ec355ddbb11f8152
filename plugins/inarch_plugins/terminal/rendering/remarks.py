"""What is finished, in order: lines of the tree, blocks of the answer, notes, errors, what a turn took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inarch import width
from inarch_plugins.terminal.front_ends.turn_cost import sum_words
from inarch_plugins.terminal.rendering.calls import below
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.markdown import draw_block

Draw = Callable[[int, Ink], Iterable[str]]
"""Returns lines of at most so many columns, without their ends."""


class Page:
    """Takes pieces as they are finished and gives each of them once."""

    def __init__(self) -> None:
        self.tree_is_open = self.text_is_open = False
        self._pieces: list[tuple[bool, Callable[[int, Ink], str]]] = []

    def item(self, draw: Draw) -> None:
        """Add lines of the tree."""
        self.tree_is_open, self.text_is_open = True, False
        self._add(draw)

    def remark(self, draw: Draw) -> None:
        """Add lines that are no part of the tree, apart from the answer."""
        self.close_tree()
        if self.text_is_open:
            self.text_is_open = False
            self._add(lambda columns, ink: [""])
        self._add(draw)

    def block(self, source: str) -> None:
        """Add a block of the answer, apart from the one before."""
        self.close_tree()
        space = "\n" if self.text_is_open else ""
        self.text_is_open = True
        self._pieces.append((True, lambda columns, ink: space + draw_block(source, columns, ink)))

    def close_tree(self) -> None:
        """End the tree if it is open."""
        if self.tree_is_open:
            self.tree_is_open = False
            self._add(lambda columns, ink: [ink.paint(ink.sign("end"), "dim")])

    def take(self, columns: int, ink: Ink) -> Iterator[tuple[bool, str]]:
        """Yield each piece, with whether it is one of the answer, for the only time."""
        pieces, self._pieces = self._pieces, []
        for is_answer, draw in pieces:
            yield is_answer, draw(columns, ink)

    def _add(self, draw: Draw) -> None:
        self._pieces.append((False, lambda columns, ink: "".join(f"{line}\n" for line in draw(columns, ink))))


Data = Mapping[str, Any]
_MOST_LINES = 6


class Remarks:
    """Adds remarks to the page; within a turn each is made once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._said: set[str] = set()
        self._told: set[str] = set()

    def forget(self) -> None:
        """Begin anew: what the next turn or command has to tell is news, even in the same words."""
        self._said.clear()
        self._told.clear()

    def title(self, text: str) -> None:
        """Begin a turn with who answers."""
        self._page.remark(
            lambda columns, ink: [ink.paint(ink.cut(f"{ink.sign('root')} {ink.plain(text)}", columns), "dim")]
        )

    def item(self, mark: str, style: str, text: str) -> None:
        """Add a line to the tree; what doesn't fit goes on below."""

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            lead = f"{ink.sign('item')} {ink.sign(mark)} "
            first, *more = ink.wrapped(ink.plain(text), columns - width(lead), _MOST_LINES)
            yield ink.paint(ink.cut(lead, columns), style) + ink.paint(first, style)
            for line in more:
                yield below(line, columns, ink, style)

        self._page.item(draw)

    def note(self, text: str) -> None:
        """Add a note: to the tree while it is open."""
        if text in self._said:
            return
        self._said.add(text)
        if not self._page.tree_is_open:
            self.said(f"note: {text}", "yellow")
            return

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            for line in ink.wrapped(ink.plain(text), columns - width(ink.sign("bar")) - 3, _MOST_LINES):
                yield below(line, columns, ink, "yellow")

        self._page.item(draw)

    def said(self, text: str, style: str) -> None:
        """Add a remark outside of the tree."""
        self._page.remark(
            lambda columns, ink: [ink.paint(line, style) for line in ink.wrapped(ink.plain(text), columns)]
        )

    def error(self, message: str, remedy: str = "") -> None:
        """Add an error, and below it what to do."""
        if any(message in told or told in message for told in self._told):
            return
        self._told.add(message)

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            for line in ink.wrapped(ink.plain(f"error: {message}"), columns):
                yield ink.paint(line, "red")
            indent = "  " if columns >= 12 else ""
            for line in ink.wrapped(ink.plain_lines(remedy), columns - len(indent)) if remedy else ():
                yield indent + line

        self._page.remark(draw)

    def sum_up(self, turn: Data, data: Data, more: Sequence[str] = ()) -> None:
        """Say what a turn took and what cut it short, what of it decisions took, the session so far, and more."""
        words = [word for part in [*sum_words(turn, data), *more] for word in part.split(" · ")]
        style = "yellow" if turn["status"] in ("cancelled", "limited") else "dim"
        self._page.remark(lambda columns, ink: _joined(words, style, columns, ink))


def _joined(words: Sequence[str], style: str, columns: int, ink: Ink) -> Iterator[str]:
    """Yield words with dots between them, in as many lines as they need."""
    dot, line = ink.sign("dot"), ""
    for word in map(ink.plain, words):
        if line and width(line) + width(dot) + width(word) > columns:
            yield ink.paint(line, style)
            line = ""
        line = f"{line}{dot}{word}" if line else ink.cut(word, columns)
    yield ink.paint(line, style)


MOST = 12
"""Rows that are shown of one list."""
_MARKS = {"completed": ("ok", "green"), "in_progress": ("live", "yellow")}


def todo_rows(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield mark, style and words of each row; nothing where the event has no such list."""
    found = data.get("todos")
    listed = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []
    for one in listed[:MOST]:
        mark, style = _MARKS.get(str(one.get("status")), ("waits", "dim"))
        yield mark, style, str(one.get("content", ""))
    if len(listed) > MOST:
        yield "cut", "dim", f"{len(listed) - MOST} more"
