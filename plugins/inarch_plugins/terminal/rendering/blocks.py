"""Finds where blocks of Markdown end while the text still comes; the work for a piece doesn't grow with what came."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

DEPTH = 60
"""How deep quotes and lists may nest; markdown-it passes over in silence what is deeper."""
EAGER = 1_000
"""A block of fewer characters is looked at with each line; a longer one when it has grown by a quarter."""
_BLANK = " \t\n"
_MARKS = "-*+>=_#`~|. \t0123456789"
_CLOSED_BY_BLANK = ("paragraph_open", "table_open", "blockquote_open")


def make_parser() -> MarkdownIt:
    """Return the parser for all Markdown of ours.

    HTML is text like any other, and so are definitions of links: nothing that a model wrote is left out, and no block
    depends on another.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEPTH})
    return parser.disable(["html_block", "html_inline", "reference"]).enable(["strikethrough", "table"])


@cache
def block_parser() -> MarkdownIt:
    """Return the parser that finds blocks and leaves alone what stands in them."""
    parser = make_parser()
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class Blocks:
    """Takes a text in pieces and gives its top-level blocks as they are complete."""

    def __init__(self) -> None:
        self.version = 0  # changes with whatever is open
        self._lines: list[str] = []  # whole ones, of what is not complete
        self._size = 0  # of these
        self._begun = ""  # the line that has no end yet
        self._looked = 0  # size at the last look that found nothing
        self._fence: re.Pattern[str] | None = None  # what closes the code that is open

    def add(self, text: str) -> list[str]:
        """Take a piece and return the blocks that are complete with it."""
        self.version += bool(text)
        *lines, self._begun = (self._begun + text).split("\n") if "\n" in text else (self._begun + text,)
        return [block for line in lines for block in self._line(f"{line}\n")]

    def close(self) -> list[str]:
        """Return the blocks that are complete because nothing more comes, and begin anew."""
        if self.is_empty:
            return []
        lines = [*self._lines, self._begun]
        self._begun = ""
        self._restart([])
        self.version += 1
        starts = [start for _, start, _, _ in _tops(lines)]
        return ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is open."""
        return not (self._lines or self._begun)

    def tail(self, lines: int, characters: int) -> str:
        """Return the end of what is open, at least about so much of it, beginning where it can be read by itself."""
        begun = self._begun[-characters:]
        if begun.strip(_MARKS) == "" and self._fence is None:
            begun = ""  # marks alone may yet mean anything
        start, opening = max(0, len(self._lines) - lines), list[str]()
        if start and (self._fence is not None or self._lines[0].lstrip().startswith("|")):
            opening = self._lines[: 1 if self._fence is not None else min(2, start)]
        elif start:  # from where a line is not indented: the beginning of an item
            start = next(
                (place for place in range(start, max(0, start - 50), -1) if self._lines[place][0] > " "), start
            )
        return "".join([*opening, *(line[-characters:] for line in self._lines[start:]), begun])

    def _line(self, line: str) -> list[str]:
        """Take a whole line."""
        if not self._lines and not line.strip(_BLANK):
            return []
        self._lines.append(line)
        self._size += len(line)
        if self._fence is not None:
            return self._emit() if self._fence.match(line) else []
        is_due = self._size < EAGER or self._size >= self._looked + self._looked // 4
        return self._look() if is_due else []

    def _look(self) -> list[str]:
        """Return the blocks that are complete: those before the last one, and that one if nothing can be added."""
        tops = _tops(self._lines)
        if not tops:
            return []
        kind, start, end, markup = tops[-1]
        found = ["".join(self._lines[this[1] : following[1]]) for this, following in pairwise(tops)]
        if start:
            self._restart(self._lines[start:])
        self._looked = self._size
        if self._is_over(kind, end - start, markup):
            return [*found, *self._emit()]
        if kind == "fence":
            self._fence = _closing(markup)
        return found

    def _is_over(self, kind: str, lines: int, markup: str) -> bool:
        if kind in ("heading_open", "hr"):
            return True
        if kind == "fence":
            return lines > 1 and _closing(markup).match(self._lines[lines - 1]) is not None
        return kind in _CLOSED_BY_BLANK and not self._lines[-1].strip(_BLANK)

    def _emit(self) -> list[str]:
        block = "".join(self._lines)
        self._restart([])
        return [block]

    def _restart(self, lines: list[str]) -> None:
        self._lines, self._fence, self._looked = lines, None, 0
        self._size = sum(map(len, lines))


def _closing(markup: str) -> re.Pattern[str]:
    return re.compile(rf" {{0,3}}{re.escape(markup[0])}{{{len(markup)},}}[ \t]*\n?\Z")


def _tops(lines: list[str]) -> list[tuple[str, int, int, str]]:
    """Return kind, first line, line after the last and markup of each top-level block."""
    tokens = block_parser().parse("".join(lines))
    return [
        (token.type, token.map[0], token.map[1], token.markup)
        for token in tokens
        if token.level == 0 and token.nesting >= 0 and token.map is not None
    ]
