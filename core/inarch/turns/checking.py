"""What strategies, context sources and tracers gave back, checked before the turn relies on it."""

from __future__ import annotations

from collections.abc import Awaitable
from inspect import isawaitable
from typing import TypeVar, get_args

from inarch.contract.compaction import Compacted, Crowded, EarlierTurn
from inarch.contract.records import (
    CallPart,
    Contribution,
    Decision,
    DecisionKind,
    Image,
    Message,
    PlannedCall,
    ResultPart,
)

T = TypeVar("T")
_KINDS = get_args(DecisionKind)


def pending(given: Awaitable[T], method: str) -> Awaitable[T]:
    """Return what an `async def` method gave, to be awaited.

    Raises:
        TypeError: The method is a plain function.
    """
    if not isawaitable(given):
        raise TypeError(f"{method} must be an `async def`")
    return given


def checked_decision(value: object) -> Decision | None:
    """Return a strategy's answer.

    Raises:
        TypeError: It is none that can be carried out.
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
        TypeError: It is none that can be added.
    """
    if value is None:
        return None
    if not isinstance(value, Contribution) or not isinstance(value.text, str):
        raise TypeError(f"gather returned {value!r:.60}, not an inarch.Contribution of text and calls, or None")
    _check_calls(value.calls, "gather")
    if not all(isinstance(image, Image) and isinstance(image.data, bytes) for image in value.images):
        raise TypeError("gather returned pictures that are no inarch.Image of bytes")
    if not all(isinstance(said, str) for said in (*value.notes, value.stop)):
        raise TypeError("gather returned notes, or a reason to stop, that are no texts")
    return value


def checked_summary(value: object) -> str | None:
    """Return a tracer's line about a turn.

    Raises:
        TypeError: It is neither text nor None.
    """
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"summary returned {value!r:.60}, not text or None")


def checked_compacted(value: object, crowded: Crowded) -> Compacted | None:
    """Return a compaction's answer.

    Raises:
        TypeError: It isn't the conversation that it was given: another one could neither be sent nor resumed.
    """
    if value is None:
        return None
    if not isinstance(value, Compacted):
        raise TypeError(f"compact returned {value!r:.60}, not an inarch.Compacted or None")
    if len(value.earlier) != len(crowded.earlier) or not all(map(_is_form_of, value.earlier, crowded.earlier)):
        raise TypeError("compact returned other earlier turns than it was given, in other forms than there are")
    if not value.running or value.running[0].parts[:1] != crowded.running[0].parts[:1]:
        raise TypeError("compact returned a turn that doesn't begin with its prompt")
    if not _is_answered(value.running):
        raise TypeError("compact returned calls without their results, or results without their calls")
    return value


def _is_form_of(now: EarlierTurn, was: EarlierTurn) -> bool:
    forms = (was, was.short(), was.dropped(), was.summary(now.messages[0].text if now.messages else ""))
    return now in forms


def _is_answered(messages: tuple[Message, ...]) -> bool:
    waiting: list[str] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, CallPart):
            waiting.append(part.id)
        elif isinstance(part, ResultPart):
            if part.call_id not in waiting:
                return False
            waiting.remove(part.call_id)
    return not waiting


def _check_calls(calls: tuple[object, ...], method: str) -> None:
    wrong = next((call for call in calls if not isinstance(call, PlannedCall)), None)
    if wrong is not None:
        raise TypeError(f"{method} returned the call {wrong!r:.60}, which is no inarch.PlannedCall")
