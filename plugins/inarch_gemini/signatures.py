"""Signatures of text: the service signs pieces of what it says, and each goes back with the very piece it came with.

A reply's text is kept joined. Which pieces were signed is kept beside it as `[start, end, signature]`, so that the same
parts can be made again; an empty piece (`start == end`) is a part that carried nothing but its signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Piece = tuple[int, int, str]


def signed_parts(text: str, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text with their signatures; an unsigned piece has an empty one.

    A text that is not as long as it was, because something in it was hidden, stays whole and gets the last signature.
    """
    pieces = _pieces(data)
    if data.get("length") != len(text) or any(start > end or end > len(text) for start, end, _ in pieces):
        yield text, pieces[-1][2] if pieces else ""
        return
    place = 0
    for start, end, signature in pieces:
        if start > place:
            yield text[place:start], ""
        yield text[start:end], signature
        place = end
    if place < len(text):
        yield text[place:], ""


def _pieces(data: Mapping[str, Any]) -> list[Piece]:
    """Return the signed pieces that opaque data describes, as far as it does."""
    found: list[Piece] = []
    given = data.get("signed")
    for item in given if isinstance(given, (list, tuple)) else ():
        match item:
            case [int(start), int(end), str(signature)] if start >= (found[-1][1] if found else 0):
                found.append((start, end, signature))
    return found
