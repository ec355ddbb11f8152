"""Opening of a turn: context sources add to the prompt, strategies decide, and their calls' results are presented."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

from inarch.contract.codec import to_data
from inarch.contract.errors import InarchError, ProviderError, ToolFailed
from inarch.contract.events import DecisionMade, Note
from inarch.contract.guard import guarded, pending
from inarch.contract.records import (
    CallPart,
    Contribution,
    Decision,
    DecisionKind,
    Image,
    Message,
    PlannedCall,
    ToolCall,
)
from inarch.turns.meter import LimitReached, Stopped
from inarch.turns.run import TurnRun, result_of
from inarch.turns.session_prefix import tell_news
from inarch_sdk.result_text import result_text

_KINDS = get_args(DecisionKind)
CLOSING = "The results above are already there. Answer from them; call tools only for what is still missing."
PASSING = (ProviderError, ToolFailed, LimitReached)
"""Errors that strategies and sources may pass on; a limit that their requests reach ends the turn."""


async def gather(run: TurnRun) -> None:
    """Report changes since the conversation began, then let each source add to the prompt. Skip one that fails."""
    schema = run.state.config.profile.output_schema
    if schema is not None:
        from inarch_lib.schemas.answers import asked_for  # few profiles have one

        run.add("output_schema", asked_for(schema))
    tell_news(run, apart=False)
    for source in run.state.parts.sources:
        try:
            with guarded(source.plugin, "source", PASSING):
                contribution = checked_contribution(
                    await pending(source.value.gather(run.situation(source.plugin)), "gather")
                )
            if contribution is not None:
                await _add(run, source.value.name, contribution)
                run.check_stopped()
        except InarchError as error:
            run.skipped(f"context source {source.value.name!r}", error)


async def decide(run: TurnRun) -> Decision:
    """Ask the strategies in order; the first decision holds. Without a decision, ask the model."""
    for strategy in run.state.strategies:
        try:
            with guarded(strategy.plugin, "strategy", PASSING):
                decision = checked_decision(
                    await pending(strategy.value.decide(run.situation(strategy.plugin)), "decide")
                )
        except InarchError as error:
            run.skipped(f"strategy {strategy.value.name!r}", error)
            continue
        if decision is not None:
            _record(run, decision)
            return decision
    return Decision("ask_model", strategy="none")


def checked_decision(value: object) -> Decision | None:
    """Return a strategy's answer, None if it has none.

    Raises:
        TypeError: It is not a valid `Decision`.
    """
    if value is None:
        return None
    if not isinstance(value, Decision):
        raise TypeError(f"decide returned {value!r:.60}, not an inarch.Decision or None")
    if value.kind not in _KINDS:
        raise TypeError(f"decide returned a decision {value.kind!r:.60}, which is none of {', '.join(_KINDS)}")
    if not isinstance(value.text, str):
        raise TypeError(f"decide returned a decision with {value.text!r:.60} as its text")
    _check_calls(value.calls, "decide")
    return value


def checked_contribution(value: object) -> Contribution | None:
    """Return a context source's answer.

    Raises:
        TypeError: It cannot be added.
    """
    if value is None:
        return None
    if not isinstance(value, Contribution) or not isinstance(value.text, str):
        raise TypeError(f"gather returned {value!r:.60}, not an inarch.Contribution of text and calls, or None")
    _check_calls(value.calls, "gather")
    if not all(isinstance(image, Image) and isinstance(image.data, bytes) for image in value.images):
        raise TypeError("gather returned pictures that are not an inarch.Image of bytes")
    if not all(isinstance(said, str) for said in (*value.notes, value.stop)):
        raise TypeError("gather returned notes, or a reason to stop, that are not text")
    return value


def _check_calls(calls: tuple[object, ...], method: str) -> None:
    wrong = next((call for call in calls if not isinstance(call, PlannedCall)), None)
    if wrong is not None:
        raise TypeError(f"{method} returned the call {wrong!r:.60}, which is not an inarch.PlannedCall")


async def run_decided(run: TurnRun, decision: Decision) -> None:
    """Run the calls of a decision and present their results as it says; an invalid call voids the decision."""
    done = await run.call(decision.calls, "strategy")
    # The model then decides as if there were no strategy.
    calls = tuple(call for call in done if not _is_invalid(call))
    if not calls:
        return
    if decision.present == "prompt":
        run.add(decision.strategy, _embedded(calls, CLOSING))
    else:
        run.messages += [_calls_message(calls), run.results_message(calls)]


def _is_invalid(call: ToolCall) -> bool:
    """Return whether nothing was done because the call makes no sense, so that the model need not see it."""
    error = call.result.error if call.result is not None else None
    return error is not None and error.code == "validation"


async def _add(run: TurnRun, source: str, contribution: Contribution) -> None:
    for note in contribution.notes:
        run.state.journal.record(Note(note, source), run.turn.id)
    if contribution.stop:
        # No model has seen the prompt yet, and none shall see it in a later turn.
        raise Stopped(source, run.state.journal.redactor.text(contribution.stop), erases=True)
    texts = [contribution.text] if contribution.text else []
    if contribution.calls:
        texts.append(_embedded(await run.call(contribution.calls, "mention")))
    if texts or contribution.images:
        run.add(source, "\n\n".join(texts), contribution.images)


def _record(run: TurnRun, decision: Decision) -> None:
    run.state.journal.record(
        DecisionMade(
            strategy=decision.strategy,
            decision=decision.kind,
            reason=decision.reason,
            confidence=decision.confidence,
            cached=decision.cached,
            calls=tuple(call.name for call in decision.calls),
            text=decision.text,
            present=decision.present,
        ),
        run.turn.id,
    )


def _calls_message(calls: Sequence[ToolCall]) -> Message:
    """Return the assistant message for a strategy's calls."""
    return Message("assistant", tuple(CallPart(call.id, call.provider_id, call.name, call.arguments) for call in calls))


def _embedded(calls: Sequence[ToolCall], closing: str = "") -> str:
    """Return calls and their results as text, for an enhanced prompt or for mentioned files."""
    blocks = [f"{call.name}({_arguments(call)}):\n{result_text(result_of(call))}" for call in calls]
    return "\n\n".join([*blocks, closing] if closing else blocks)


def _arguments(call: ToolCall) -> str:
    return ", ".join(f"{key}={json.dumps(to_data(value), ensure_ascii=False)}" for key, value in call.arguments.items())
