"""Virtual time for tests of what waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from heapq import heappop, heappush


class VirtualTime:
    """Time that passes at once: whoever sleeps is woken in order, and the clock jumps there."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        self._count += 1
        heappush(self._sleepers, (self.now + seconds, self._count, woken))
        await woken

    async def pass_until_done(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """Let time pass until all tasks are done; that nobody sleeps while one waits is a deadlock."""
        while True:
            for _ in range(4 * len(tasks) + 8):
                await asyncio.sleep(0)
            if all(task.done() for task in tasks):
                for task in tasks:
                    task.result()
                return
            while self._sleepers and self._sleepers[0][2].done():
                heappop(self._sleepers)
            assert self._sleepers, "somebody waits for ever"
            moment, _, woken = heappop(self._sleepers)
            self.now = max(self.now, moment)
            woken.set_result(None)
