"""Execution of one approved call: attempts, time limit, retries and the final form of the result."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.calls.attempt import (
    LONGEST_RESULT,
    Attempt,
    Outcome,
    failed,
    from_error,
    from_outcome,
    hide_secrets,
    runs_on_loop,
    within_limit,
)
from inarch.calls.context import CallContext, LiveOutput, Surroundings, open_context
from inarch.calls.policy import READING
from inarch.contract.capabilities import Checks, Triable, Trial, able
from inarch.contract.errors import Cancelled, InarchError, ToolFailed
from inarch.contract.events import ErrorHappened
from inarch.contract.guard import Door, blame, guarded
from inarch.contract.records import CallStatus, Effects, ToolCall, ToolError, ToolResult
from inarch.journal.pictures import without_bytes
from inarch_lib.schemas.validation import Schema

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.plugins.registration import Bound

RETRIED = frozenset({"execution", "timeout"})
"""Error codes after which a call without effects may be retried."""
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0


@define(eq=False, repr=False)
class Runner:
    """Runner of a session's calls; every call ends, whatever its tool does."""

    around: Surroundings
    output_limit: int | None = LONGEST_RESULT
    reviewed: Callable[[LiveCall], Awaitable[None]] | None = None
    _running: set[CallContext] = field(init=False, factory=set)
    _outputs: dict[str, Schema | None] = field(init=False, factory=dict)

    async def run(self, live: LiveCall, earlier: Callable[[], Sequence[ToolCall]]) -> None:
        """Run a call that is `executing` to its end.

        Raises:
            asyncio.CancelledError: The caller was cancelled; the call has ended as `cancelled`.
        """
        started = time.monotonic()
        tool = live.tool.value
        retries = 0
        while True:
            # Each attempt has its own context: an abandoned one keeps a revoked handle.
            context, output = self._open(live, earlier)
            attempt = Attempt(live.tool.plugin, tool.run, context)
            try:
                outcome = await self._attempt(live, attempt)
            except asyncio.CancelledError:
                self._close(context, output)
                # A tool that finished at that moment has had its effects, so its result counts.
                if attempt.outcome is not None:
                    result = self._result(live, attempt, attempt.outcome)
                else:
                    result = failed("cancelled", f"cancelled while it ran{self._abandonment(live, attempt)}")
                live.end(_status(result), self._finished(live, result, context, started, retries))
                raise
            result = self._result(live, attempt, outcome)
            if result.success and tool.category in ("file", "ui"):  # an index reads every file and shows none of them
                context.handle.publish_reads()
            self._close(context, output)
            # An abandoned attempt may still be running, and one with effects may have had them.
            again = result.error is not None and result.error.code in RETRIED and not attempt.abandoned
            if not again or live.has_effects or retries >= tool.max_retries:
                break
            await self._pause(live, retries, started)
            retries += 1
        live.end(_status(result), self._finished(live, result, context, started, retries))
        if self.reviewed is not None:
            await self.reviewed(live)

    def announces(self, live: LiveCall) -> bool:
        """Return whether a call only changes files and announces each change; then its files show what it did."""
        return self.around.keeper is not None and live.tool.value.category == "file" and not live.effects.exclusive

    async def refusal(self, live: LiveCall) -> ToolError | None:
        """Return why a call can only fail, according to its tool; None if it may succeed."""
        tool = able(live.tool.value, Checks)
        if tool is None:
            return None
        with self._opened(live, Effects(reads=live.effects.reads)) as context:
            return await asyncio.to_thread(self._refused, live, tool, context)

    async def ask(
        self, live: LiveCall, part: Bound[Any], method: Callable[..., Any], door: Door, effects: Effects | None
    ) -> Any:
        """Return a plugin's answer about a call and its tool; it runs like a tool, in its own time limit.

        Raises:
            InarchError: It failed or took too long.
            asyncio.CancelledError: The caller was cancelled; the plugin's code has been stopped or abandoned.
        """
        from inarch.contract.interventions import patience_of  # a profile without such plugins saves the import

        patience = patience_of(part.value)
        with self._opened(live, effects, part) as context:
            about = live.call, live.tool.value
            attempt = Attempt(part.plugin, lambda _, context: method(*about, context), context, door)
            outcome = await attempt.run({}, inspect.iscoroutinefunction(method), patience)
        if outcome is None:
            left = " and was abandoned" if attempt.abandoned else ""
            raise blame(part.plugin, door, f"did not answer within {patience:g} s{left}")
        if outcome.error is not None:
            if isinstance(outcome.error, InarchError):
                raise outcome.error
            raise blame(part.plugin, door, f"tried to end the process: {type(outcome.error).__name__}")
        return outcome.value

    async def tried(self, live: LiveCall, tool: Triable) -> Trial:
        """Return the dry run of a call that the user is asked about.

        Raises:
            InarchError: It can't be tried.
            asyncio.CancelledError: The caller was cancelled; the dry run is being stopped.
        """
        arguments = self.around.secrets.arguments(live.tool.value, live.call.arguments, live.effects)
        with self._opened(live) as context, guarded(live.tool.plugin, "tool", passes=(ToolFailed,)):
            try:
                return await asyncio.to_thread(tool.try_, arguments, context)
            finally:
                context.revoke()

    def _refused(self, live: LiveCall, tool: Checks, context: CallContext) -> ToolError | None:
        try:
            arguments = self.around.secrets.arguments(live.tool.value, live.call.arguments, live.effects)
            with guarded(live.tool.plugin, "tool", passes=(ToolFailed,)):
                tool.check(arguments, context)
        except ToolFailed as error:
            return from_error(error, live.tool.plugin, live.call.name).error
        except InarchError:
            return None  # if the check itself breaks, ignore it: the call will report what is wrong
        return None

    def revoke_all(self) -> None:
        """Revoke the handles of every running call."""
        for context in tuple(self._running):
            context.revoke()

    @contextmanager
    def _opened(
        self, live: LiveCall, effects: Effects | None = None, part: Bound[Any] | None = None
    ) -> Iterator[CallContext]:
        context, output = self._open(live, lambda: (), effects, part)
        try:
            yield context
        finally:
            self._close(context, output)

    def _open(
        self,
        live: LiveCall,
        earlier: Callable[[], Sequence[ToolCall]],
        effects: Effects | None = None,
        part: Bound[Any] | None = None,
    ) -> tuple[CallContext, LiveOutput]:
        # Asked about or granted as a call that may change anything; a read-only one passed without a question.
        anything = live.effects.exclusive and live.tool.value.category not in READING
        context, output = open_context(
            self.around,
            live.call,
            live.tool if part is None else part,
            earlier,
            effects=effects if effects is not None else None if anything else live.effects,
            hidden=live.hidden,
            rights=live.rights_now,
        )
        self._running.add(context)
        return context, output

    def _close(self, context: CallContext, output: LiveOutput) -> None:
        context.revoke(cancel=False)
        self._running.discard(context)
        output.flush()

    async def _attempt(self, live: LiveCall, attempt: Attempt) -> Outcome | None:
        tool = live.tool.value
        try:
            arguments = self.around.secrets.arguments(tool, live.call.arguments, live.effects)
        except ToolFailed as error:
            return Outcome(error=error)
        timeout = tool.timeout_s
        return await attempt.run(arguments, runs_on_loop(tool), timeout if timeout and timeout > 0 else None)

    def _result(self, live: LiveCall, attempt: Attempt, outcome: Outcome | None) -> ToolResult:
        tool = live.tool.value
        if outcome is None:
            left = self._abandonment(live, attempt)
            remedy = "ask for less at once, or give the tool a longer time limit"
            return failed("timeout", f"{tool.name} did not finish within {tool.timeout_s:g} s{left}", remedy)
        # The tool noticed the stop; any other `Cancelled` is its own invention, and a fault.
        if isinstance(outcome.error, Cancelled) and attempt.context.cancelled.is_set():
            return failed("cancelled", "cancelled while it ran")
        if tool.name not in self._outputs:
            self._outputs[tool.name] = None if tool.output_schema is None else Schema(tool.output_schema, "member")
        return from_outcome(outcome, live.tool.plugin, tool.name, self._outputs[tool.name])

    def _abandonment(self, live: LiveCall, attempt: Attempt) -> str:
        """Name a tool that did not stop, in the journal and in the returned part of the message."""
        if not attempt.abandoned:
            return ""
        what = f"tool {live.call.name!r} of plugin {live.tool.plugin!r} did not stop and was abandoned"
        remedy = 'only isolation = "process" can end it'
        self.around.journal.record(ErrorHappened(what, remedy, live.tool.plugin, "tool"), live.call.turn_id)
        return f"; {what}, it may still be running"

    async def _pause(self, live: LiveCall, retries: int, started: float) -> None:
        try:
            await asyncio.sleep(min(FIRST_PAUSE_S * 2**retries, LONGEST_PAUSE_S))
        except asyncio.CancelledError:
            result = failed("cancelled", "cancelled before it was tried again")
            live.end("cancelled", _with(result, started, retries))
            raise

    def _finished(
        self, live: LiveCall, result: ToolResult, context: CallContext, started: float, retries: int
    ) -> ToolResult:
        journal = self.around.journal
        result = _with(without_bytes(result, journal), started, retries)
        if context.handle.files:
            result = evolve(result, metadata={**result.metadata, "files": dict(context.handle.files)})
        elif live.tool.is_replaced:  # a program's own data may bypass the workspace and contains what it saw
            for path, known in (result.metadata.get("files") or {}).items():
                if known is None:
                    self.around.seen.pop(path, None)
                else:
                    self.around.seen[path] = known
        return within_limit(hide_secrets(result, journal.redactor), journal, self.output_limit)


def _with(result: ToolResult, started: float, retries: int) -> ToolResult:
    metadata = {**result.metadata, "duration_s": round(time.monotonic() - started, 6)}
    if retries:
        metadata["retries"] = retries
    return ToolResult(result.success, result.data, result.error, metadata)


def _status(result: ToolResult) -> CallStatus:
    if result.success:
        return "success"
    return "cancelled" if result.error is not None and result.error.code == "cancelled" else "error"
