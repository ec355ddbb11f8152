"""Where a turn was stopped from outside, by the person, by its time limit or by the end of the process."""

from __future__ import annotations

import asyncio

from inarch import Event, ToolResult
from inarch_plugins.replay.normal_form import Normaliser
from inarch_plugins.replay.recorded_turns import RecordedCall, RecordedTurn

_RUNNING, _ABANDONED = "cancelled while it ran", "was abandoned"
"""What the errors of such calls say."""


def events_before_stop(turn: RecordedTurn) -> int:
    """Return after how many of its events a turn was stopped from outside; 0 where it wasn't, or a reply breaks off."""
    if not turn.stop:
        return 0
    normaliser, count = Normaliser(), 0
    for event in turn.own_events:
        if turn.stop != "cut" and _is_effect(event, turn.stop):
            return 0 if event.kind == "model.replied" else count
        count += bool(normaliser.take(event))
    return count


def was_running(call: RecordedCall) -> bool:
    """Whether a call was stopped from outside while it ran."""
    result = call.result
    return result is not None and result.error is not None and result.error.message.startswith(_RUNNING)


def was_stopped(result: ToolResult) -> bool:
    """Whether a result is that of a call that was stopped from outside: it waits for that to come."""
    return result.error is not None and result.error.code in ("cancelled", "unknown_outcome")


async def stopped(result: ToolResult | None) -> None:
    """Wait to be stopped; a call that did not listen then does not listen now."""
    error = result.error if result is not None else None
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if error is None or _ABANDONED not in error.message:
                raise


def _is_effect(event: Event, stop: str) -> bool:
    if event.kind == "call.result":
        return event.data.get("status") == "cancelled"
    if event.kind == "model.replied":
        return event.data.get("error") == "cancelled"
    if event.kind == "model.requested":
        return stop == "out_of_time" and event.data.get("tool_choice") == "none"
    return event.kind == "turn.ended"
