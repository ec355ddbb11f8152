"""A turn, from prompt to answer: gather, decide, then ask and call until no calls are left."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from inarch.contract.errors import Cancelled, InarchError, PluginError, ProviderError
from inarch.contract.events import Note
from inarch.contract.guard import guarded
from inarch.contract.records import ToolCall, Turn
from inarch.turns.context.session_prefix import ask_fitting, tell_news
from inarch.turns.kernel_texts import SO_FAR, results_message, text_message
from inarch.turns.limits import AnswerRefused, LimitReached, Refused, Stopped
from inarch.turns.run import TurnRun
from inarch.turns.session_state import SessionState
from inarch.turns.turn_start import decide, gather, run_decided
from inarch_sdk.result_text import ANSWER

FINAL = frozenset({"max_cost_usd", "max_tokens", "max_reply_bytes"})
"""Limits after which nothing more is asked."""


async def run_turn(state: SessionState, prompt: str, before: Collection[str] = ()) -> Turn:
    """Run one turn and return the agent's part of it, in one of the terminal statuses.

    Args:
        state: The session.
        prompt: The prompt.
        before: Ids of what was said before it and may still wait: the prompt begins with that.

    Raises:
        asyncio.CancelledError: After the turn was recorded as cancelled.
        ConfigError: The profile's model isn't there; nothing was recorded.
        StoreError: The journal is required and could not be kept.
        Exception: Inarch itself failed; the turn was recorded as failed.
    """
    try:
        profile = state.config.profile
        for name in filter(None, (profile.model, profile.decision_model)):
            await state.parts.find_default(name)
    except asyncio.CancelledError:
        TurnRun.begin(state, prompt, before).end_cancelled()
        raise
    run = TurnRun.begin(state, prompt, before)
    try:
        turn = await _outcome(run)
        await _finish(run, turn)
    except (asyncio.CancelledError, Cancelled):
        run.end_cancelled()
        raise asyncio.CancelledError from None
    except Exception as error:
        run.end_broken(error)
        raise
    except BaseException:  # the process is told to end
        run.end_cancelled()
        raise
    return turn


async def _finish(run: TurnRun, turn: Turn) -> None:
    """Let tracers sum up, record the end and put everything on disk."""
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
        from inarch.turns.context.compaction import compact  # few turns leave anything out

        *before, last = state.history
        compact(state, [*before, last.dropped()], "turns")
    await state.journal.sync()


async def _outcome(run: TurnRun) -> Turn:
    try:
        try:
            return run.ended("done", await _answer(run))
        except LimitReached as limit:
            return run.ended("limited", await _answer_so_far(run, limit), limit=limit.name)
        except Stopped as stopped:
            run.stop(stopped)
            return run.ended("done", _checked(run, stopped.text, is_last=True) or "")
    except AnswerRefused as refused:
        return run.refused(refused)
    except Refused:
        return run.ended("cancelled", "")
    except (ProviderError, PluginError) as error:
        return run.failed(error)


async def _answer(run: TurnRun) -> str:
    """The loop: one iteration is a request and all the calls of its reply."""
    async with run.asker.time.working():
        await gather(run)
        decision = await decide(run)
        if decision.kind == "answer":
            run.messages.append(text_message(decision.text))
            return _checked(run, decision.text, is_last=True) or ""
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
                answer = _checked(run, reply.message.text, is_last=run.declined)
                if answer is None:
                    continue
                if run.declined or not run.state.parts.end_guards or not await _is_held(run, answer):
                    return answer
                continue
            done = await run.call(reply.calls, "model")
            run.messages.append(results_message(done, reply.calls))
            run.check_stopped()
            if answer := _answered(done):
                run.messages.append(text_message(answer))
                return answer
            tell_news(run, apart=True)


def _answered(calls: Sequence[ToolCall]) -> str:
    """Return the text with which a call ends the turn; empty where none does."""
    results = (call.result for call in calls if call.result is not None and call.result.success)
    return next((str(result.metadata[ANSWER]) for result in results if result.metadata.get(ANSWER)), "")


def _checked(run: TurnRun, answer: str, *, is_last: bool) -> str | None:
    if run.state.config.profile.output_schema is None:
        return answer
    from inarch.turns.turn_end import kept_answer

    return kept_answer(run, answer, is_last=is_last)


async def _is_held(run: TurnRun, answer: str) -> bool:
    from inarch.turns.turn_end import is_held  # most profiles have nobody who would

    return await is_held(run, answer)


async def _answer_so_far(run: TurnRun, limit: LimitReached) -> str:
    """Return what came of an answer that was cut, else ask once more without tools; say which limit was reached."""
    if limit.name in FINAL or (limit.name == "max_seconds" and run.asker.unfinished):
        return _kept(run, limit)
    run.close_calls()
    run.hear()
    seconds = run.asker.time.for_the_last()
    run.add("limits", SO_FAR.format(limit=limit.text), apart=True)
    try:
        async with asyncio.timeout(seconds):
            reply = await ask_fitting(run, "none")
    except (ProviderError, LimitReached) as error:
        return _kept(run, limit, f"{error}")
    except TimeoutError:
        return _kept(run, limit, f"{run.main.full_name} did not end one within {seconds:.2g} s")
    return _with_limit(run, reply.message.text, limit)


def _kept(run: TurnRun, limit: LimitReached, why: str = "") -> str:
    """Return the answer so far, which is what came of the last reply; where nothing did, why."""
    if run.asker.unfinished:
        return _with_limit(run, run.asker.unfinished, limit)
    return f"{limit.text} (and there is no answer so far: {why})" if why else limit.text


def _with_limit(run: TurnRun, text: str, limit: LimitReached) -> str:
    answer = f"{text}\n\n({limit.text})"
    run.messages.append(text_message(answer))
    return answer
