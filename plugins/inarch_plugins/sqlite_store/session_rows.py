"""Sessions as rows: their keys and ends, and all reads and writes of the tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import inarch
from inarch_plugins.sqlite_store import row_reader, snapshots
from inarch_plugins.sqlite_store.faults import Inconsistent
from inarch_plugins.sqlite_store.open_database import OpenDatabase
from inarch_plugins.sqlite_store.rows import (
    DESCRIBING,
    SEQ_BITS,
    SEQ_MASK,
    Row,
    is_whole,
    root_of,
    row_of,
    taken,
    to_column,
)
from inarch_plugins.sqlite_store.shared_events import Span, give_back, lend, spans_of

# Nothing else is written for an event: a second page would double the cost. A deleted session accepts none.
_INSERT = "INSERT INTO events SELECT ?, ?, ? FROM sessions WHERE key = ? >> 32"
_NEW_SESSION = "INSERT INTO sessions (id, root, title, started) VALUES (?, '', '', ?)"
_DESCRIBE = (
    "UPDATE sessions SET root = CASE root WHEN '' THEN ? ELSE root END,"
    " title = CASE title WHEN '' THEN ? ELSE title END WHERE key = ?"
)
_KEEP_BLOB = "INSERT INTO blobs (session, ref, data) SELECT key, ?, ? FROM sessions WHERE key = ?"
_MEND_BLOB = "UPDATE blobs SET data = ? WHERE session = ? AND ref = ?"
_BLOB = "SELECT data FROM blobs WHERE session = ? AND ref = ?"
_LAST = "SELECT max(id) FROM events WHERE id > ? AND id < ?"


class SessionRows:
    """Rows of sessions in a database; its methods run in `OpenDatabase.carefully`."""

    def __init__(self, database: OpenDatabase) -> None:
        self._database = database
        self._keys: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._met: set[str] = set()  # sessions that were here once: without its beginning none of them is restored

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._database.connection

    def forget(self) -> None:
        """Forget the facts about a database that another one replaces."""
        self._keys.clear()
        self._met.clear()

    def append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        """Add events that are not stored yet, all or none of them."""
        key = self._keys.get(session_id, 0)
        try:
            is_next = key and events[0].seq == self._ends[session_id] + 1
            if is_next and DESCRIBING.isdisjoint(event.kind for event in events):
                self._append_at_end(session_id, key, events)
            else:
                self._append_anywhere(session_id, events, again=False)
        except sqlite3.IntegrityError:
            self._append_anywhere(session_id, events, again=True)
        self._database.unsynced = True

    def _append_at_end(self, session_id: str, key: int, events: Sequence[inarch.Event]) -> None:
        """Append to a session that was appended to before: its number refuses any row after its end."""
        rows = [(key << SEQ_BITS | seq, line, checksum) for seq, line, checksum in map(row_of, events)]
        if len(rows) == 1:
            kept = self._connection.execute(_INSERT, (*rows[0], rows[0][0])).rowcount
        else:
            with self._database.transaction():
                kept = self._connection.executemany(_INSERT, [(*row, row[0]) for row in rows]).rowcount
        self._check_kept(session_id, kept)
        self._ends[session_id] = events[-1].seq

    def _append_anywhere(self, session_id: str, events: Sequence[inarch.Event], *, again: bool) -> None:
        with self._database.transaction():
            known = self._keys.get(session_id)
            key = known or self.key(session_id) or self._new_key(session_id, events)
            spans = spans_of(self._connection, key, session_id)
            lent = spans[-1].first - 1
            self._mend(session_id, spans, [event for event in events if 1 < event.seq <= lent])
            own = (row_of(event) for event in events if event.seq == 1 or event.seq > lent)
            rows = [(key << SEQ_BITS | seq, line, checksum) for seq, line, checksum in own]
            if again:
                rows = self._not_yet_here(session_id, rows)
            kept = self._connection.executemany(_INSERT, [(*row, row[0]) for row in rows]).rowcount if rows else 0
            if rows and not kept and not known:
                raise Inconsistent("a session that was just found is gone")
            if rows:
                self._check_kept(session_id, kept)
            snapshots.forget(self._connection, key, events[0].seq)
            if any(event.kind in DESCRIBING for event in events):
                self._connection.execute(
                    _DESCRIBE, (to_column(root_of(events)), to_column(inarch.SessionInfo.title_of(events)), key)
                )
            (last,) = self._connection.execute(_LAST, (key << SEQ_BITS, (key + 1) << SEQ_BITS)).fetchone()
        self._keys[session_id], self._ends[session_id] = key, max(lent, (last or 0) & SEQ_MASK)

    def _mend(self, session_id: str, spans: Sequence[Span], events: Sequence[inarch.Event]) -> None:
        """Restore events that a fork shares with another session, if they are missing."""
        for span in spans[1:-1]:
            here = [row_of(event.moved(span.name)) for event in events if span.first <= event.seq <= span.last]
            rows = [(span.key << SEQ_BITS | seq, line, checksum) for seq, line, checksum in here]
            for row in self._not_yet_here(session_id, rows):
                self._connection.execute("INSERT INTO events VALUES (?, ?, ?)", row)
                snapshots.forget(self._connection, span.key, row[0] & SEQ_MASK)

    def fork(self, source_id: str, first: inarch.Event, last: int) -> None:
        """Begin a session with its first event and another session's events from the second to `last`."""
        with self._database.transaction():
            source = self.key(source_id)
            if self.key(first.session_id):
                raise taken(first.session_id, [first.seq])
            key = self._new_key(first.session_id, [first])
            if not source or not lend(self._connection, spans_of(self._connection, source, source_id), last, key):
                raise inarch.StoreError("missing", f"there is no event {last} of session {source_id}")
            _, line, checksum = row_of(first)
            self._connection.execute("INSERT INTO events VALUES (?, ?, ?)", ((key << SEQ_BITS) + 1, line, checksum))
            title = "UPDATE sessions SET root = ?, title = (SELECT title FROM sessions WHERE key = ?) WHERE key = ?"
            self._connection.execute(title, (to_column(root_of([first])), source, key))
        self._database.unsynced = True

    def put_blob(self, session_id: str, digest: bytes, data: bytes) -> bool:
        """Store the bytes of a hash; return False if there is no such session."""
        key = self._keys.get(session_id) or self.key(session_id)
        try:
            kept = self._connection.execute(_KEEP_BLOB, (digest, data, key)).rowcount == 1
        except sqlite3.IntegrityError:
            found = self._connection.execute(_BLOB, (key, digest)).fetchone()
            kept = found == (data,) or self._connection.execute(_MEND_BLOB, (data, key, digest)).rowcount == 1
        self._database.unsynced = self._database.unsynced or kept
        return kept

    def blob_rows(self, session_id: str, digest: bytes) -> dict[str, tuple[Any] | None]:
        """Return the row of a blob in the session, and in those that it has events of."""
        key = self._keys.get(session_id) or self.key(session_id)
        spans = spans_of(self._connection, key, session_id)
        keys = {session_id: key} | {span.name: span.key for span in spans}
        return {name: self._connection.execute(_BLOB, (one, digest)).fetchone() for name, one in keys.items()}

    def _check_kept(self, session_id: str, count: int) -> None:
        if not count:
            raise self._is_gone(session_id)

    def _is_gone(self, session_id: str) -> inarch.StoreError:
        self._keys.pop(session_id, None)
        return inarch.StoreError("missing", f"session {session_id} was deleted meanwhile", "start a new session")

    def require(self, session_id: str) -> None:
        """Refuse bytes for a deleted session: they would never be removed."""
        if session_id in self._met and not self.key(session_id):
            raise self._is_gone(session_id)

    def key(self, session_id: str) -> int:
        """Return the key of a session; 0 if there is none."""
        found = self._connection.execute("SELECT key FROM sessions WHERE id = ?", (session_id,)).fetchone()
        if found:
            self._met.add(session_id)
        return int(found[0]) if found else 0

    def _new_key(self, session_id: str, events: Sequence[inarch.Event]) -> int:
        if session_id in self._met and min(event.seq for event in events) > 1:
            raise self._is_gone(session_id)
        self._met.add(session_id)
        return self._connection.execute(_NEW_SESSION, (session_id, events[0].time)).lastrowid or 0

    def _not_yet_here(self, session_id: str, rows: Sequence[Row]) -> list[Row]:
        """Return the rows to insert: those that are not stored or are damaged."""
        new: list[Row] = []
        query = "SELECT CAST(line AS BLOB), sum FROM events WHERE id = ?"
        for row in rows:
            found = self._connection.execute(query, row[:1]).fetchone()
            if found is not None and not is_whole(*found):
                self._connection.execute("DELETE FROM events WHERE id = ?", row[:1])
                found = None
            if found is None:
                new.append(row)
            elif found[0] != row[1].encode():
                raise taken(session_id, [row[0] & SEQ_MASK])
        return new

    def behind(self, session_id: str, after: int, most: int, checked: bool) -> tuple[list[row_reader.NamedRow], bool]:
        """Return some rows, and whether numbers are missing among them; then check the file, once a reading."""
        key = self._keys.get(session_id) or self.key(session_id)
        rows, gaps = row_reader.rows_behind(self._connection, key, session_id, after, most)
        if gaps and not checked:
            row_reader.check_pages(self._connection)
        return rows, gaps

    def of_kinds(self, session_id: str, kinds: Sequence[str], after: int) -> list[row_reader.NamedRow]:
        """Return some rows of these kinds, and maybe others that look alike."""
        key = self._keys.get(session_id) or self.key(session_id)
        return row_reader.rows_of_kinds(self._connection, key, session_id, kinds, after)

    def delete(self, session_id: str) -> dict[str, set[str]]:
        """Remove a session from the database, and return the files of sessions that must stay."""
        key = self.key(session_id)
        if not key:
            return {}
        self._connection.execute("PRAGMA secure_delete=ON")
        with self._database.transaction():
            self._connection.execute("DELETE FROM snapshots WHERE session = ?", (key,))
            self._connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
            stays = give_back(self._connection, key, session_id)
            stays = {
                name: refs for name, refs in stays.items() if not self.key(name)
            }  # otherwise it was restored since
        self._keys.pop(session_id, None)
        self._database.unsynced = True
        # The write-ahead log holds old copies until it is emptied; another reader may prevent that for a while.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.execute("PRAGMA secure_delete=OFF")
        return stays
