"""The clock of a replay: recorded ids and times, as far as they are known in advance."""

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

    The calls of a reply get their ids in the task that reads it, so that concurrent replies do not mix. All other ids
    are used in recorded order.

    Args:
        clock: Returns the recorded time at the present point.
    """

    clock: Callable[[], str]
    _coming: deque[str] = field(init=False, factory=deque)

    def expect(self, ids: Iterable[str]) -> None:
        """Replace the ids to be used next."""
        self._coming = deque(ids)

    def expect_in_reply(self, ids: Iterable[str]) -> None:
        """Set the ids for the calls of the reply that this task will read."""
        _of_reply.set(deque(ids))

    def new_id(self) -> str:
        """Return the next recorded id, or a new one if there is none."""
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
        """Return the real monotonic time: nothing is paced."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return without waiting, but let other tasks run."""
        await asyncio.sleep(0)
