"""Where the text or the name of a replacement stands in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.edits import Edit

Span = tuple[int, int]
"""Where a place begins, and where it ends."""

_MORE_OF_A_NAME = {
    "$": ("js", "jsx", "mjs", "cjs", "ts", "tsx", "java", "kt", "vue"),
    "-": ("css", "scss", "html", "xml"),
}
"""What may be a part of a name beside letters, digits and the underscore, by the endings of files."""


def spans_of(change: Edit, text: str) -> list[Span]:
    """Find the places that a replacement changes; those of a text don't overlap."""
    if not change.search:
        return []
    if not change.as_name:
        return [found.span() for found in re.finditer(re.escape(change.search), text)]
    ending = change.path.rpartition(".")[2]
    also = "".join(re.escape(sign) for sign, endings in _MORE_OF_A_NAME.items() if ending in endings)
    point = (".", r"|\.\d") if change.search[0].isdigit() else ("", "")  # of a number, with what stands behind it
    whole = rf"(?<![\w{also}{point[0]}]){re.escape(change.search)}(?![\w{also}]{point[1]})"
    found = [match.span() for match in re.finditer(whole, text)]
    return found if change.attributes else [span for span in found if not _is_attribute(text, span[0])]


def lines_around(text: str, spans: Sequence[Span]) -> Span:
    """Give the lines from the first to the last of some places, and as many above as make them the only ones."""
    start, end = text.rfind("\n", 0, spans[0][0]) + 1, _line_end(text, spans[-1][1])
    while start and text.find(text[start:end]) != start:
        start = text.rfind("\n", 0, start - 1) + 1
    while end < len(text) and text.find(text[start:end], start + 1) >= 0:
        end = _line_end(text, text.find("\n", end) + 1)
    return start, end


def _line_end(text: str, start: int) -> int:
    """Give where the line ends on which a place is, before the characters that end it."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end - (text[max(end - 1, start) : end] == "\r")


def replaced(text: str, spans: Sequence[Span], by: str) -> str:
    """Put a text in the place of some others."""
    kept, last = [], 0
    for start, end in spans:
        kept += [text[last:start], by]
        last = end
    return "".join([*kept, text[last:]])


def _is_attribute(text: str, start: int) -> bool:
    """Whether a name is one of something else: behind a dot, but not behind the dots of a range, an arrow or colons."""
    before = text[max(start - 3, 0) : start]
    return before.endswith(("->", "::")) or (before.endswith(".") and not before.endswith(".."))
