"""Healing: a session that was cut off gets the ends that its record lacks, and the person is told what is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from inarch.contract.events import CallResult, Note, TurnEnded
from inarch.contract.records import CallStatus, ToolCall, ToolError, ToolResult
from inarch.journal.history import History
from inarch.journal.journal import Journal
from inarch.turns.budget.ledger import Ledger

SOURCE = "resume"


def end_what_was_cut_off(journal: Journal, history: History, ledger: Ledger) -> list[Note]:
    """Record a result for every call, and an end for every turn, that was cut off; return what to tell the person.

    What is recorded is what the model is told, so that all who read the session later read the same. It is kept with
    the next event that is: a session that is only looked at does not change.
    """
    notes: list[Note] = []
    _end_calls_of_no_turn(journal, history)
    changes = {call.id: found.changes for call, found in history.settled if call.turn_id}
    for turn in history.turns:
        if turn.id not in history.unended:
            continue
        lost = [call for call in turn.calls if call.id in history.cut_off and call.result is not None]
        for call in lost:
            assert call.result is not None
            journal.record(CallResult(call.id, call.name, call.status, call.result), turn.id)
        for call in lost:
            for change in changes.get(call.id, ()):
                journal.record(change, turn.id)
        journal.record(TurnEnded(evolve(turn, calls=()), ledger.rows(turn.id), ledger.total()), turn.id)
        unknown = list(_unknown(call for call in lost if call.id in history.unknown))
        notes += unknown or [Note("the last turn was cut off before it ended; what its calls did is known", SOURCE)]
    return notes


def _end_calls_of_no_turn(journal: Journal, history: History) -> None:
    """Record how a person's own calls ended, and what these changed."""
    for call, found in history.settled:
        if not call.turn_id:
            error = ToolError("unknown_outcome", "the session stopped while this call ran: what it did is unknown")
            result = found.result or ToolResult(False, error=error)
            status: CallStatus = "success" if result.success else "cancelled" if found.result else "error"
            journal.record(CallResult(call.id, call.name, status, result), call.turn_id)
            for change in found.changes:
                journal.record(change, call.turn_id)


def _unknown(calls: Iterator[ToolCall]) -> Iterator[Note]:
    for call in calls:
        error = call.result.error if call.result is not None else None
        if error is not None:
            on = next((f" {value}" for value in call.arguments.values() if isinstance(value, str)), "")
            yield Note(f"{call.name}{on[:80]}: {error.message}; {error.remedy}", SOURCE)
