"""Shapes of a known value on its way through programs, and the search for all of them at once."""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from urllib.parse import quote, quote_plus
from weakref import WeakSet

from attrs import field, frozen

from inarch_lib.secrets.dotenv import decoded
from inarch_lib.secrets.pattern import Match

_ESCAPE = re.compile("%[0-9A-F]{2}")
_IN_USE: WeakSet[Known] = WeakSet()


@frozen(eq=False, repr=False, slots=False)
class Known:
    """Shapes of some secrets with their placeholders; never changed, but replaced by a new object."""

    shapes: Mapping[str, str] = field(factory=dict)
    needles: tuple[str, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        if self.shapes:
            _IN_USE.add(self)

    @needles.default
    def _needles_of_encoded_lines(self) -> tuple[str, ...]:
        # Texts to look for in an encoded event; ASCII-only lines escape more.
        return tuple({json.dumps(shape, ensure_ascii=ascii)[1:-1] for shape in self.shapes for ascii in (False, True)})

    def in_line(self, line: str) -> bool:
        """Return whether an encoded line contains a shape: plain substring searches, for every event."""
        for needle in self.needles:  # noqa: SIM110 - any() over a generator costs as much as the searches
            if needle in line:
                return True
        return False

    def occurring(self, text: str) -> list[str]:
        """Return the shapes that occur in plain text."""
        return [shape for shape in self.shapes if shape in text] if self.shapes else []

    def find(self, occurring: Iterable[str], text: str, start: int, stop: int) -> Iterator[Match]:
        """Yield the matches of these shapes, also nested and overlapping ones."""
        for shape in occurring:
            for begin, end in _runs(shape, text, start, stop):
                placeholder = self.shapes[shape] if end - begin == len(shape) else ""
                yield Match(begin, end, begin, end, "", placeholder)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.shapes)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.shapes), default=0)

    def begun(self, text: str, start: int) -> int:
        """Return where an incomplete shape starts at the end of the text, by default the text's length."""
        for place in range(max(start, len(text) - self._longest + 1), len(text)):
            tail = text[place:]
            found = bisect_left(self._sorted, tail)
            # A complete shape may be the beginning of a longer one.
            for shape in self._sorted[found : found + 2]:
                if len(shape) > len(tail) and shape.startswith(tail):
                    return place
        return len(text)


def holds_known_secret(data: bytes) -> bool:
    """Return whether a file's bytes contain a value known as a secret in this process."""
    known = tuple(_IN_USE)
    text = decoded(data) if known else ""
    return any(one.occurring(text) for one in known)


def _runs(shape: str, text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the matches of a shape; overlapping ones as one, from the first to the last."""
    length, backwards = len(shape), shape[::-1]
    begin = text.find(shape, start, stop)
    while begin >= 0:
        end = begin + length
        # To the last one that begins within the one before: two steps pass its length, however often it occurs there.
        while (back := text[end - length + 1 : min(end + length - 1, stop)][::-1].find(backwards)) >= 0:
            end = min(end + length - 1, stop) - back
        yield begin, end
        begin = text.find(shape, end, stop)


def shapes_of(value: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of a tag and the value's form in JSON, URLs and base64 text; the tag of the value itself is empty."""
    raw = _raw(value)
    yield "", value
    yield "json", json.dumps(value, ensure_ascii=False)[1:-1]
    yield "json-ascii", json.dumps(value)[1:-1]
    for tag, shape in (
        ("url", quote(raw, safe="")),
        ("url-path", quote(raw)),
        ("url-plus", quote_plus(raw)),
    ):
        yield tag, shape
        yield f"{tag}-lower", _ESCAPE.sub(lambda match: match[0].lower(), shape)
    for shift in range(3):
        # Only the characters that depend on nothing but the secret: six bits each, from its first whole one on.
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        plain = base64.b64encode(bytes(shift) + raw).decode("ascii")[first:last]
        yield f"base64-{shift}", plain
        yield f"base64-{shift}-url", plain.replace("+", "-").replace("/", "_")


def _raw(value: str) -> bytes:
    try:
        return value.encode("utf-8", "surrogateescape")  # POSIX environments represent bytes that aren't UTF-8 this way
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
