"""The countdown of a wait: the live line of a terminal, rewritten once a second until the wait is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import ceil

from attrs import define, field


@define(eq=False, repr=False)
class Countdown:
    """Shows how long a wait will last.

    Args:
        show: Shows the seconds that are left.
        over: Takes the line away when they have passed.
    """

    show: Callable[[int], None]
    over: Callable[[], None]
    _ends: float = field(init=False, default=0.0)
    _next: asyncio.TimerHandle | None = field(init=False, default=None)

    def start(self, seconds: float) -> None:
        """Count down from `seconds`, in place of a count that still runs; without an event loop it shows them once."""
        self.stop()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.show(ceil(seconds))
            return
        self._ends = loop.time() + seconds
        self._tick(loop)

    def stop(self) -> None:
        """Count no further; the line is left to who stops it."""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._next = None
        left = ceil(self._ends - loop.time())
        try:
            if left <= 0:
                self.over()
                return
            self.show(left)
        except (OSError, ValueError):  # the terminal is gone: the next event will find out
            return
        self._next = loop.call_at(self._ends - left + 1, self._tick, loop)
