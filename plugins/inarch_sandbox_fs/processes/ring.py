"""The last of what a program wrote, by offsets that count from its first byte."""

from __future__ import annotations

from typing import NamedTuple

from attrs import define, field

KEPT = 1 << 20
"""Bytes kept of a program's output; older ones are dropped."""


class Cut(NamedTuple):
    """A piece of output: the offsets of its first byte and of the one behind its last, and its bytes."""

    start: int
    end: int
    data: bytes


@define(eq=False, repr=False)
class Ring:
    """Keeps the last bytes that were added."""

    kept: int = KEPT
    total: int = field(init=False, default=0)
    _data: bytearray = field(init=False, factory=bytearray)

    @property
    def first(self) -> int:
        """The offset of the first byte that is still there."""
        return max(self.total - self.kept, 0)

    def add(self, piece: bytes) -> None:
        """Take a piece of output."""
        self.total += len(piece)
        self._data += piece
        if len(self._data) > 2 * self.kept:
            del self._data[: -self.kept]  # seldom, so that a byte is moved once or twice, not each time

    def read(self, since: int, limit: int) -> Cut:
        """Return at most `limit` bytes from an offset on, or from the first that is still there."""
        start = min(max(since, self.first), self.total)
        at = len(self._data) - (self.total - start)
        data = bytes(self._data[at : at + limit])
        return Cut(start, start + len(data), data)
