"""Forking: a new session that begins with all or the first turns of another one and then goes its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inarch.contract.errors import StoreError, UsageError
from inarch.contract.events import Event, SessionStarted, event_data
from inarch.contract.ids import new_id, utc_now
from inarch.contract.ports import ContextStore

BATCH = 500
"""Events that are handed to the store at once."""
_REFERENCE = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def fork_session(store: ContextStore, source_id: str, at: int | None = None, *, root: str = "") -> str:
    """Return the id of a new session that begins with the first `at` agent turns of another; None takes all.

    What stands between these turns (a person's own commands, what was undone) comes along, and so do the bytes that its
    events name: long outputs, pictures, files as they were. The files of the workspace stay as they are now.

    Args:
        store: Where both are kept.
        source_id: The other one.
        at: How many turns.
        root: The fork's workspace if it is a copy of the other one's; then even no turn at all makes a fork.

    Raises:
        UsageError: There is no such session, or it has no such turn.
        StoreError: The store can't read it or has no room; then nothing of the new session stays.
    """
    events = store.load(source_id)
    if not events:
        raise UsageError(f"there is no session {source_id}", "inarch sessions list --all shows those there are")
    taken, turns = first_turns(events, at, least=0 if root else 1)
    fork_id = new_id()
    try:
        _copy_blobs(store, source_id, fork_id, taken)
        batch: list[Event] = []
        beginning = _beginning(store, taken, source_id, turns) | ({"root": root} if root else {})
        for event in _forked(taken, beginning, fork_id):
            batch.append(event)
            if len(batch) == BATCH:
                store.append(fork_id, batch)
                batch = []
        store.append(fork_id, batch)
    except StoreError:
        store.delete(fork_id)
        raise
    return fork_id


def first_turns(events: Sequence[Event], at: int | None, least: int = 1) -> tuple[Sequence[Event], int]:
    """Return the events up to the prompt that follows the `at`-th agent turn, and how many agent turns they have.

    Raises:
        UsageError: There are fewer turns.
    """
    if at is not None and at < least:
        raise UsageError(f"a session has no turn {at}", "turns are counted from 1")
    turns: set[str] = set()
    known: set[str] = set()
    for place, event in enumerate(events):
        if not event.turn_id or event.turn_id in known:
            continue
        known.add(event.turn_id)
        if len(turns) == at:
            return events[:place], at
        if not _is_prompt(event):
            turns.add(event.turn_id)
    if at is not None and at > len(turns):
        many = "1 turn" if len(turns) == 1 else f"{len(turns)} turns"
        raise UsageError(f"the session has {many}, not {at}", "inarch sessions show ID shows them")
    return events, len(turns)


def _is_prompt(event: Event) -> bool:
    """Whether a turn that begins with this event is a person's; one whose beginning is lost is an agent's."""
    turn = event.data.get("turn") if event.kind == "turn.started" else None
    return isinstance(turn, Mapping) and turn.get("type") == "user"


def _forked(events: Iterable[Event], beginning: Mapping[str, Any], fork_id: str) -> Iterator[Event]:
    """Yield the events as those of the fork; they are counted anew, for a damaged session may have gaps."""
    seq = 1
    yield Event(seq, utc_now(), fork_id, None, SessionStarted.kind, beginning)
    for event in events:
        if event.kind != SessionStarted.kind:
            seq += 1
            yield Event(seq, event.time, fork_id, event.turn_id, event.kind, _moved(event.data, fork_id))


def _beginning(store: ContextStore, events: Iterable[Event], source_id: str, turns: int) -> dict[str, Any]:
    """Return the data of the fork's first event: the source's own, or what its store knows where that is lost."""
    known = next((event.data for event in events if event.kind == SessionStarted.kind), None)
    if known is None:
        known = {"root": next((info.root for info in store.sessions() if info.id == source_id), "")}
    return {**event_data(SessionStarted("", "")), **known, "forked_from": source_id, "forked_at": turns}


def _moved(data: Mapping[str, Any], fork_id: str) -> Mapping[str, Any]:
    turn = data.get("turn")
    if not isinstance(turn, Mapping) or "session_id" not in turn:
        return data
    return {**data, "turn": {**turn, "session_id": fork_id}}


def _copy_blobs(store: ContextStore, source_id: str, fork_id: str, events: Iterable[Event]) -> None:
    """Keep for the fork the bytes that the events name; most hashes in them are of bytes that were never kept."""
    for ref in {ref for event in events for ref in _REFERENCE.findall(event.line)}:
        try:
            data = store.get_blob(source_id, ref)
        except StoreError as error:
            if error.kind in ("missing", "damaged"):
                continue  # whoever needs it will say so
            raise
        store.put_blob(fork_id, data)
