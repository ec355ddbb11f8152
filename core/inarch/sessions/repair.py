"""Repair of interrupted sessions: it records missing ends, and informs the user about unknown outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from inarch.contract.call_events import CallResult
from inarch.contract.codec import to_data
from inarch.contract.errors import StoreError
from inarch.contract.event_parts import Spent
from inarch.contract.events import Event, Note, TurnEnded
from inarch.contract.other_events import ChildEnded, ChildStarted
from inarch.contract.records import CallStatus, ToolCall, ToolError, ToolResult
from inarch.contract.stores import ContextStore
from inarch.journal.fold import History
from inarch.journal.journal import Journal
from inarch.turns.ledger import Ledger
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch.sessions.parts import Parts


SOURCE = "resume"


def end_what_was_cut_off(journal: Journal, history: History, ledger: Ledger) -> list[Note]:
    """Record a result for every interrupted call and an end for every interrupted turn; return notes for the user.

    The record is also what the model sees, so that all readers of the session agree. It is stored with the next stored
    event: reading a session does not change it.
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
        unknown = list(_notes_about(call for call in lost if call.id in history.unknown))
        notes += unknown or [Note("the last turn was cut off before it ended; what its calls did is known", SOURCE)]
    return notes


def end_children(journal: Journal, children: dict[str, tuple[str, str, str, str]]) -> list[Note]:
    """Record the ends of children that were interrupted with the session; their usage is taken from their records."""
    notes: list[Note] = []
    for child, (call_id, turn_id, name, began) in children.items():
        spent: tuple[Spent, ...] = ()
        try:
            spent = _usage_of_turn(journal.store, child, began).rows()
        except StoreError as error:
            notes.append(Note(f"the usage of {name} is not known: {error.message}", SOURCE))
        journal.record(ChildEnded(call_id, child, name, "cancelled", spent), turn_id or None)
    children.clear()
    return notes


def _usage_of_turn(store: ContextStore, child: str, began: str) -> Ledger:
    """Return the usage of a child's turn that began then, with all below it; the child may have continued since."""
    ledger, turn_id = Ledger(), ""
    below: dict[str, tuple[str, str]] = {}
    for event in scan(store, child):
        if event.kind == "turn.started" and event.time >= began and not turn_id:
            turn_id = str(event.data["turn"]["id"]) if event.data["turn"]["type"] == "agent" else ""
        if not turn_id or event.turn_id != turn_id:
            continue
        ledger.saw(event)
        if event.kind == ChildStarted.kind:
            below[event.data["session_id"]] = (event.data["name"], event.time)
        elif event.kind == ChildEnded.kind:
            below.pop(event.data["session_id"], None)
    for session_id, (name, time) in below.items():
        spent = [to_data(row) for row in _usage_of_turn(store, session_id, time).rows()]
        ledger.saw(Event(0, "", child, turn_id, ChildEnded.kind, {"name": name, "spent": spent}))
    return ledger


def _end_calls_of_no_turn(journal: Journal, history: History) -> None:
    """Record how the user's own calls ended, and what they changed."""
    for call, found in history.settled:
        if not call.turn_id:
            error = ToolError("unknown_outcome", "the session stopped while this call ran: what it did is unknown")
            result = found.result or ToolResult(False, error=error)
            status: CallStatus = "success" if result.success else "cancelled" if found.result else "error"
            journal.record(CallResult(call.id, call.name, status, result), call.turn_id)
            for change in found.changes:
                journal.record(change, call.turn_id)


def _notes_about(calls: Iterator[ToolCall]) -> Iterator[Note]:
    for call in calls:
        error = call.result.error if call.result is not None else None
        if error is not None:
            on = next((f" {value}" for value in call.arguments.values() if isinstance(value, str)), "")
            yield Note(f"{call.name}{on[:80]}: {error.message}; {error.remedy}", SOURCE)


def bring_back(parts: Parts, session_id: str, holes: Sequence[tuple[int, int]]) -> tuple[bool, list[str]]:
    """Restore missing events from a session's logs to the store; return whether there were any, and notes."""
    from inarch.sessions.kept_sessions import KeptSessions
    from inarch_sdk.log_restore import restore_log

    count = 0
    for log in KeptSessions(parts).logs():
        if log.stem != session_id:
            continue
        try:
            done = restore_log(parts.store, log, parts.config.root, only=session_id)
        except (OSError, StoreError):
            continue  # missing events are reported below
        for session in done.sessions:
            count += session.events
            holes = session.missing
    said = []
    if count:
        said.append(f"{'1 event' if count == 1 else f'{count} events'} that the store had lost: restored from the log")
    if holes:
        from inarch_sdk.event_log import WAY_ON, gap_words

        said.append(f"of this session {', '.join(gap_words(*gap) for gap in holes[:5])}; {WAY_ON}")
    return bool(count), said
