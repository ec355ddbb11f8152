"""Restoration of sessions from an event log into a store that lost all or part of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from inarch.contract.errors import StoreError
from inarch.contract.events import Event, SessionStarted, event_data
from inarch.contract.frozen import frozen
from inarch.contract.records import SessionInfo
from inarch.contract.stores import ContextStore
from inarch_sdk.event_log import LogProblem, missing, read_sessions

BATCH = 500
"""Events per write to the store."""


@frozen
class Restored:
    """Restored session.

    Args:
        session_id: The session.
        turns: The number of agent turns it has now.
        events: The number of the log's events that the store lacked.
        present: The number that it had.
        left_out: The number skipped because the store has different events with their numbers.
        missing: First and last number of each remaining gap.
        not_undoable: File changes that cannot be undone, because a log does not contain the bytes.
        placed: Whether its beginning is lost, so that it now belongs to the directory in which it was restored.
        root: Its directory.
    """

    session_id: str
    title: str
    turns: int
    events: int
    present: int
    left_out: int
    missing: tuple[tuple[int, int], ...]
    not_undoable: int
    placed: bool = False
    root: str = ""


@frozen
class Restoration:
    """Restored sessions of a log, and its faults."""

    sessions: tuple[Restored, ...]
    problems: tuple[LogProblem, ...]


def restore_log(store: ContextStore, path: Path, root: str, *, only: str | None = None) -> Restoration:
    """Restore the sessions of a log and its rotated files into the store, with their ids.

    Missing events are added to sessions that the store has in part. If log and store differ from some event on, the
    store's events are kept.

    Raises:
        OSError: A file cannot be read.
        StoreError: The store accepts no more events. Earlier ones are stored, and restoring may be repeated.
    """
    read = read_sessions(path)
    wanted = [one for one in read.sessions.items() if only in (None, one[0])]
    restored = (_restore(store, session_id, events, root) for session_id, events in wanted)
    return Restoration(tuple(restored), read.problems)


def _restore(store: ContextStore, session_id: str, events: Sequence[Event], root: str) -> Restored:
    kept = {event.seq: event for event in store.load(session_id)}
    new = _addable(events, {seq: event.line for seq, event in kept.items()})
    whole = {**{event.seq: event for event in new}, **kept}
    placed = 1 not in whole and not any(event.kind == SessionStarted.kind for event in whole.values())
    added = [_lost_beginning(session_id, min(whole.items())[1].time, root), *new] if placed else new
    for start in range(0, len(added), BATCH):
        store.append(session_id, added[start : start + BATCH])
    whole |= {event.seq: event for event in added}
    known = [whole[seq] for seq in sorted(whole)]
    present = sum(event.seq in kept and kept[event.seq].line == event.line for event in events)
    return Restored(
        session_id=session_id,
        title=SessionInfo.title_of(known),
        turns=_agents_turns(known),
        events=len(new),
        present=present,
        left_out=len(events) - len(new) - present,
        missing=tuple(missing(event.seq for event in known)),
        not_undoable=_not_undoable(store, session_id, known),
        placed=placed,
        root=next((str(one.data.get("root", "")) for one in known if one.kind == SessionStarted.kind), ""),
    )


def _addable(events: Sequence[Event], kept: Mapping[int, str]) -> list[Event]:
    """Return the events that the store lacks, up to the point where log and store diverge."""
    both = [(event.seq, kept[event.seq] == event.line) for event in events if event.seq in kept]
    same = max((seq for seq, equal in both if equal), default=0)
    end = min((seq for seq, equal in both if not equal and seq > same), default=None)
    return [event for event in events if event.seq not in kept and (end is None or event.seq < end)]


def _lost_beginning(session_id: str, time: str, root: str) -> Event:
    data = event_data(SessionStarted(root, ""))
    return Event(1, time, session_id, None, SessionStarted.kind, data)


def _agents_turns(events: Iterable[Event]) -> int:
    """Count the agent's turns; one whose beginning is lost counts, because a user's command has no other events."""
    users, turns = set[str](), set[str]()
    for event in events:
        if event.turn_id:
            turns.add(event.turn_id)
            turn = event.data.get("turn") if event.kind == "turn.started" else None
            if isinstance(turn, Mapping) and turn.get("type") == "user":
                users.add(event.turn_id)
    return len(turns - users)


def _not_undoable(store: ContextStore, session_id: str, events: Iterable[Event]) -> int:
    """Count the file changes for which the store lacks the bytes of either side."""
    there: dict[str, bool] = {}
    lost = 0
    for event in events:
        if event.kind == "file.changed":
            refs = [ref for ref in (event.data.get("before"), event.data.get("after")) if ref]
            lost += not all(_is_kept(store, session_id, str(ref), there) for ref in refs)
    return lost


def _is_kept(store: ContextStore, session_id: str, ref: str, there: dict[str, bool]) -> bool:
    if ref not in there:
        try:
            store.get_blob(session_id, ref)
            there[ref] = True
        except StoreError:
            there[ref] = False
    return there[ref]
