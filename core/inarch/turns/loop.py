"""Loop of a turn, from prompt to answer: gather, decide, then ask and call until no calls are left.

Plugins may hold the end back as often as the profile allows, and an answer must match its schema.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, evolve, field

from inarch.contract.capabilities import BoundsHolds, able
from inarch.contract.errors import Cancelled, InarchError, PluginError, ProviderError
from inarch.contract.events import Note
from inarch.contract.guard import blame, guarded
from inarch.contract.records import Message, PlannedCall, Text, ToolCall, ToolResult, Turn, TurnStatus
from inarch.turns.meter import AnswerRefused, LimitReached, Refused, Stopped
from inarch.turns.run import TurnRun, result_of, text_message
from inarch.turns.session_prefix import ask_fitting, tell_news
from inarch.turns.session_state import SessionState
from inarch.turns.turn_start import decide, gather, run_decided
from inarch_sdk.bounds import fault_of
from inarch_sdk.result_text import ANSWER, held_text
from inarch_sdk.short_data import shortened

if TYPE_CHECKING:
    from inarch.contract.interventions import EndGuard
    from inarch.plugins.registration import Bound


SO_FAR = (
    "A limit was reached: {limit}. Without calling tools, answer now with what is known so far and say what is open."
)


FINAL = frozenset({"max_cost_usd", "max_tokens", "max_reply_bytes"})
"""Limits after which no more requests are sent."""


async def run_turn(state: SessionState, prompt: str, before: Collection[str] = ()) -> Turn:
    """Run one turn and return the agent's part of it, in one of the terminal statuses.

    The prompt begins with the earlier messages of `before` (their ids) that still wait.

    Raises:
        asyncio.CancelledError: After the turn was recorded as cancelled.
        ConfigError: The profile's model is not available; nothing was recorded.
        StoreError: The journal is required and could not be stored.
        Exception: Inarch itself failed; the turn was recorded as failed.
    """
    try:
        profile = state.config.profile
        # Before anything is recorded, so that the records name the model from the start.
        for name in filter(None, (profile.model, profile.decision_model)):
            await state.parts.find_default(name)
    except asyncio.CancelledError:
        TurnRun.begin(state, prompt, before).end_cancelled()
        raise
    run = TurnRun.begin(state, prompt, before)
    try:
        turn = await _outcome(run)
        await _finish(run, turn)
    # A plugin that raises `Cancelled` ends the turn like Ctrl-C.
    except (asyncio.CancelledError, Cancelled):
        run.end_cancelled()
        raise asyncio.CancelledError from None
    except Exception as error:
        run.end_broken(error)
        raise
    except BaseException:  # the process is asked to end
        run.end_cancelled()
        raise
    return turn


async def _finish(run: TurnRun, turn: Turn) -> None:
    """Let tracers summarise, record the end and flush everything to disk."""
    state = run.state
    for tracer in state.parts.tracers:
        try:
            with guarded(tracer.plugin, "tracer"):
                summary: object = tracer.value.summary(turn.id)
                if summary is not None and not isinstance(summary, str):
                    raise TypeError(f"summary returned {summary!r:.60}, not text or None")
        except InarchError as error:
            run.skipped(f"tracer {tracer.value.name!r}", error)
            continue
        if summary:
            state.journal.record(Note(summary, tracer.value.name), turn.id)
    run.end(turn)
    if run.erased:
        from inarch.turns.compaction import compact  # few turns leave anything out

        *before, last = state.history
        compact(state, [*before, last.dropped()], "turns")
    await state.journal.sync()


async def _outcome(run: TurnRun) -> Turn:
    try:
        try:
            guards = EndGuards(run)
            return guards.concluded(await _answer(run, guards))
        except LimitReached as limit:
            return run.ended("limited", await _answer_so_far(run, limit), limit=limit.name)
        except Stopped as stopped:
            run.stop(stopped)
            return run.ended("done", _conforming_answer(run, stopped.text, is_last=True) or "")
    except AnswerRefused as refused:
        return run.refused(refused)
    except Refused:
        return run.ended("cancelled", "")
    except (ProviderError, PluginError) as error:
        return run.failed(error)


async def _answer(run: TurnRun, guards: EndGuards) -> str:
    """Run the loop: one iteration is a request and all the calls of its reply."""
    async with run.asker.time.working():
        await gather(run)
        decision = await decide(run)
        if decision.kind == "answer":
            run.messages.append(text_message(decision.text))
            return _conforming_answer(run, decision.text, is_last=True) or ""
        if decision.calls:
            await run_decided(run, decision)
            run.check_stopped()
        while True:
            run.meter.next_iteration()
            run.hear()
            reply = await ask_fitting(run)
            run.messages.append(reply.message)
            if not reply.calls:
                run.declined = reply.finish == "declined"
                answer = _conforming_answer(run, reply.message.text, is_last=run.declined)
                if answer is None:
                    continue
                if run.declined or not await guards.are_holding(answer):
                    return answer
                continue
            done = await run.call(reply.calls, "model")
            run.messages.append(run.results_message(done, reply.calls))
            run.check_stopped()
            if answer := _answered(done):
                run.messages.append(text_message(answer))
                return answer
            # Apart, because the prompt was sent already: a changed one would break the service's cache.
            tell_news(run, apart=True)


def _answered(calls: Sequence[ToolCall]) -> str:
    """Return the text with which a call ends the turn; "" if none does."""
    results = (call.result for call in calls if call.result is not None and call.result.success)
    return next((str(result.metadata[ANSWER]) for result in results if result.metadata.get(ANSWER)), "")


async def _answer_so_far(run: TurnRun, limit: LimitReached) -> str:
    """Return a partial answer, or ask once more without tools; say which limit was reached."""
    # No more requests are allowed, or an answer was arriving when the time was up.
    if limit.name in FINAL or (limit.name == "max_seconds" and run.asker.unfinished):
        return _partial_answer(run, limit)
    run.close_calls()
    run.hear()
    seconds = run.asker.time.for_the_last()
    run.add("limits", SO_FAR.format(limit=limit.text), apart=True)
    try:
        async with asyncio.timeout(seconds):
            reply = await ask_fitting(run, "none")
    except (ProviderError, LimitReached) as error:
        return _partial_answer(run, limit, f"{error}")
    except TimeoutError:
        return _partial_answer(run, limit, f"{run.main.full_name} did not end one within {seconds:.2g} s")
    return _with_limit(run, reply.message.text, limit)


def _partial_answer(run: TurnRun, limit: LimitReached, why: str = "") -> str:
    """Return the answer so far, which is the text of the last reply, or say why there is none."""
    if run.asker.unfinished:
        return _with_limit(run, run.asker.unfinished, limit)
    return f"{limit.text} (and there is no answer yet: {why})" if why else limit.text


def _with_limit(run: TurnRun, text: str, limit: LimitReached) -> str:
    answer = f"{text}\n\n({limit.text})"
    run.messages.append(text_message(answer))
    return answer


MOST_ANSWERS = 3
"""Maximum answers of a turn that may fail to match its profile's schema."""
OUTPUT_SCHEMA = "output_schema"


def _conforming_answer(run: TurnRun, answer: str, *, is_last: bool = False) -> str | None:
    """Return the answer in the form of the profile's schema; None if the model was asked to answer again.

    Raises:
        AnswerRefused: It does not match the schema, and there are no more attempts.
    """
    schema = run.state.config.profile.output_schema
    if schema is None:
        return answer
    from inarch_lib.schemas.answers import Unkept, read_answer

    try:
        return read_answer(answer, schema)
    except Unkept as error:
        run.unkept += 1
        if is_last or run.unkept >= MOST_ANSWERS:
            times = f"; answered {run.unkept} times" if run.unkept > 1 else ""
            raise AnswerRefused(answer, f"{error}{times}") from None
        hold(run, "", OUTPUT_SCHEMA, run.state.journal.redactor.text(str(error)))
    return None


@define(eq=False, repr=False)
class EndGuards:
    """What the end guards have done in a turn: their vetoes, and the end that one of them chose."""

    run: TurnRun
    holds: int = 0
    own_holds: Counter[str] = field(factory=Counter)
    conclusion: tuple[TurnStatus, str, str] = ("done", "", "")

    async def are_holding(self, answer: str) -> bool:
        """Return whether the turn must continue; if so, tell its model why. Skip a guard that fails, with a note."""
        for guard in self.run.state.parts.end_guards:
            name, own = guard.value.name, able(guard.value, BoundsHolds)
            used, most = self.holds - self.own_holds.total(), self.run.state.config.profile.max_holds
            if own is not None and isinstance(own.most_holds, int):
                used, most = self.own_holds[name], own.most_holds
            if used >= most:
                continue
            try:
                reason = await self._reason(guard, answer)
            except InarchError as error:
                self.run.skipped(f"end guard {name!r}", error)
                continue
            self.run.check_stopped()
            if self.conclusion[0] != "done":
                return False
            if reason:
                self.holds += 1
                if own is not None:
                    self.own_holds[name] += 1
                    self.run.meter.iterations = 0  # its round has `max_iterations` again, as docs/how-to/goals.md says
                hold(self.run, guard.plugin, name, reason)
                return True
        return False

    def concluded(self, answer: str) -> Turn:
        """Return the turn's final record: `done`, or as an end guard concluded."""
        status, guard, reason = self.conclusion
        error, limit = reason if status == "failed" else None, guard if status != "done" else None
        turn = self.run.ended(status, answer, error=error, limit=limit)
        # The guard has judged the work, so exit code 4 for calls that changed nothing would contradict it.
        return evolve(turn, unmet=False) if guard else turn

    def _conclude(self, guard: str, status: Literal["done", "limited", "failed"], reason: str) -> None:
        self.conclusion = (status, guard, self.run.state.journal.redactor.text(reason))

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a call that the model does not see and return its result."""
        with suppress(Refused):
            await self.run.call([PlannedCall(tool, arguments)], "guard")
        return result_of(self.run.calls[-1])

    async def _reason(self, guard: Bound[EndGuard], answer: str) -> str:
        """Return why a guard holds the end back, "" if it does not.

        Raises:
            InarchError: It failed, or timed out.
        """
        from inarch.contract.interventions import LONGEST_HOLD_S, MOST_TEXT, Ending, patience_of

        conclude = partial(self._conclude, guard.value.name)
        situation = self.run.situation(guard.plugin)
        ending = Ending(situation, answer, tuple(self.run.calls), self.holds, self._call, conclude)
        patience = patience_of(guard.value, LONGEST_HOLD_S)
        late = asyncio.timeout(patience)
        try:
            async with late:
                with guarded(guard.plugin, "end guard", passes=(LimitReached,)):
                    reason: Any = await guard.value.hold(ending)
        except (InarchError, TimeoutError):
            if late.expired():
                raise blame(guard.plugin, "end guard", f"did not answer within {patience:g} s") from None
            raise
        if reason is None:
            return ""
        if not isinstance(reason, str) or fault_of(reason):
            raise blame(guard.plugin, "end guard", f"did not return a reason as text but {reason!r:.200}")
        return str(shortened(self.run.state.journal.redactor.text(reason.strip()), "", MOST_TEXT))


def hold(run: TurnRun, plugin: str, guard: str, reason: str) -> None:
    """Record why a turn goes on, and tell its model."""
    from inarch.contract.other_events import TurnHeld

    run.state.journal.record(TurnHeld(plugin, guard, reason), run.turn.id)
    run.messages.append(Message("user", (Text(held_text(plugin, reason)),)))
