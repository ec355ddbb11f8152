"""The clock of a replay: ids and times are those of the record, as far as they are known beforehand."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextvars import ContextVar

from attrs import define, field

from inarch import new_id

_of_reply: ContextVar[deque[str] | None] = ContextVar("inarch_replayed_reply", default=None)


@define(eq=False, repr=False)
class RecordedClock:
    """The source of ids and times.

    The calls of a reply get their ids in the task that reads it, so that replies beside each other don't mix; all
    others are taken in the order in which they were made.

    Args:
        clock: Says what the time was at this point of the record.
    """

    clock: Callable[[], str]
    _coming: deque[str] = field(init=False, factory=deque)

    def expect(self, ids: Iterable[str]) -> None:
        """Say which ids are made next, instead of those that were expected so far."""
        self._coming = deque(ids)

    def expect_in_reply(self, ids: Iterable[str]) -> None:
        """Say which ids the calls of the reply get that this task is about to read."""
        _of_reply.set(deque(ids))

    def new_id(self) -> str:
        """Return the next recorded id; one that the record doesn't have is a new one."""
        reply = _of_reply.get()
        if reply:
            return reply.popleft()
        try:
            return self._coming.popleft()
        except IndexError:
            return new_id()

    def utc_now(self) -> str:
        """Return the recorded time."""
        return self.clock()

    def monotonic(self) -> float:
        """Return the machine's own seconds: nothing is paced."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for nothing: others go on."""
        await asyncio.sleep(0)
