"""How long a call may take: processor time, so that a busy machine changes no answer."""

from __future__ import annotations

import time

PATIENCE = 3.0
"""Seconds on the clock for one of processor time, where the machine has other things to do, too."""


class Limit:
    """Processor time of this thread from now on, and a bound on the clock for waiting."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._spent = time.thread_time()
        self._start = time.monotonic()

    @property
    def left(self) -> float:
        """Seconds of processor time that are left, none once the clock says so."""
        used = max(time.thread_time() - self._spent, (time.monotonic() - self._start) / PATIENCE)
        return max(0.0, self._seconds - used)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0.0
