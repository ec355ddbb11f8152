"""The wall time of a turn: work ends early enough for a last request, and an answer that is being given goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attrs import define, field

from inarch.turns.budget.meter import Meter

LAST_SECONDS = 20.0
"""How long the last request may take."""
LAST_SHARE = 0.2
"""How much of a short turn's time is kept for it at most."""


def work_seconds(left: float) -> float:
    """Return how many of the seconds that a turn has left are for its work."""
    return left - min(LAST_SECONDS, LAST_SHARE * left)


def child_seconds(above: Meter) -> float | None:
    """Return how long a turn of a child may take: it ends by itself before the work of the turn above it has to."""
    left, whole = above.seconds_left(), above.limits.max_seconds
    return None if left is None or whole is None else work_seconds(max(0.0, left - whole + work_seconds(whole)))


@define(eq=False, repr=False)
class TurnTime:
    """Ends a turn's work some time before the turn itself ends; text that comes just then has until that end."""

    meter: Meter
    _work: asyncio.Timeout | None = field(init=False, default=None)
    _work_ends: float = field(init=False, default=0.0)
    _all_ends: float = field(init=False, default=0.0)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Let the turn work.

        Raises:
            LimitReached: The time for it is over, wherever the turn stands.
        """
        left = self.meter.seconds_left()
        if left is None:
            yield
            return
        self._all_ends = asyncio.get_running_loop().time() + left
        self._work_ends = self._all_ends - left + work_seconds(left)
        try:
            async with asyncio.timeout_at(self._work_ends) as self._work:
                yield
        except TimeoutError:
            if self._work is None or not self._work.expired():
                raise
            raise self.meter.out_of_time() from None
        finally:
            self._work = None

    def answering(self, is_so: bool) -> None:
        """Take note that an answer comes, or has ended."""
        if self._work is not None and not self._work.expired():
            self._work.reschedule(self._all_ends if is_so else self._work_ends)

    def for_the_last(self) -> float:
        """Return how many seconds the last request may take."""
        left = self.meter.seconds_left()
        return LAST_SECONDS if left is None else min(LAST_SECONDS, left)
