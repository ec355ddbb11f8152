"""Tools of isolated plugins that may have child sessions: they run on the loop, their requests in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from attrs import define, field

from inarch import Cancelled, ChildTask, ChildTurn, InarchError, PluginError, ToolContext
from inarch_plugins.isolation.proxies import FarTool


class FarParent(FarTool):
    """Tool whose plugin may have children."""

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run it in the child process; children end with the call."""
        children = _Children(context, asyncio.get_running_loop())
        work = _in_thread(partial(self._run, arguments, context, children.run))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await children.end()
            await asyncio.wait([work])  # the kernel gives up on one that continues
            raise


def _in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    """Call a function in a thread of its own that no exit waits for: a pool's threads could all be waiting here."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())  # the waiting side may be gone

    def go() -> None:
        settle = partial(future.set_exception, PluginError("the thread of the tool ended"))
        try:
            settle = partial(future.set_result, function())
        except (InarchError, SystemExit) as error:
            settle = partial(future.set_exception, error)
        finally:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle)

    threading.Thread(target=go, name="inarch-isolated-parent", daemon=True).start()
    return future


@define(eq=False, repr=False)
class _Children:
    """Child sessions of one call."""

    context: ToolContext
    loop: asyncio.AbstractEventLoop
    tasks: set[asyncio.Task[ChildTurn]] = field(init=False, factory=set)

    def run(self, task: ChildTask) -> ChildTurn:
        """Run a child on the loop, and wait for it in this thread.

        Raises:
            InarchError: It cannot run, or the call is over.
        """
        done: Future[ChildTurn] = Future()
        self.loop.call_soon_threadsafe(self._begin, task, done)
        return done.result()

    def _begin(self, task: ChildTask, done: Future[ChildTurn]) -> None:
        one = self.loop.create_task(self.context.child(task))
        self.tasks.add(one)
        one.add_done_callback(partial(self._ended, done))

    def _ended(self, done: Future[ChildTurn], one: asyncio.Task[ChildTurn]) -> None:
        self.tasks.discard(one)
        if one.cancelled():
            done.set_exception(Cancelled("the call is over"))
        elif (error := one.exception()) is not None:
            done.set_exception(error)
        else:
            done.set_result(one.result())

    async def end(self) -> None:
        """Cancel running children, and wait until they have ended."""
        for one in (running := tuple(self.tasks)):
            one.cancel()
        if running:
            await asyncio.wait(running)
