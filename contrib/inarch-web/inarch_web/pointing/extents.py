"""From where to where an element goes in the text of a file: its tag and what closes it, in HTML, JSX and the like."""

from __future__ import annotations

import re

from attrs import frozen

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_OPENING, _CLOSING = "{([", "})]"


@frozen
class Extent:
    """Lines of a file, counted from 1, both included."""

    first: int
    last: int


def extent_at(text: str, tag: str, line: int, column: int = 0) -> Extent | None:
    """Return the lines of the element that begins in a line, None where no such tag is there.

    Args:
        text: The file.
        tag: The element's name.
        line: Where its tag begins, counted from 1.
        column: Where in that line, counted from 1; 0 where nobody says.
    """
    starts = _line_starts(text)
    if not 1 <= line <= len(starts):
        return None
    end = starts[line] if line < len(starts) else len(text)
    tags = [found.start() for found in _begins(tag).finditer(text, starts[line - 1], end)]
    at = next((place for place in tags if place >= starts[line - 1] + column - 1), tags[0] if tags else None)
    return None if at is None else Extent(line, _line_of(text, _end(text, tag, at)))


def extent_around(text: str, tag: str, line: int, above: int = 10) -> Extent | None:
    """Return the lines of the smallest element of this name that a line is within, None where there is none near."""
    for first in range(line, max(0, line - above - 1), -1):
        found = extent_at(text, tag, first)
        if found is not None and found.last >= line:
            return found
    return None


def _begins(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(tag)}(?=[\s/>])", re.IGNORECASE)


def _end(text: str, tag: str, at: int) -> int:
    """Return where the element that begins at a place ends; without an end it is its first tag alone."""
    place, is_closed = _tag_end(text, at)
    if is_closed or tag.lower() in _VOID:
        return place
    first, depth = place, 1
    tokens = re.compile(rf"<(/?){re.escape(tag)}(?=[\s/>])", re.IGNORECASE)
    while (found := tokens.search(text, place)) is not None:
        place, is_closed = _tag_end(text, found.start())
        depth += -1 if found.group(1) else 0 if is_closed else 1
        if depth == 0:
            return place
    return first


def _tag_end(text: str, at: int) -> tuple[int, bool]:
    """Return where a tag ends, and whether it closes itself; `>` in strings and braces is no end."""
    depth, quote = 0, ""
    for place in range(at + 1, len(text)):
        char = text[place]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == ">" and depth <= 0:
            return place, text[place - 1] == "/"
    return len(text) - 1, True


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
