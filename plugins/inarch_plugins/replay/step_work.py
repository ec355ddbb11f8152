"""Work of the running step. Any thread can cancel it, and it is abandoned if it stalls."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any

from attrs import define, field

from inarch import InarchError

STALL_S = 120.0
"""Seconds without an event after which a turn counts as stalled."""


@define(eq=False, repr=False)
class StepWork:
    """The running work, if any."""

    _task: asyncio.Task[Any] | None = field(init=False, default=None)
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _thread: int = field(init=False, factory=threading.get_ident)
    _last: float = field(init=False, default=0.0)

    def goes_on(self) -> None:
        """Record that the work progresses."""
        self._last = time.monotonic()

    def cancel(self) -> None:
        """Cancel the work."""
        task, loop = self._task, self._loop
        if task is None or loop is None:
            return
        if threading.get_ident() == self._thread:
            task.cancel()
        else:
            loop.call_soon_threadsafe(task.cancel)

    async def finish(self, work: Coroutine[Any, Any, Any]) -> str:
        """Wait until some work ends. Return the error, or an empty string if it ended or was cancelled."""
        self._loop = asyncio.get_running_loop()
        self._task = task = asyncio.ensure_future(work)
        self.goes_on()
        try:
            while not task.done():
                await asyncio.wait([task], timeout=STALL_S / 4)
                if not task.done() and time.monotonic() - self._last > STALL_S:
                    return " made no progress and was stopped"
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, InarchError):
                raise error
            return f" can't be run: {error}" if error is not None else ""
        finally:
            self._task = None
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
