"""Incremental splitter of streamed Markdown into blocks; the work per piece does not grow with the text."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

DEPTH = 60
"""Maximum nesting of quotes and lists; markdown-it silently drops anything deeper."""
EAGER = 1_000
"""Shorter blocks are checked at each line; longer ones each time they grow by a quarter."""
_BLANK = " \t\n"
_MARKS = "-*+>=_#`~|. \t0123456789"
_CLOSED_BY_BLANK = ("paragraph_open", "table_open", "blockquote_open")


@cache
def parser() -> MarkdownIt:
    """Return the parser for all Markdown.

    HTML and link definitions are plain text. So nothing that a model wrote is dropped, and no block depends on
    another.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"maxNesting": DEPTH})
    return made.disable(["html_block", "html_inline", "reference"]).enable(["strikethrough", "table"])


@cache
def block_parser() -> MarkdownIt:
    """Return the parser that finds blocks and does not parse their content."""
    made = parser.__wrapped__()
    made.core.ruler.enableOnly(["normalize", "block"])
    return made


class Blocks:
    """Splits text that arrives in pieces into complete top-level blocks."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # whole lines of the open block
        self._size = 0  # their size in characters
        self._begun = ""  # the unfinished line
        self._looked = 0  # size at the last check that found no end
        self._fence: re.Pattern[str] | None = None  # matches the end of the open code block

    def add(self, text: str) -> list[str]:
        """Add a piece and return the blocks that it completes."""
        *lines, self._begun = (self._begun + text).split("\n") if "\n" in text else (self._begun + text,)
        return [block for line in lines for block in self._line(f"{line}\n")]

    def close(self) -> list[str]:
        """Return the remaining blocks at the end of the text, and reset."""
        if self.is_empty:
            return []
        lines = [*self._lines, self._begun]
        self._begun = ""
        self._restart([])
        starts = [start for _, start, _, _ in _tops(lines)]
        return ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]

    @property
    def is_empty(self) -> bool:
        """Return whether there is no open text."""
        return not (self._lines or self._begun)

    def tail(self, lines: int, characters: int) -> str:
        """Return about the last lines of the open text, from a line at which parsing can start."""
        begun = self._begun[-characters:]
        if begun.strip(_MARKS) == "" and self._fence is None:
            begun = ""  # block marks without text are ambiguous
        start, opening = max(0, len(self._lines) - lines), list[str]()
        if start and (self._fence is not None or self._lines[0].lstrip().startswith("|")):
            opening = self._lines[: 1 if self._fence is not None else min(2, start)]
        elif start:  # start at a line without indentation, such as a list item
            start = next(
                (place for place in range(start, max(0, start - 50), -1) if self._lines[place][0] > " "), start
            )
        return "".join([*opening, *(line[-characters:] for line in self._lines[start:]), begun])

    def _line(self, line: str) -> list[str]:
        """Add a whole line."""
        if not self._lines and not line.strip(_BLANK):
            return []
        self._lines.append(line)
        self._size += len(line)
        if self._fence is not None:
            return self._emit() if self._fence.match(line) else []
        is_due = self._size < EAGER or self._size >= self._looked + self._looked // 4
        return self._look() if is_due else []

    def _look(self) -> list[str]:
        """Return the complete blocks: all but the last one, and that one if nothing can extend it."""
        tops = _tops(self._lines)
        if not tops:
            return []
        kind, start, end, markup = tops[-1]
        found = ["".join(self._lines[this[1] : following[1]]) for this, following in pairwise(tops)]
        if start:
            self._restart(self._lines[start:])
        self._looked = self._size
        is_over = kind in ("heading_open", "hr") or (kind in _CLOSED_BY_BLANK and not self._lines[-1].strip(_BLANK))
        if kind == "fence" and end - start > 1:
            is_over = _closing(markup).match(self._lines[end - start - 1]) is not None
        if is_over:
            return [*found, *self._emit()]
        if kind == "fence":
            self._fence = _closing(markup)
        return found

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
    """Return kind, first line, line after the last, and markup of each top-level block."""
    tokens = block_parser().parse("".join(lines))
    return [
        (token.type, token.map[0], token.map[1], token.markup)
        for token in tokens
        if token.level == 0 and token.nesting >= 0 and token.map is not None
    ]
