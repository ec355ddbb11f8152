"""How many columns of a terminal a text takes, and as much of it as fits."""

from __future__ import annotations

from functools import lru_cache


def width(text: str) -> int:
    """Return how many columns escaped `text` without line ends takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


@lru_cache(4096)
def _columns(char: str) -> int:
    from unicodedata import combining, east_asian_width

    if combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def shorten(text: str, columns: int) -> str:
    """Return `text` cut to `columns` columns, with an ellipsis where something was cut."""
    if columns <= 0:
        return ""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"
