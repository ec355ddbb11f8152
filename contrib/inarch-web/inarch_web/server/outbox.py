"""What waits for one page to read it: bounded, so that a page that reads nothing costs no more than that."""

from __future__ import annotations

import asyncio
from collections import deque

from attrs import define, field

MOST_WAITING = 16 << 20
"""Bytes that may wait for a page before it is dropped."""
COMFORTABLE = 1 << 20
"""Bytes up to which whoever has much to send goes on."""


@define(eq=False, repr=False)
class Outbox:
    """Messages in line for one page; all of it is used in the event loop's thread."""

    most: int = MOST_WAITING
    is_over: bool = field(init=False, default=False)
    _line: deque[str | bytes] = field(init=False, factory=deque)
    _size: int = field(init=False, default=0)
    _changed: asyncio.Event = field(init=False, factory=asyncio.Event)

    def put(self, message: str | bytes) -> bool:
        """Put a message in line; False where there is no room for it, and none is taken any more."""
        if self.is_over:
            return False
        if self._size + len(message) > self.most and self._line:
            return False
        self._line.append(message)
        self._size += len(message)
        self._changed.set()
        return True

    def end(self, last: str) -> None:
        """Drop what waits, but for a last message after which there are no more."""
        self._line.clear()
        self._line.append(last)
        self._size, self.is_over = 0, True
        self._changed.set()

    async def take(self) -> str | bytes | None:
        """Return the next message, None after the last one."""
        while not self._line:
            if self.is_over:
                return None
            self._changed.clear()
            await self._changed.wait()
        message = self._line.popleft()
        self._size = max(self._size - len(message), 0)
        self._changed.set()
        return message

    async def comfortable(self) -> None:
        """Return when there is little left in line."""
        while self._size > COMFORTABLE and not self.is_over:
            self._changed.clear()
            await self._changed.wait()
