"""One attempt at running a tool, in a thread or on the loop.

A tool that does not stop within its grace period is abandoned.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field, frozen

from inarch.contract.capabilities import OfFunction, able
from inarch.contract.errors import InarchError, PluginError
from inarch.contract.guard import Door, guarded
from inarch.contract.ports import Tool

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from inarch.calls.context import CallContext
    from inarch.contract.records import ToolCall
    from inarch.plugins.composition import Bound


MOST = 64
"""Synchronous tools that may run at once; an abandoned one no longer counts."""


class Outcome(NamedTuple):
    """Value or error that foreign code ended with, so that no exception stays unobserved."""

    value: Any = None
    error: BaseException | None = None


def in_thread(function: Callable[[], Any]) -> asyncio.Future[Outcome]:
    """Run a function in a daemon thread, which does not delay the exit; the future belongs to the running loop.

    Pass a function that may raise an `InarchError`, `SystemExit` or `KeyboardInterrupt` through `guarded`.
    """
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    future: asyncio.Future[Outcome] = loop.create_future()

    def settle(outcome: Outcome) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        outcome = Outcome(error=PluginError("the thread of the tool ended"))
        try:
            outcome = Outcome(context.run(function))
        except (InarchError, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            outcome = Outcome(error=error)
        finally:
            with suppress(RuntimeError):  # the loop is closed: no task waits any more
                loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=work, name="inarch-tool", daemon=True).start()
    return future


GRACE_S = 1.0
"""Seconds that a stopped tool has before it is abandoned."""


def runs_on_loop(tool: Tool) -> bool:
    """Return whether calling the tool returns a coroutine; other tools are called in a thread."""
    made = able(tool, OfFunction)
    return inspect.iscoroutinefunction(tool.run) or (made is not None and inspect.iscoroutinefunction(made.function))


@frozen
class Asking:
    """Plugin object that an attempt runs like a tool; it receives the call and its tool instead of arguments."""

    method: Callable[[ToolCall, Tool, CallContext], Any]
    call: ToolCall
    tool: Tool

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        """Call the plugin object."""
        return self.method(self.call, self.tool, context)


@define(eq=False, repr=False)
class Attempt:
    """One attempt at running a tool.

    `abandoned` is set when the tool ignored the stop and may still be running. `outcome` is set when the tool finished
    at the moment the caller was cancelled.
    """

    bound: Bound[Tool] | Bound[Asking]
    context: CallContext
    door: Door = "tool"
    abandoned: bool = field(init=False, default=False)
    outcome: Outcome | None = field(init=False, default=None)
    _coroutine: Coroutine[Any, Any, Outcome] | None = field(init=False, default=None)

    async def run(self, arguments: Mapping[str, Any], on_loop: bool, limit_s: float | None) -> Outcome | None:
        """Return the tool's outcome, or None if its time limit stopped it.

        Raises:
            asyncio.CancelledError: The caller was cancelled; the tool has been stopped or abandoned.
        """
        if on_loop:
            outcome = await self._within(self._task(self._call(arguments)), limit_s)
        else:
            outcome = await self._within(in_thread(lambda: self._called(arguments)), limit_s)
            # A plain function may have returned a coroutine, which must run on the loop.
            if outcome is not None and outcome.error is None and inspect.isawaitable(outcome.value):
                outcome = await self._within(self._task(self._finish(outcome.value)), limit_s)
        return outcome

    def _called(self, arguments: Mapping[str, Any]) -> Any:
        with guarded(self.bound.plugin, self.door):
            return self.bound.value.run(arguments, self.context)

    async def _call(self, arguments: Mapping[str, Any]) -> Outcome:
        try:
            value = self._called(arguments)
        except (InarchError, SystemExit) as error:
            return Outcome(error=error)
        return await self._finish(value) if inspect.isawaitable(value) else Outcome(value)

    async def _finish(self, value: Awaitable[Any]) -> Outcome:
        task = asyncio.current_task()
        try:
            with guarded(self.bound.plugin, self.door):
                return Outcome(await value)
        except (InarchError, SystemExit) as error:
            return Outcome(error=error)
        except asyncio.CancelledError as error:
            if task is not None and task.cancelling():
                raise
            return Outcome(error=error)  # the tool raised it itself: the caller was not cancelled

    def _task(self, coroutine: Coroutine[Any, Any, Outcome]) -> asyncio.Task[Outcome]:
        self._coroutine = coroutine
        return asyncio.get_running_loop().create_task(coroutine)

    async def _within(self, work: asyncio.Future[Outcome], limit_s: float | None) -> Outcome | None:
        try:
            await asyncio.wait((work,), timeout=limit_s)
        except asyncio.CancelledError:
            if work.done() and not work.cancelled():
                self.outcome = work.result()
            else:
                await self._stop(work)
            raise
        if work.done():
            return work.result()
        if await self._stop(work):
            raise asyncio.CancelledError
        return None

    async def _stop(self, work: asyncio.Future[Outcome]) -> bool:
        """Stop the tool within the grace period; return whether the caller was cancelled meanwhile."""
        self.context.revoke()
        is_task = isinstance(work, asyncio.Task)
        if is_task:
            work.cancel()
        interrupted = await _ended(work, GRACE_S)
        if not work.done():
            self.abandoned = True
            work.add_done_callback(_look_at)
            if is_task and self._coroutine is not None:
                self._close(self._coroutine)
        elif is_task:
            _look_at(work)
        return interrupted

    def _close(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        # A coroutine that swallows every cancellation would keep the loop from ever closing.
        with suppress(InarchError), guarded(self.bound.plugin, "tool"):
            coroutine.close()


async def _ended(work: asyncio.Future[Outcome], seconds: float) -> bool:
    """Wait for the work, even if cancelled again, so that the wait stays bounded and no outcome is lost."""
    loop = asyncio.get_running_loop()
    end, interrupted = loop.time() + seconds, False
    while not work.done() and (left := end - loop.time()) > 0:
        try:
            await asyncio.wait((work,), timeout=left)
        except asyncio.CancelledError:
            interrupted = True
    return interrupted


def _look_at(work: asyncio.Future[Outcome]) -> None:
    """Retrieve an exception that no task awaits, so that the loop does not report it."""
    if not work.cancelled():
        work.exception()
