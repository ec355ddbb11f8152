"""Finished output in order: lines of the tree, blocks of the answer, notes, errors, figures of the turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inarch import width
from inarch_plugins.terminal.rendering.calls import below
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.markdown import draw_block

IMPACT = re.compile(r"this change \(.*\) is (?:on|reached from) ")
"""Beginning of the sentence about what a turn's edits reach, the most useful one at its end."""
Data = Mapping[str, Any]
_MOST_LINES = 6
Draw = Callable[[int, Ink], Iterable[str]]
"""Returns lines of at most the given width, without line ends."""


class Page:
    """Collects finished pieces and yields each once; a note or an error only once per turn."""

    def __init__(self) -> None:
        self.tree_is_open = self.text_is_open = False
        self._pieces: list[tuple[bool, Callable[[int, Ink], str]]] = []
        self._said: set[str] = set()
        self._errors: set[str] = set()

    def item(self, draw: Draw) -> None:
        """Add lines to the work, apart from text above it."""
        if self.text_is_open:
            self._add(lambda columns, ink: [""])
        self.tree_is_open, self.text_is_open = True, False
        self._add(draw)

    def remark(self, draw: Draw) -> None:
        """Add lines outside of the tree and apart from the answer."""
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
        """Close the tree if it is open."""
        if self.tree_is_open:
            self.tree_is_open = False
            self._add(lambda columns, ink: [ink.paint(ink.sign("end"), "dim")])

    def take(self, columns: int, ink: Ink) -> Iterator[tuple[bool, str]]:
        """Yield each new piece, with whether it belongs to the answer."""
        pieces, self._pieces = self._pieces, []
        for is_answer, draw in pieces:
            yield is_answer, draw(columns, ink)

    def forget(self) -> None:
        """Reset, so that the next turn or command may repeat notes and errors."""
        self._said.clear()
        self._errors.clear()

    def title(self, text: str) -> None:
        """Start a turn with the name of the model."""
        self.remark(lambda columns, ink: [ink.paint(ink.cut(f"{ink.sign('root')} {ink.plain(text)}", columns), "dim")])

    def line(self, mark: str, style: str, text: str) -> None:
        """Add a line to the tree; long text wraps below."""

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            lead = f"{ink.sign('item')} {ink.sign(mark)} "
            first, *more = ink.wrapped(ink.plain(text), columns - width(lead), _MOST_LINES)
            yield ink.paint(ink.cut(lead, columns), style) + ink.paint(first, style)
            for line in more:
                yield below(line, columns, ink, style)

        self.item(draw)

    def note(self, text: str) -> None:
        """Add a note, to the tree if it is open."""
        if text in self._said:
            return
        self._said.add(text)
        if IMPACT.match(text):
            self.said(text, "bold")
            return
        if not self.tree_is_open:
            self.said(f"note: {text}", "yellow")
            return

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            for line in ink.wrapped(ink.plain(text), columns - width(ink.sign("bar")) - 3, _MOST_LINES):
                yield below(line, columns, ink, "yellow")

        self.item(draw)

    def said(self, text: str, style: str) -> None:
        """Add a remark outside of the tree."""
        self.remark(lambda columns, ink: [ink.paint(line, style) for line in ink.wrapped(ink.plain(text), columns)])

    def error(self, message: str, remedy: str = "") -> None:
        """Add an error, with its remedy below."""
        if any(message in other or other in message for other in self._errors):
            return
        self._errors.add(message)

        def draw(columns: int, ink: Ink) -> Iterator[str]:
            for line in ink.wrapped(ink.plain(f"error: {message}"), columns):
                yield ink.paint(line, "red")
            indent = "  " if columns >= 12 else ""
            for line in ink.wrapped(ink.plain_lines(remedy), columns - len(indent)) if remedy else ():
                yield indent + line

        self.remark(draw)

    def sum_up(self, turn: Data, words: Sequence[str]) -> None:
        """Add the figures of a turn."""
        style = "yellow" if turn["status"] in ("cancelled", "limited") else "dim"
        self.remark(lambda columns, ink: ("  " + line for line in _joined(words, style, columns - 2, ink)))

    def _add(self, draw: Draw) -> None:
        self._pieces.append((False, lambda columns, ink: "".join(f"{line}\n" for line in draw(columns, ink))))


def _joined(words: Sequence[str], style: str, columns: int, ink: Ink) -> Iterator[str]:
    """Yield words joined by dots, in as many lines as needed."""
    dot, line = ink.sign("dot"), ""
    for word in map(ink.plain, words):
        if line and width(line) + width(dot) + width(word) > columns:
            yield ink.paint(line, style)
            line = ""
        line = f"{line}{dot}{word}" if line else ink.cut(word, columns)
    yield ink.paint(line, style)


MOST = 12
"""Rows shown of one list."""
_MARKS = {"completed": ("done", "green"), "in_progress": ("doing", "bold")}


def todo_rows(data: Data) -> Iterator[tuple[str, str, str]]:
    """Yield mark, style and words of each row; nothing if the event has no list."""
    found = data.get("todos")
    listed = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []
    for one in listed[:MOST]:
        mark, style = _MARKS.get(str(one.get("status")), ("todo", ""))
        yield mark, style, str(one.get("content", ""))
    if len(listed) > MOST:
        yield "cut", "dim", f"{len(listed) - MOST} more"
