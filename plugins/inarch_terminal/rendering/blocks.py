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
_MARKS = "-*+>"
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
        self._begun: list[str] = []  # pieces of the line that has no end yet
        self._looked = 0  # size at the last look that found nothing
        self._kind = ""  # of the block that was open then
        self._fence: re.Pattern[str] | None = None  # what closes the code that is open

    def add(self, text: str) -> list[str]:
        """Take a piece and return the blocks that are complete with it."""
        if not text:
            return []
        self.version += 1
        if "\n" not in text:
            self._begun.append(text)
            return []
        first, *others = text.split("\n")
        last = others.pop()
        found = self._line(f"{''.join(self._begun)}{first}\n")
        for line in others:
            found += self._line(f"{line}\n")
        self._begun = [last] if last else []
        return found

    def close(self) -> list[str]:
        """Return the blocks that are complete because nothing more comes, and begin anew."""
        if self.is_empty:
            return []
        lines = [*self._lines, "".join(self._begun)]
        self._begun.clear()
        self._restart([])
        self.version += 1
        starts = [start for _, start, _, _ in _tops(lines)]
        return ["".join(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=False)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is open."""
        return not (self._lines or self._begun)

    def tail(self, lines: int, characters: int) -> str:
        """Return the end of what is open, at least about so much of it, beginning where it can be read by itself."""
        begun = _end_of(self._begun, characters)
        if begun.strip(_MARKS + "=_#`~|. \t0123456789") == "" and self._fence is None:
            begun = ""  # marks alone may yet mean anything
        start = max(0, len(self._lines) - lines)
        kept = [line if len(line) <= characters else line[-characters:] for line in self._lines[start:]]
        if start and self._lines:
            kept = [*self._opening(start), *kept]
        return "".join([*kept, begun])

    def _opening(self, start: int) -> list[str]:
        """Return what must stand before the lines from `start` on for them to mean what they mean."""
        first = self._lines[0]
        if self._fence is not None:
            return [first]
        if first.lstrip().startswith("|"):
            return self._lines[: min(2, start)]
        if first[0] in _MARKS or first[0].isdecimal():  # a list: from the beginning of an item
            for place in range(start - 1, max(0, start - 50), -1):
                if self._lines[place][0] == first[0] or self._lines[place][0].isdecimal():
                    return self._lines[place:start]
        return []

    def _line(self, line: str) -> list[str]:
        """Take a whole line."""
        if not self._lines and not line.strip(_BLANK):
            return []
        self._lines.append(line)
        self._size += len(line)
        if self._fence is not None:
            return self._emit(len(self._lines)) if self._fence.match(line) else []
        return self._look() if self._is_due(line) else []

    def _is_due(self, line: str) -> bool:
        if self._size < EAGER or self._size >= self._looked + self._looked // 4:
            return True
        if self._kind in _CLOSED_BY_BLANK:
            return not line.strip(_BLANK)
        # A list or indented code is over where a line that isn't indented follows a blank one.
        if not self._kind or self._lines[-2].strip(_BLANK) or line[0] in _BLANK:
            return False
        lead = self._lines[0][0]
        return line[0] != lead and not (line[0].isdecimal() and lead.isdecimal())

    def _look(self) -> list[str]:
        """Return the blocks that are complete: those before the last one, and that one if nothing can be added."""
        tops = _tops(self._lines)
        if not tops:
            return []
        kind, start, end, markup = tops[-1]
        found = ["".join(self._lines[this[1] : following[1]]) for this, following in pairwise(tops)]
        if self._is_over(kind, start, end, markup):
            found.append("".join(self._lines[start:]))
            self._restart([])
        elif found:
            self._restart(self._lines[start:])
            self._note_fence(kind, markup)
        else:
            # What was expected to be over and isn't is not expected to be so again until it has grown.
            self._kind = kind if self._size < EAGER or self._size >= self._looked + self._looked // 4 else ""
            self._looked = self._size
            self._note_fence(kind, markup)
        return found

    def _is_over(self, kind: str, start: int, end: int, markup: str) -> bool:
        if kind in ("heading_open", "hr"):
            return True
        if kind == "fence":
            return end - start > 1 and _closing(markup).match(self._lines[end - 1]) is not None
        return kind in _CLOSED_BY_BLANK and not self._lines[-1].strip(_BLANK)

    def _note_fence(self, kind: str, markup: str) -> None:
        if kind == "fence":
            self._fence = _closing(markup)

    def _emit(self, count: int) -> list[str]:
        block = "".join(self._lines[:count])
        self._restart(self._lines[count:])
        return [block]

    def _restart(self, lines: list[str]) -> None:
        self._lines, self._fence, self._looked, self._kind = lines, None, 0, ""
        self._size = sum(map(len, lines))


def _closing(markup: str) -> re.Pattern[str]:
    return re.compile(rf" {{0,3}}{re.escape(markup[0])}{{{len(markup)},}}[ \t]*\n?\Z")


def _end_of(pieces: list[str], characters: int) -> str:
    kept: list[str] = []
    size = 0
    for piece in reversed(pieces):
        kept.append(piece)
        size += len(piece)
        if size >= characters:
            break
    return "".join(reversed(kept))[-characters:]


def _tops(lines: list[str]) -> list[tuple[str, int, int, str]]:
    """Return kind, first line, line after the last and markup of each top-level block."""
    tokens = block_parser().parse("".join(lines))
    return [
        (token.type, token.map[0], token.map[1], token.markup)
        for token in tokens
        if token.level == 0 and token.nesting >= 0 and token.map is not None
    ]
