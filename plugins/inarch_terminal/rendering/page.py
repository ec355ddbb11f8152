"""What is finished, in order: lines of the tree, blocks of the answer, remarks; drawn when they are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from inarch_terminal.rendering.ink import Ink
from inarch_terminal.rendering.markdown import draw_block

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
