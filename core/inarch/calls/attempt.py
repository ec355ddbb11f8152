"""One attempt at running a tool, in a thread or on the loop, and its result as plain JSON data.

A tool that does not stop within its grace period is abandoned.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from attrs import define, evolve, field

from inarch.contract.capabilities import OfFunction, able
from inarch.contract.codec import to_data
from inarch.contract.errors import Cancelled, ErrorCode, InarchError, PluginError, StoreError, ToolFailed
from inarch.contract.guard import Door, guarded
from inarch.contract.ports import Tool
from inarch.contract.records import Image, ToolError, ToolResult
from inarch_lib.schemas.validation import BrokenSchema, Schema
from inarch_sdk.bounds import fault_of
from inarch_sdk.short_data import measured, shortened

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from inarch.calls.context import CallContext
    from inarch.journal.journal import Journal
    from inarch.journal.redactor import Redactor


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
        # For any exception that is not caught below: the future must be settled, or the call waits for ever.
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


@define(eq=False, repr=False)
class Attempt:
    """One attempt at running a tool, or another function of a plugin.

    `abandoned` is set when the tool ignored the stop and may still be running. `outcome` is set when the tool finished
    at the moment the caller was cancelled.
    """

    plugin: str
    function: Callable[[Mapping[str, Any], CallContext], Any]
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
        with guarded(self.plugin, self.door):
            return self.function(arguments, self.context)

    async def _call(self, arguments: Mapping[str, Any]) -> Outcome:
        try:
            value = self._called(arguments)
        except (InarchError, SystemExit) as error:
            return Outcome(error=error)
        return await self._finish(value) if inspect.isawaitable(value) else Outcome(value)

    async def _finish(self, value: Awaitable[Any]) -> Outcome:
        task = asyncio.current_task()
        try:
            with guarded(self.plugin, self.door):
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
        with suppress(InarchError), guarded(self.plugin, self.door):
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


LONGEST_RESULT = 60_000
"""Characters above which a result is stored as a blob and shown with head and tail only."""
_CODES = frozenset(get_args(ErrorCode))


def failed(code: ErrorCode, message: str, remedy: str = "") -> ToolResult:
    """Return the result of a call that failed."""
    return ToolResult(False, error=ToolError(code, message, remedy))


def broke_contract(plugin: str, tool: str, what: str) -> ToolResult:
    """Return the result of a call whose tool broke the contract."""
    return failed("execution", f"tool {tool!r} of plugin {plugin!r} {what}", "report it to the plugin's author")


def from_outcome(outcome: Outcome, plugin: str, tool: str, schema: Schema | None) -> ToolResult:
    """Return the result for an outcome; data that is not JSON or violates the schema is an error."""
    if outcome.error is not None:
        return from_error(outcome.error, plugin, tool)
    try:
        result = _plain(outcome.value)
        fault = fault_of([result.data, result.metadata])
    except (TypeError, ValueError, RecursionError) as error:
        fault = str(error)
    if fault:
        return broke_contract(plugin, tool, f"returned something that is not JSON data: {fault}")
    if schema is None or not result.success:
        return result
    try:
        faults = schema.faults(result.data)
    except BrokenSchema as error:
        return broke_contract(plugin, tool, f"has a broken output schema: {error}")
    if faults:
        return broke_contract(plugin, tool, f"returned data against its output schema: {'; '.join(faults)}")
    return result


def from_error(error: BaseException, plugin: str, tool: str) -> ToolResult:
    """Return the result of a call that raised."""
    if isinstance(error, ToolFailed):
        code: ErrorCode = error.code if error.code in _CODES else "execution"
        return failed(code, error.message, error.remedy)
    if isinstance(error, (Cancelled, asyncio.CancelledError)):
        return broke_contract(plugin, tool, "gave up as if it had been cancelled")
    if isinstance(error, InarchError):
        return failed("execution", error.message, error.remedy)
    return broke_contract(plugin, tool, f"tried to end the process: {type(error).__name__}: {error}")


def _plain(value: Any) -> ToolResult:
    if not isinstance(value, ToolResult):
        return ToolResult(True, to_data(value))
    metadata = to_data(value.metadata)
    if not isinstance(value.success, bool) or not isinstance(metadata, dict):
        raise TypeError("a ToolResult with a wrong success or metadata")
    error = value.error
    if value.success:
        # A success has no error, and a failure has one of Inarch's, whatever the tool set.
        error = None
    elif not isinstance(error, ToolError) or error.code not in _CODES:
        error = ToolError("execution", str(error) if error else "it failed without saying why")
    if not all(isinstance(image, Image) and isinstance(image.data, bytes) for image in value.images):
        raise TypeError("pictures that are not an inarch.Image of bytes")
    return ToolResult(value.success, to_data(value.data), error, metadata, tuple(value.images))


def hide_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return the result with placeholders for secrets; the same object if it has none."""
    whole = {"data": result.data, "metadata": result.metadata}
    error = result.error
    if error is not None:
        clean = ToolError(error.code, redactor.text(error.message), redactor.text(error.remedy))
        error = error if clean == error else clean
    hidden = redactor.redact(whole)
    if hidden is whole and error is result.error:
        return result
    return evolve(result, data=hidden["data"], error=error, metadata=hidden["metadata"])


def within_limit(result: ToolResult, journal: Journal, limit: int | None = LONGEST_RESULT) -> ToolResult:
    """Return the result with head and tail of its data if it is long; the whole is stored as a blob.

    `metadata` then has `truncated` and the blob's `output_ref`.
    """
    data = result.data
    if limit is None or data is None or isinstance(data, (bool, int, float)):
        return result
    if measured(data) <= limit:
        return result
    metadata = {**result.metadata, "truncated": True}
    try:
        ref = journal.store.put_blob(journal.session_id, _whole_text(data).encode("utf-8", "surrogatepass"))
        metadata["output_ref"] = ref
    except StoreError:
        ref = ""  # the head and the tail are still useful
    return evolve(result, data=shortened(data, ref, limit * 2 // 3), metadata=metadata)


def _whole_text(data: Any) -> str:
    """Return the text to store of a long result: its one long string if there is one, else its JSON."""
    if isinstance(data, str):
        return data
    if isinstance(data, Mapping):
        strings = [value for value in data.values() if isinstance(value, str)]
        longest = max(strings, key=len, default="")
        if len(longest) * 10 >= measured(data) * 8:
            return longest
    return json.dumps(data, ensure_ascii=False, indent=1)
