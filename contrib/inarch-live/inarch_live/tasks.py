"""What runs beside the turns of a conversation: nothing of it fails unseen, nothing outlives the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from attrs import define, field


@define(eq=False, repr=False)
class Tasks:
    """Tasks that nobody awaits.

    Args:
        failed: Told what a task failed of.
    """

    failed: Callable[[BaseException], object]
    _running: set[asyncio.Task[Any]] = field(init=False, factory=set)

    def start(self, doing: Coroutine[Any, Any, Any]) -> None:
        """Do something from now on."""
        task = asyncio.get_running_loop().create_task(doing)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def aclose(self) -> None:
        """Cancel what runs, and wait until it has ended."""
        running = [*self._running]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failed(error)
