"""Forks: new sessions that begin with all or the first turns of another one."""

from __future__ import annotations

import re
from typing import Any

from inarch.contract.capabilities import Forks, able
from inarch.contract.errors import StoreError, UsageError
from inarch.contract.events import Event, SessionStarted, event_data
from inarch.contract.ids import SYSTEM_CLOCK
from inarch.contract.ports import Clock
from inarch.contract.stores import ContextStore
from inarch.journal.changes import Changes
from inarch.journal.resume_state import Going
from inarch.sessions.contents import Contents, contents_of, too_few_turns
from inarch_sdk.snapshots import between, carry_over, scan

BATCH = 500
"""Events handed to the store at once."""
_REFERENCE = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def fork_session(
    store: ContextStore, source_id: str, at: int | None = None, *, root: str = "", clock: Clock = SYSTEM_CLOCK
) -> str:
    """Return the id of a new session that begins with the first `at` agent turns of another; None takes all.

    Events between these turns (the user's own commands, reverted changes) are included. So are the bytes that events
    name: long outputs, pictures, earlier files. The files of the workspace stay as they are now.

    Args:
        store: The store of both.
        source_id: The source session.
        at: Number of turns.
        root: The fork's workspace if it is a copy of the source's; then the fork may have no turns at all.
        clock: Source of its id and start time.
    """
    contents = contents_of(store, source_id)
    if not contents.seq:
        raise UsageError(f"there is no session {source_id}", "inarch sessions list --all shows those there are")
    last, turns = _end(contents, at, least=0 if root else 1)
    first = next(scan(store, source_id), None)
    begun = first if first is not None and first.kind == SessionStarted.kind else None
    # Events after a gap get other numbers in a fork, so a store cannot share them.
    is_same = begun is not None and not any(gap <= last for gap, _ in contents.gaps)
    data = _beginning(store, begun, source_id, turns) | ({"root": root} if root else {})
    data |= {"forked_events": last if is_same else 0}
    started = Event(1, clock.utc_now(), clock.new_id(), None, SessionStarted.kind, data)
    sharing = able(store, Forks) if is_same and turns else None
    if sharing is None:
        _copy(store, source_id, started, last)
        return started.session_id
    sharing.fork(source_id, started, last)
    # The snapshots contain the source's root.
    if not root:
        carry_over(store, source_id, started.session_id, last, (Contents.NAME, Going.NAME, Changes.NAME))
    return started.session_id


def _end(contents: Contents, at: int | None, least: int) -> tuple[int, int]:
    """Return the number of the last event before the prompt after the `at`-th agent turn, and the number of turns."""
    if at is not None and at < least:
        raise UsageError(f"a session has no turn {at}", "turns are counted from 1")
    if at is not None and at > contents.turns:
        raise too_few_turns(contents.turns, at)
    number = 0
    for chapter in contents.chapters:
        if number == at:
            return chapter.first - 1, number
        number += chapter.agents
    return contents.seq, number


def _copy(store: ContextStore, source_id: str, started: Event, last: int) -> None:
    """Copy events and their bytes in batches, and renumber them, because a damaged session may have gaps."""
    fork_id, known = started.session_id, set[str]()
    batch, seq = [started], 1
    try:
        for event in between(store, source_id, 1, last):
            if event.kind == SessionStarted.kind:
                continue
            seq += 1
            _copy_blobs(store, source_id, fork_id, event, known)
            batch.append(event.moved(fork_id, seq))
            if len(batch) == BATCH:
                store.append(fork_id, batch)
                batch = []
        store.append(fork_id, batch)
    except StoreError:
        store.delete(fork_id)
        raise


def _beginning(store: ContextStore, begun: Event | None, source_id: str, turns: int) -> dict[str, Any]:
    """Return the data of the fork's first event: the source's own, or the store's data if that is lost."""
    if begun is not None:
        known = begun.data
    else:
        known = {"root": next((info.root for info in store.sessions() if info.id == source_id), "")}
    return {**event_data(SessionStarted("", "")), **known, "forked_from": source_id, "forked_at": turns}


def _copy_blobs(store: ContextStore, source_id: str, fork_id: str, event: Event, known: set[str]) -> None:
    """Store the bytes that an event names for the fork; most hashes in them are of bytes that were never stored."""
    for ref in {*_REFERENCE.findall(event.line)} - known:
        known.add(ref)
        try:
            data = store.get_blob(source_id, ref)
        except StoreError as error:
            if error.kind in ("missing", "damaged"):
                continue  # readers of these bytes will report it
            raise
        store.put_blob(fork_id, data)
