"""A turn, from prompt to answer: gather, decide, then ask and call until no calls are left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inarch.contract.errors import Cancelled, PluginError, ProviderError
from inarch.contract.records import Message, Text, Turn
from inarch.turns.context.fitting import ask_fitting
from inarch.turns.conversation import Conversation
from inarch.turns.limits import LimitReached
from inarch.turns.opening import decide, find_defaults, gather, run_decided
from inarch.turns.run import TurnRun
from inarch.turns.wording import SO_FAR, results_message, text_message

GRACE_SECONDS = 20.0
"""How long the last request may take after the turn's own time is up."""


async def run_turn(talk: Conversation, prompt: str) -> Turn:
    """Run one turn and return the agent's part of it, in one of the terminal statuses.

    Raises:
        asyncio.CancelledError: After the turn was recorded as cancelled.
        ConfigError: The profile's model isn't there; nothing was recorded.
        StoreError: The journal is required and could not be kept.
        Exception: Inarch itself failed; the turn was recorded as failed.
    """
    try:
        await find_defaults(talk)
    except asyncio.CancelledError:
        TurnRun.begin(talk, prompt).end_cancelled()
        raise
    run = TurnRun.begin(talk, prompt)
    try:
        turn = await _outcome(run)
        await run.finish(turn)
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


async def _outcome(run: TurnRun) -> Turn:
    try:
        try:
            return run.ended("done", await _answer(run))
        except LimitReached as limit:
            return run.ended("limited", await _answer_so_far(run, limit), limit=limit.name)
    except (ProviderError, PluginError) as error:
        return run.failed(error)


async def _answer(run: TurnRun) -> str:
    """The loop: one iteration is a request and all the calls of its reply."""
    async with _deadline(run):
        await gather(run)
        decision = await decide(run)
        if decision.kind == "answer":
            run.messages.append(text_message(decision.text))
            return decision.text
        if decision.calls:
            await run_decided(run, decision)
        while True:
            run.meter.next_iteration()
            reply = await ask_fitting(run)
            run.messages.append(reply.message)
            if not reply.calls:
                run.declined = reply.finish == "declined"
                return reply.message.text
            run.messages.append(results_message(await run.call(reply.calls, "model")))


async def _answer_so_far(run: TurnRun, limit: LimitReached) -> str:
    """Ask once more, without tools, and say which limit was reached; where money or tokens are out, don't ask."""
    if limit.name in ("max_cost_usd", "max_tokens"):
        return limit.text
    run.settle()
    run.messages.append(Message("user", (Text(SO_FAR.format(limit=limit.text)),)))
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            reply = await ask_fitting(run, "none")
    except (ProviderError, LimitReached) as error:
        return f"{limit.text} (and there is no answer so far: {error})"
    except TimeoutError:
        why = f"{run.main.full_name} did not end one within {GRACE_SECONDS:g} s"
        return f"{limit.text} (and there is no answer so far: {why})"
    answer = f"{reply.message.text}\n\n({limit.text})"
    run.messages.append(text_message(answer))
    return answer


@asynccontextmanager
async def _deadline(run: TurnRun) -> AsyncIterator[None]:
    """Turn the end of the turn's wall time into `LimitReached`, wherever the turn stands."""
    try:
        async with asyncio.timeout(run.meter.seconds_left()) as deadline:
            yield
    except TimeoutError:
        if not deadline.expired():
            raise
        raise run.meter.out_of_time() from None
