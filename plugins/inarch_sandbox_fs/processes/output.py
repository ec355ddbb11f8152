"""What a program writes: the first and the last of it are kept."""

from __future__ import annotations

from collections import deque

from attrs import define, field

KEPT = 8 << 20
"""Bytes kept of the beginning of an output, and as many of its end."""
MOST_OUTPUT = 256 << 20
"""Bytes of output after which a command is killed."""


@define(eq=False, repr=False)
class Captured:
    """The output of one descriptor; a program that writes more than `most` bytes is killed."""

    kept: int = KEPT
    most: int | None = MOST_OUTPUT
    total: int = 0
    _head: bytearray = field(factory=bytearray)
    _tail: deque[bytes] = field(factory=deque)
    _in_tail: int = 0

    def add(self, piece: bytes) -> None:
        """Take a piece of output."""
        self.total += len(piece)
        room = self.kept - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if piece:
            self._tail.append(piece)
            self._in_tail += len(piece)
            while self._in_tail - len(self._tail[0]) >= self.kept:
                self._in_tail -= len(self._tail.popleft())

    @property
    def is_too_much(self) -> bool:
        """Whether it is more than a program may write."""
        return self.most is not None and self.total > self.most

    @property
    def dropped(self) -> int:
        """Bytes of the middle that are not kept."""
        return max(self.total - 2 * self.kept, 0)

    def value(self) -> bytes:
        """Return what was kept, with a line in place of what was not."""
        tail = b"".join(self._tail)
        if not self.dropped:
            return bytes(self._head) + tail
        return bytes(self._head) + f"\n[{self.dropped} bytes left out]\n".encode() + tail[-self.kept :]
