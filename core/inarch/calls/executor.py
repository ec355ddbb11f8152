"""Running a batch: what is ready starts together, what waits starts when all it waits for have ended."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from inarch.calls.attempt import MOST
from inarch.contract.records import ToolCall, ToolError

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.calls.runner import Runner
    from inarch.journal.journal import Journal


@define(eq=False, repr=False)
class Executor:
    """One batch on its way; `calls` are scheduled ones, `batch` all of the reply's."""

    calls: Sequence[LiveCall]
    batch: Sequence[LiveCall]
    runner: Runner
    journal: Journal
    before: Sequence[ToolCall] = ()
    _ready: deque[LiveCall] = field(init=False, factory=deque)
    _waits_for: dict[str, int] = field(init=False, factory=dict)
    _followers: dict[str, list[LiveCall]] = field(init=False, factory=dict)
    _running: dict[asyncio.Task[None], LiveCall] = field(init=False, factory=dict)

    async def run(self) -> None:
        """Return when every call has ended.

        Raises:
            asyncio.CancelledError: The caller was cancelled; running calls have been stopped, others not started.
        """
        for live in self.calls:
            self._waits_for[live.call.id] = len(live.call.after)
            for waited in live.call.after:
                self._followers.setdefault(waited, []).append(live)
            if not live.call.after:
                self._ready.append(live)
        try:
            while self._ready or self._running:
                await self._start_ready()
                await self._take_ended()
        finally:
            await self._stop_running()

    def earlier(self) -> Sequence[ToolCall]:
        """Return the turn's finished calls, oldest first."""
        return (*self.before, *(live.call for live in self.batch if live.is_done))

    async def _start_ready(self) -> None:
        """Start what is ready, as far as there is room; its `executing` is in the journal before anything runs."""
        room = min(MOST - len(self._running), len(self._ready))
        starting = [live for live in (self._ready.popleft() for _ in range(room)) if self._may_start(live)]
        if not starting:
            return
        for live in starting:
            live.go("executing", self.runner.announces(live))
        if any(live.has_effects for live in starting):
            await self.journal.sync()
        else:
            self.journal.flush()
        if len(starting) == 1 and not self._running and not self._ready:
            # Nothing else could run beside it: no task for it.
            await self.runner.run(starting[0], self.earlier)
            self._release(starting[0])
            return
        for live in starting:
            self._running[asyncio.get_running_loop().create_task(self.runner.run(live, self.earlier))] = live

    def _may_start(self, live: LiveCall) -> bool:
        if live.is_still_approved():
            return True
        live.fail(ToolError("denied", f"the arguments of {live.call.name} are not those that were approved"))
        self._release(live)
        return False

    async def _take_ended(self) -> None:
        if not self._running or (self._ready and len(self._running) < MOST):
            return
        done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        for task in [one for one in self._running if one in done]:
            live = self._running.pop(task)
            task.result()  # a fault of the kernel, or a journal that can't be written, ends the batch
            self._release(live)

    def _release(self, live: LiveCall) -> None:
        for follower in self._followers.pop(live.call.id, ()):
            self._waits_for[follower.call.id] -= 1
            if not self._waits_for[follower.call.id]:
                self._ready.append(follower)

    async def _stop_running(self) -> None:
        interrupted = False
        for task in self._running:
            task.cancel()
        while not all(task.done() for task in self._running):
            try:
                await asyncio.wait(self._running)
            except asyncio.CancelledError:
                interrupted = True
        for task in self._running:
            if not task.cancelled():
                task.exception()
        if interrupted:
            raise asyncio.CancelledError
