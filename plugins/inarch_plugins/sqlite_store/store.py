"""Store: events as rows with a checksum, appended in one transaction, on disk when requested."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import inarch
from inarch_plugins.sqlite_store import row_reader, snapshots
from inarch_plugins.sqlite_store.blobs import Blobs
from inarch_plugins.sqlite_store.database import FILE, readable_blobs, readable_events, readable_spans
from inarch_plugins.sqlite_store.faults import store_error
from inarch_plugins.sqlite_store.open_database import OpenDatabase
from inarch_plugins.sqlite_store.rows import SEQ_MASK, by_session, digest_of, is_blob
from inarch_plugins.sqlite_store.session_rows import SessionRows
from inarch_plugins.sqlite_store.shared_events import Rescued

INLINE_SYNC_S = 0.002
"""Duration of the last sync below which a sync is waited for; a thread would cost more."""
SMALL_BLOB = 64 << 10
"""Maximum bytes of a blob stored as a row: one sync flushes it with the events, a file needs two more."""


class SqliteStore:
    """Sessions under one folder: `sessions.db` and `blobs/`.

    Threads may share the object, and processes the folder. Appending stored events again changes nothing.
    """

    def __init__(self, path: str) -> None:
        self._folder = Path(path)
        self._blobs = Blobs(self._folder / "blobs")
        self._database = OpenDatabase(self._folder, lambda: self._rows.forget(), self._rescue)
        self._rows = SessionRows(self._database)
        self._database.open()

    @property
    def damage(self) -> list[str]:
        """Return a sentence for every loss that was found."""
        return self._database.damage

    @property
    def only_read(self) -> inarch.StoreError | None:
        """Return why nothing can be written; None if it can."""
        return self._database.only_read

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Return the damaged databases and logs beside the one in use."""
        named = re.compile(rf"{re.escape(FILE)}(-wal)?\.damaged-\d+")
        return tuple(sorted(path for path in self._folder.iterdir() if named.fullmatch(path.name)))

    def append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        """Store events, all or none of them; return when the system has them."""
        if events:
            self._database.carefully(lambda: self._rows.append(session_id, events))

    async def sync(self) -> None:
        """Return when everything appended is on disk."""
        if not self._database.unsynced and not self._blobs.waits:
            return
        if self._database.last_sync_s < INLINE_SYNC_S:
            self._database.sync(self._blobs)
        else:
            await asyncio.to_thread(self._database.sync, self._blobs)

    def load(self, session_id: str, after: int = 0) -> Sequence[inarch.Event]:
        """Return the events with `seq` greater than `after`, in order; damaged ones are left out and reported."""
        return [*self.scan(session_id, after)]

    def scan(self, session_id: str, after: int = 0) -> Iterator[inarch.Event]:
        """Yield the events of `load`, without holding them all."""
        place, checked, most = max(after, 0), False, row_reader.FIRST_CHUNK
        while True:
            rows, gaps = self._database.carefully(partial(self._rows.behind, session_id, place, most, checked))
            checked = checked or gaps
            for row in rows:
                place = row[0] & SEQ_MASK
                event = row_reader.event_in(row, session_id)
                if event is None:
                    self._database.tell(f"event {place} of session {session_id} is damaged and was left out")
                else:
                    yield event
            if len(rows) < most:
                return
            most = min(2 * most, row_reader.CHUNK)

    def scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterator[inarch.Event]:
        """Yield only the events of these kinds, found by SQLite; losses are not reported."""
        place = max(after, 0)
        while True:
            rows = self._database.carefully(partial(self._rows.of_kinds, session_id, tuple(kinds), place))
            for row in rows:
                place = row[0] & SEQ_MASK
                event = row_reader.event_in(row, session_id)
                if event is not None and event.kind in kinds:
                    yield event
            if len(rows) < row_reader.CHUNK:
                return

    def sessions(self, root: str | None = None) -> Sequence[inarch.SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        return self._database.carefully(lambda: row_reader.sessions(self._database.connection, root))

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs; their bytes are overwritten in the file.

        Events that its forks borrow stay.
        """
        stays = self._database.carefully(lambda: self._rows.delete(session_id)) or {session_id: set()}
        for name, keep in stays.items():
            self._blobs.delete(name, keep)

    def fork(self, source_id: str, first: inarch.Event, last: int) -> None:
        """Begin a session with its first event and another's events from the second to `last`, without a copy."""
        self._database.carefully(lambda: self._rows.fork(source_id, first, last))

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Store bytes and return their SHA-256."""
        digest = hashlib.sha256(data)
        ref = digest.hexdigest()
        self._database.carefully(partial(self._rows.require, session_id))
        if len(data) <= SMALL_BLOB and self._is_row(session_id, digest.digest(), data):
            return ref
        try:
            return self._blobs.put(session_id, ref, data)
        except OSError as error:
            raise store_error(error, str(self._folder / "blobs")) from error

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        digest = digest_of(ref)
        held = self._database.carefully(partial(self._rows.blob_rows, session_id, digest))
        for row in held.values():
            if row is not None and is_blob(digest, row[0]):
                return bytes(row[0])
        try:
            return self._from_files(ref, held)
        except OSError as error:
            raise store_error(error, str(self._folder / "blobs")) from error

    def _from_files(self, ref: str, held: Mapping[str, object]) -> bytes:
        """Return the bytes from the first of some sessions that has them; report damage in the first one."""
        failed: inarch.StoreError | None = None
        for name, row in held.items():
            try:
                return self._blobs.get(name, ref, is_damaged=row is not None)
            except inarch.StoreError as error:
                failed = error if failed is None or error.kind == "damaged" else failed
        assert failed is not None
        raise failed

    def put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        """Store the state after the events up to `seq`, replacing the snapshot with that name."""
        self._database.carefully(
            lambda: snapshots.put(self._database.connection, self._rows.key(session_id), name, seq, data)
        )

    def get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        """Return the number of a snapshot's last event, and its bytes."""
        return self._database.carefully(
            lambda: snapshots.get(self._database.connection, self._rows.key(session_id), name)
        )

    def _is_row(self, session_id: str, digest: bytes, data: bytes) -> bool:
        """Store bytes as a row; return False if the database refuses, or has no such session."""
        try:
            return self._database.carefully(partial(self._rows.put_blob, session_id, digest, data))
        except inarch.StoreError:
            return False

    def close(self) -> None:
        """Close the files."""
        self._database.close()

    def _rescue(self, file: Path) -> int:
        """Copy the readable content of a broken database to the new one, in which a fork is a whole session."""
        found, gone = by_session(readable_events(file))
        users: dict[int, list[str]] = {}
        rescued = Rescued(found, gone, readable_spans(file))
        for keys, events in rescued.sessions():
            session_id = events[0].session_id
            self._rows.append(session_id, events)
            for key, name in keys.items():
                users.setdefault(key, []).append(session_id)
                self._blobs.share(name, session_id)
        for key, digest, data in readable_blobs(file) if users else ():
            for session_id in users.get(key, ()):
                self._rows.put_blob(session_id, digest, data)
        return sum(map(len, found.values()))
