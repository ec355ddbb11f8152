"""One attempt at running a tool: in a thread or on the loop, stopped in time, abandoned if it will not stop."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
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
"""Synchronous tools that run at once; an abandoned one no longer counts."""


class Outcome(NamedTuple):
    """What foreign code came to: a value, or the error it raised. Never an exception nobody looks at."""

    value: Any = None
    error: BaseException | None = None


@frozen(eq=False, repr=False)
class _Job:
    function: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Outcome]

    def run(self) -> None:
        outcome = Outcome(error=PluginError("the thread of the tool ended"))
        try:
            outcome = Outcome(self.function())
        except (InarchError, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            outcome = Outcome(error=error)
        finally:
            try:
                self.loop.call_soon_threadsafe(self._settle, outcome)
            except RuntimeError:
                pass  # the loop is closed: nobody waits any more

    def _settle(self, outcome: Outcome) -> None:
        if not self.future.done():
            self.future.set_result(outcome)


def in_thread(function: Callable[[], Any]) -> asyncio.Future[Outcome]:
    """Run a function in a daemon thread, which the exit does not wait for; the future belongs to the running loop.

    The function may raise `InarchError`s, `SystemExit` and `KeyboardInterrupt`: give it through `guarded`.
    """
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    job = _Job(lambda: context.run(function), loop, loop.create_future())
    threading.Thread(target=job.run, name="inarch-tool", daemon=True).start()
    return job.future


GRACE_S = 1.0
"""Seconds that a stopped tool has before it is abandoned."""


def runs_on_loop(tool: Tool) -> bool:
    """Whether calling the tool gives a coroutine; any other tool is called in a thread."""
    made = able(tool, OfFunction)
    return inspect.iscoroutinefunction(tool.run) or (made is not None and inspect.iscoroutinefunction(made.function))


@frozen
class Asking:
    """A plugin's part as what an attempt runs: the call and its tool are given to it instead of arguments."""

    method: Callable[[ToolCall, Tool, CallContext], Any]
    call: ToolCall
    tool: Tool

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        """Ask the part."""
        return self.method(self.call, self.tool, context)


@define(eq=False, repr=False)
class Attempt:
    """One attempt; `abandoned` is set when the tool ignored being stopped and may still be running.

    `outcome` is set when the tool was done at the very moment at which the caller was cancelled.
    """

    bound: Bound[Tool] | Bound[Asking]
    context: CallContext
    door: Door = "tool"
    abandoned: bool = field(init=False, default=False)
    outcome: Outcome | None = field(init=False, default=None)
    _coroutine: Coroutine[Any, Any, Outcome] | None = field(init=False, default=None)

    async def run(self, arguments: Mapping[str, Any], on_loop: bool, limit_s: float | None) -> Outcome | None:
        """Return what the tool came to, None if it was stopped by its time limit.

        Raises:
            asyncio.CancelledError: The caller was cancelled; the tool has been stopped or abandoned.
        """
        if on_loop:
            outcome = await self._within(self._task(self._call(arguments)), limit_s)
        else:
            outcome = await self._within(in_thread(lambda: self._called(arguments)), limit_s)
            # A plain function may have returned a coroutine: that one belongs on the loop.
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
            return Outcome(error=error)  # the tool's own doing: nobody cancelled it

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
        """Stop the tool, within the grace; return whether the caller was cancelled meanwhile."""
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
        try:
            with guarded(self.bound.plugin, "tool"):
                coroutine.close()
        except InarchError:
            pass  # it refused that too: it has been named already


async def _ended(work: asyncio.Future[Outcome], seconds: float) -> bool:
    """Wait for the work even if cancelled once more, so that the wait stays bounded and nothing is lost."""
    loop = asyncio.get_running_loop()
    end, interrupted = loop.time() + seconds, False
    while not work.done() and (left := end - loop.time()) > 0:
        try:
            await asyncio.wait((work,), timeout=left)
        except asyncio.CancelledError:
            interrupted = True
    return interrupted


def _look_at(work: asyncio.Future[Outcome]) -> None:
    """Take note of an exception that nobody waits for, so that the loop doesn't report it."""
    if not work.cancelled():
        work.exception()
