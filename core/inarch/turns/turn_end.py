"""The end of a turn: plugins may hold it back as often as the profile says, and an answer has to keep its schema."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from inarch.contract.errors import InarchError
from inarch.contract.guard import blame, guarded
from inarch.contract.other_events import TurnHeld
from inarch.contract.records import Message, Text
from inarch.turns.limits import AnswerRefused
from inarch_sdk.bounds import fault_of
from inarch_sdk.result_text import held_text
from inarch_sdk.short_data import shortened

if TYPE_CHECKING:
    from inarch.contract.interventions import EndGuard
    from inarch.plugins.composition import Bound
    from inarch.turns.run import TurnRun

MOST_ANSWERS = 3
"""How many answers of a turn may fail to keep the schema of its profile."""
OUTPUT_SCHEMA = "output_schema"


async def is_held(run: TurnRun, answer: str) -> bool:
    """Whether the turn has to go on: then its model is told why. A guard that fails is skipped, which is told."""
    for guard in run.state.parts.end_guards:
        if run.holds >= run.state.config.profile.max_holds:
            return False
        try:
            reason = await _reason(run, guard, answer)
        except InarchError as error:
            run.skipped(f"end guard {guard.value.name!r}", error)
            continue
        if reason:
            run.holds += 1
            _hold(run, guard.plugin, guard.value.name, reason)
            return True
    return False


def kept_answer(run: TurnRun, answer: str, *, is_last: bool = False) -> str | None:
    """Return the answer as its schema wants it, None where the model has to answer once more, and is told why.

    Args:
        run: The turn.
        answer: What was answered.
        is_last: Whether there will be no other.

    Raises:
        AnswerRefused: It doesn't keep the schema, and nothing more is tried.
    """
    from inarch_lib.schemas.answers import Unkept, read_answer

    try:
        return read_answer(answer, run.state.config.profile.output_schema or {})
    except Unkept as error:
        run.unkept += 1
        if is_last or run.unkept >= MOST_ANSWERS:
            times = f"; answered {run.unkept} times" if run.unkept > 1 else ""
            raise AnswerRefused(answer, f"{error}{times}") from None
        _hold(run, "", OUTPUT_SCHEMA, run.state.journal.redactor.text(str(error)))
    return None


def _hold(run: TurnRun, plugin: str, guard: str, reason: str) -> None:
    run.state.journal.record(TurnHeld(plugin, guard, reason), run.turn.id)
    run.messages.append(Message("user", (Text(held_text(plugin, reason)),)))


async def _reason(run: TurnRun, guard: Bound[EndGuard], answer: str) -> str:
    """Return why a guard holds the end back, empty where it doesn't.

    Raises:
        InarchError: It failed, or took too long.
    """
    from inarch.contract.interventions import MOST_TEXT, Ending, patience_of  # a profile without guards does without

    ending = Ending(run.situation(guard.plugin), answer, tuple(run.calls), run.holds)
    patience = patience_of(guard.value)
    late = asyncio.timeout(patience)
    try:
        async with late:
            with guarded(guard.plugin, "end guard", passes=()):
                reason: Any = await guard.value.hold(ending)
    except (InarchError, TimeoutError):
        if late.expired():
            raise blame(guard.plugin, "end guard", f"did not answer within {patience:g} s") from None
        raise
    if reason is None:
        return ""
    if not isinstance(reason, str) or fault_of(reason):
        raise blame(guard.plugin, "end guard", f"gave no reason in words but {reason!r:.200}")
    return str(shortened(run.state.journal.redactor.text(reason.strip()), "", MOST_TEXT))
