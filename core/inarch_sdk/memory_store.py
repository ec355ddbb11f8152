"""In-memory store for `--no-journal`, tests and scripts."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence

from attrs import define, field

from inarch.contract.errors import StoreError
from inarch.contract.events import Event
from inarch.contract.records import SessionInfo


@define(eq=False, repr=False)
class MemoryStore:
    """Store that keeps sessions in memory and behaves like a store on disk."""

    _events: dict[str, dict[int, Event]] = field(init=False, factory=dict)
    _blobs: dict[tuple[str, str], bytes] = field(init=False, factory=dict)
    _deleted: set[str] = field(init=False, factory=set)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Store events; skip those already stored.

        Raises:
            StoreError: `busy` if a different event has one of the numbers, `missing` if the session was deleted.
        """
        if events and min(event.seq for event in events) > 1:
            self.require(session_id)
        self.keep(session_id, events)

    def keep(self, session_id: str, events: Sequence[Event]) -> None:
        """Store events of a session whose beginning may be lost."""
        with self._lock:
            kept = self._events.get(session_id, {})
            for event in events:
                present = kept.get(event.seq)
                if present is not None and present.line != event.line:
                    raise StoreError(
                        "busy",
                        f"session {session_id} already has another event {event.seq}: another process writes to it",
                        "continue in one place only, or start a new session",
                    )
            if events:
                self._deleted.discard(session_id)
                self._events.setdefault(session_id, kept).update((event.seq, event) for event in events)

    def require(self, session_id: str) -> None:
        """Reject writes to a deleted session.

        Raises:
            StoreError: `missing`.
        """
        if session_id in self._deleted:
            raise StoreError("missing", f"session {session_id} was deleted meanwhile", "start a new session")

    async def sync(self) -> None:
        """Do nothing, because there is no disk."""

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order."""
        with self._lock:
            kept = self._events.get(session_id, {})
            return [kept[seq] for seq in sorted(kept) if seq > after]

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        with self._lock:
            infos = [_info(session_id, kept) for session_id, kept in self._events.items()]
        infos.sort(key=lambda info: (info.started, info.id), reverse=True)
        return [info for info in infos if root is None or info.root == root]

    def delete(self, session_id: str) -> None:
        """Delete a session with its events and blobs."""
        with self._lock:
            if self._events.pop(session_id, None) is not None:
                self._deleted.add(session_id)
            for key in [key for key in self._blobs if key[0] == session_id]:
                del self._blobs[key]

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Store bytes and return their SHA-256."""
        ref = hashlib.sha256(data).hexdigest()
        self.require(session_id)
        with self._lock:
            self._blobs[session_id, ref] = bytes(data)
        return ref

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        with self._lock:
            data = self._blobs.get((session_id, ref))
        if data is None:
            raise StoreError("missing", f"session {session_id} has no blob {ref}")
        return data

    def close(self) -> None:
        """Do nothing: the sessions live as long as the object."""


def _info(session_id: str, kept: Mapping[int, Event]) -> SessionInfo:
    events = [kept[seq] for seq in sorted(kept)]
    first, last = events[0], events[-1]
    root = next((str(event.data.get("root", "")) for event in events if event.kind == "session.started"), "")
    return SessionInfo(session_id, root, first.time, last.time, last.seq, SessionInfo.title_of(events))
