"""Restoring: the sessions of an event log, put back into a store that lost them or parts of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarch.contract.errors import StoreError
from inarch.contract.events import Event, SessionStarted, event_data
from inarch.contract.frozen import frozen
from inarch.contract.ports import ContextStore
from inarch_sdk.event_log import missing, read_sessions

if TYPE_CHECKING:
    from inarch.journal.history import History
    from inarch_sdk.event_log import LogProblem

BATCH = 500
"""Events that are handed to the store at once."""


@frozen
class Restored:
    """What a log gave back of one session.

    Args:
        session_id: The session.
        title: Its first prompt, on one line.
        turns: The agent turns that it has now.
        events: How many events of the log the store did not have.
        present: How many it had.
        left_out: How many were left out, because the store has others under their numbers.
        missing: First and last number of each gap that stays.
        not_undoable: Changes of files that can't be taken back: a log doesn't have the bytes.
        placed: Whether its beginning is lost, so that it now belongs to the directory in which it was restored.
        root: The directory that it belongs to.
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
    """What a log gave back, and what is wrong with it."""

    sessions: tuple[Restored, ...]
    problems: tuple[LogProblem, ...]


def restore_log(store: ContextStore, path: Path, root: str, *, only: str | None = None) -> Restoration:
    """Put the sessions of a log, and of the files that were set aside before it, into the store under their ids.

    Of a session that the store has in parts the missing events are added. Where log and store tell different stories
    from some event on, the store's holds.

    Args:
        store: Where to.
        path: The log.
        root: The workspace of a session whose beginning is lost.
        only: The one session to be restored; None restores all.

    Raises:
        OSError: A file can't be read.
        StoreError: The store takes nothing more; what it has taken stays, and restoring may be repeated.
    """
    read = read_sessions(path)
    wanted = [one for one in read.sessions.items() if only in (None, one[0])]
    restored = (_restore(store, session_id, events, root) for session_id, events in wanted)
    return Restoration(tuple(restored), read.problems)


def restore_logs(store: ContextStore, paths: Iterable[Path], root: str) -> Restoration:
    """Put every session of the workspace `root` back that one of the logs has; others' logs are passed over.

    Raises:
        OSError: A file can't be read.
        StoreError: As `restore_log`.
    """
    done = [restore_log(store, path, root) for path in paths if _first_root(path) == root]
    return Restoration(
        tuple(session for one in done for session in one.sessions),
        tuple(problem for one in done for problem in one.problems),
    )


def _first_root(path: Path) -> str | None:
    """Return the workspace that the first event of a log names."""
    from inarch_sdk.event_log import first_event

    first = first_event(path)
    return str(first.data.get("root")) if first is not None and first.kind == SessionStarted.kind else None


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
    history = _history(known)
    present = sum(event.seq in kept and kept[event.seq].line == event.line for event in events)
    return Restored(
        session_id=session_id,
        title=history.title,
        turns=sum(turn.type == "agent" for turn in history.turns),
        events=len(new),
        present=present,
        left_out=len(events) - len(new) - present,
        missing=tuple(missing(event.seq for event in known)),
        not_undoable=_not_undoable(store, session_id, known),
        placed=placed,
        root=history.root,
    )


def _addable(events: Sequence[Event], kept: Mapping[int, str]) -> list[Event]:
    """Return the events that the store lacks, as far as log and store are of one story.

    A number under which both have the same shows that they are, up to there. Behind the last such one, the first number
    under which they differ is where the session went on without the lost events: what the log has from there on is of
    another story.
    """
    both = [(event.seq, kept[event.seq] == event.line) for event in events if event.seq in kept]
    same = max((seq for seq, equal in both if equal), default=0)
    end = min((seq for seq, equal in both if not equal and seq > same), default=None)
    return [event for event in events if event.seq not in kept and (end is None or event.seq < end)]


def _lost_beginning(session_id: str, time: str, root: str) -> Event:
    data = event_data(SessionStarted(root, ""))
    return Event(1, time, session_id, None, SessionStarted.kind, data)


def _history(events: Iterable[Event]) -> History:
    from inarch.journal.folding import fold

    return fold(events)


def _not_undoable(store: ContextStore, session_id: str, events: Iterable[Event]) -> int:
    """Count the changes of files of whose bytes the store doesn't have both sides."""
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
