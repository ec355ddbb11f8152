"""The store: events as rows with a checksum, appended in one transaction, on disk when asked."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import inarch
from inarch_sdk.event_log import title_of
from inarch_sqlite_store import database, reading, snapshots
from inarch_sqlite_store.blobs import Blobs
from inarch_sqlite_store.borrowing import Rescued, Span, give_back, lend, spans_of
from inarch_sqlite_store.broken_logs import keep_log, lost_writes
from inarch_sqlite_store.durable import WriteAheadLog
from inarch_sqlite_store.faults import SQLITE_FAULTS, Inconsistent, is_damage, store_error
from inarch_sqlite_store.rows import (
    DESCRIBING,
    SEQ_BITS,
    SEQ_MASK,
    Row,
    by_session,
    digest_of,
    is_blob,
    is_whole,
    root_of,
    row_of,
    taken,
    to_column,
)

T = TypeVar("T")
INLINE_SYNC_S = 0.002
"""A disk that was quicker than this the last time is waited for; a thread would cost more."""
# Nothing else is written for an event: a second page would double the cost. A session that was deleted takes none.
_INSERT = "INSERT INTO events SELECT ?, ?, ? FROM sessions WHERE key = ? >> 32"
_NEW_SESSION = "INSERT INTO sessions (id, root, title, started) VALUES (?, '', '', ?)"
_DESCRIBE = (
    "UPDATE sessions SET root = CASE root WHEN '' THEN ? ELSE root END,"
    " title = CASE title WHEN '' THEN ? ELSE title END WHERE key = ?"
)
SMALL_BLOB = 64 << 10
"""Bytes up to which a blob is a row: on disk with the events by one sync, where a file needs two more."""
_KEEP_BLOB = "INSERT INTO blobs (session, ref, data) SELECT key, ?, ? FROM sessions WHERE key = ?"
_MEND_BLOB = "UPDATE blobs SET data = ? WHERE session = ? AND ref = ?"
_BLOB = "SELECT data FROM blobs WHERE session = ? AND ref = ?"
_LAST = "SELECT max(id) FROM events WHERE id > ? AND id < ?"


class SqliteStore:
    """Sessions under one folder: `sessions.db` and `blobs/`.

    Threads may share it, and processes the folder. Appending what is here already changes nothing. `damage` has a
    sentence for every loss that was found.
    """

    def __init__(self, path: str) -> None:
        self.damage: list[str] = []
        self.only_read: inarch.StoreError | None = None
        self._folder = Path(path)
        self._file = self._folder / database.FILE
        self._blobs = Blobs(self._folder / "blobs")
        self._keys: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._met: set[str] = set()  # sessions that were here once: without its beginning none of them comes back
        self._lock = threading.RLock()
        self._sync_lock = threading.Lock()
        self._log = WriteAheadLog(self._file)
        self._unsynced = False
        self._last_sync_s = 0.0
        self._closed = False
        try:
            self._connection = database.connect(self._folder)
        except SQLITE_FAULTS as error:
            if is_damage(error):
                self._begin_anew(None)
            else:
                self._only_read(store_error(error, str(self._file)))
        except OSError as error:
            self._only_read(store_error(error, str(self._file)))
        else:
            self._look_for_lost_writes()
        self._inode = self._file.stat().st_ino

    def _only_read(self, error: inarch.StoreError) -> None:
        """Open what can't be written, so that it can at least be listed, shown and exported."""
        if error.kind not in ("full", "read_only", "permission"):
            raise error
        try:
            self._connection = database.connect_for_reading(self._folder)
        except (*SQLITE_FAULTS, OSError, inarch.StoreError):
            raise error from None
        self.only_read = error
        self._tell(f"sessions can only be read: {error.message}")

    def _look_for_lost_writes(self) -> None:
        try:
            lost = lost_writes(self._connection, self._file)
        except SQLITE_FAULTS:
            return  # busy or full: whoever opens it next will look
        if lost:
            kept = keep_log(self._file)
            self._tell_lost(
                f"the last {lost} writes to {self._file} are behind a broken page of its log and were lost"
                f"{f' (a copy is {kept.name})' if kept else ''}"
            )

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Databases and logs that were damaged and lie beside the one in use."""
        named = re.compile(rf"{re.escape(database.FILE)}(-wal)?\.damaged-\d+")
        return tuple(sorted(path for path in self._folder.iterdir() if named.fullmatch(path.name)))

    def append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        """Keep events, all or none of them; back when the system has them."""
        if events:
            self._carefully(lambda: self._append(session_id, events))

    async def sync(self) -> None:
        """Return when everything appended is on disk."""
        if not self._unsynced and not self._blobs.waits:
            return
        if self._last_sync_s < INLINE_SYNC_S:
            self._sync_now()
        else:
            await asyncio.to_thread(self._sync_now)

    def load(self, session_id: str, after: int = 0) -> Sequence[inarch.Event]:
        """Return the events with `seq` greater than `after`, in order; damaged ones are left out and told."""
        return [*self.scan(session_id, after)]

    def scan(self, session_id: str, after: int = 0) -> Iterator[inarch.Event]:
        """Yield what `load` returns, without holding it all."""
        place, checked, most = max(after, 0), False, reading.FIRST_CHUNK
        while True:
            rows, gaps = self._carefully(partial(self._rows, session_id, place, most, checked))
            checked = checked or gaps
            for row in rows:
                place = row[0] & SEQ_MASK
                event = reading.event_in(row, session_id)
                if event is None:
                    self._tell(f"event {place} of session {session_id} is damaged and was left out")
                else:
                    yield event
            if len(rows) < most:
                return
            most = min(2 * most, reading.CHUNK)

    def scan_kinds(self, session_id: str, kinds: Collection[str], after: int = 0) -> Iterator[inarch.Event]:
        """Yield the events of these kinds that `scan` yields; SQLite looks for them, and losses are not told."""
        place = max(after, 0)
        while True:
            rows = self._carefully(partial(self._rows_of, session_id, tuple(kinds), place))
            for row in rows:
                place = row[0] & SEQ_MASK
                event = reading.event_in(row, session_id)
                if event is not None and event.kind in kinds:
                    yield event
            if len(rows) < reading.CHUNK:
                return

    def sessions(self, root: str | None = None) -> Sequence[inarch.SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        return self._carefully(lambda: reading.sessions(self._connection, root))

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs; their bytes are overwritten in the file.

        What its forks have of it stays for them.
        """
        for name, keep in (self._carefully(lambda: self._delete(session_id)) or {session_id: set()}).items():
            self._blobs.delete(name, keep)

    def fork(self, source_id: str, first: inarch.Event, last: int) -> None:
        """Begin a session with its first event and those of another one from the second to `last`; none is copied."""
        self._carefully(lambda: self._fork(source_id, first, last))

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Keep bytes and return their SHA-256."""
        digest = hashlib.sha256(data)
        ref = digest.hexdigest()
        self._carefully(partial(self._require, session_id))
        if len(data) <= SMALL_BLOB and self._is_row(session_id, digest.digest(), data):
            return ref
        try:
            return self._blobs.put(session_id, ref, data)
        except OSError as error:
            raise store_error(error, str(self._folder / "blobs")) from error

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        digest = digest_of(ref)
        held = self._carefully(partial(self._held, session_id, digest))
        for row in held.values():
            if row is not None and is_blob(digest, row[0]):
                return bytes(row[0])
        try:
            return self._from_files(ref, held)
        except OSError as error:
            raise store_error(error, str(self._folder / "blobs")) from error

    def _from_files(self, ref: str, held: Mapping[str, object]) -> bytes:
        """Return the bytes that the first of some sessions has; what is wrong with those of the first is told."""
        failed: inarch.StoreError | None = None
        for name, row in held.items():
            try:
                return self._blobs.get(name, ref, is_damaged=row is not None)
            except inarch.StoreError as error:
                failed = error if failed is None or error.kind == "damaged" else failed
        assert failed is not None
        raise failed

    def put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        """Keep what events up to `seq` came to, in the place of what had the name."""
        self._carefully(lambda: snapshots.put(self._connection, self._key(session_id), name, seq, data))

    def get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        """Return the number of the last event that a snapshot is about, and its bytes."""
        return self._carefully(lambda: snapshots.get(self._connection, self._key(session_id), name))

    def _is_row(self, session_id: str, digest: bytes, data: bytes) -> bool:
        """Keep bytes as a row; not where the database takes none now, or knows no such session."""
        try:
            return self._carefully(partial(self._put_row, session_id, digest, data))
        except inarch.StoreError:
            return False

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _carefully(self, work: Callable[[], T]) -> T:
        """Do something with the database; once more with a new file if this one turns out to be broken."""
        with self._lock:
            if self._closed:
                raise inarch.StoreError("missing", f"{self._file} is closed")
            self._follow_file()
            try:
                return work()
            except SQLITE_FAULTS as error:
                if self.only_read is not None:
                    raise self.only_read from error
                if not is_damage(error):
                    raise store_error(error, str(self._file)) from error
            self._begin_anew(self._inode)
            try:
                return work()
            except SQLITE_FAULTS as error:
                raise store_error(error, str(self._file)) from error

    def _follow_file(self) -> None:
        """Go on in the file that has the name now, if another process has replaced a broken one.

        Raises:
            StoreError: There is none: what is written to the one that was removed would be lost.
        """
        try:
            is_same = self._file.stat().st_ino == self._inode
        except FileNotFoundError as error:
            why = f"{self._file} was removed while it was in use: nothing more is recorded"
            raise inarch.StoreError("missing", why, "end this run: the next one begins a new file") from error
        except OSError:
            return  # SQLite says what is wrong
        if not is_same:
            self._begin_anew(self._inode)

    def _append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        key = self._keys.get(session_id, 0)
        try:
            is_next = key and events[0].seq == self._ends[session_id] + 1
            if is_next and DESCRIBING.isdisjoint(event.kind for event in events):
                self._append_at_end(session_id, key, events)
            else:
                self._append_anywhere(session_id, events, again=False)
        except sqlite3.IntegrityError:
            self._append_anywhere(session_id, events, again=True)
        self._unsynced = True

    def _append_at_end(self, session_id: str, key: int, events: Sequence[inarch.Event]) -> None:
        """Append to a session that was appended to before: whatever stands behind its end is refused by its number."""
        rows = [(key << SEQ_BITS | seq, line, checksum) for seq, line, checksum in map(row_of, events)]
        if len(rows) == 1:
            kept = self._connection.execute(_INSERT, (*rows[0], rows[0][0])).rowcount
        else:
            with self._transaction():
                kept = self._connection.executemany(_INSERT, [(*row, row[0]) for row in rows]).rowcount
        self._check_kept(session_id, kept)
        self._ends[session_id] = events[-1].seq

    def _append_anywhere(self, session_id: str, events: Sequence[inarch.Event], *, again: bool) -> None:
        with self._transaction():
            known = self._keys.get(session_id)
            key = known or self._key(session_id) or self._new_key(session_id, events)
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
                self._connection.execute(_DESCRIBE, (to_column(root_of(events)), to_column(title_of(events)), key))
            (last,) = self._connection.execute(_LAST, (key << SEQ_BITS, (key + 1) << SEQ_BITS)).fetchone()
        self._keys[session_id], self._ends[session_id] = key, max(lent, (last or 0) & SEQ_MASK)

    def _mend(self, session_id: str, spans: Sequence[Span], events: Sequence[inarch.Event]) -> None:
        """Put events that a fork shares with another session where they belong, if they aren't there."""
        for span in spans[1:-1]:
            here = [row_of(event.moved(span.name)) for event in events if span.first <= event.seq <= span.last]
            rows = [(span.key << SEQ_BITS | seq, line, checksum) for seq, line, checksum in here]
            for row in self._not_yet_here(session_id, rows):
                self._connection.execute("INSERT INTO events VALUES (?, ?, ?)", row)
                snapshots.forget(self._connection, span.key, row[0] & SEQ_MASK)

    def _fork(self, source_id: str, first: inarch.Event, last: int) -> None:
        with self._transaction():
            source = self._key(source_id)
            if self._key(first.session_id):
                raise taken(first.session_id, [first.seq])
            key = self._new_key(first.session_id, [first])
            if not source or not lend(self._connection, spans_of(self._connection, source, source_id), last, key):
                raise inarch.StoreError("missing", f"there is no event {last} of session {source_id}")
            _, line, checksum = row_of(first)
            self._connection.execute("INSERT INTO events VALUES (?, ?, ?)", ((key << SEQ_BITS) + 1, line, checksum))
            title = "UPDATE sessions SET root = ?, title = (SELECT title FROM sessions WHERE key = ?) WHERE key = ?"
            self._connection.execute(title, (to_column(root_of([first])), source, key))
        self._unsynced = True

    def _put_row(self, session_id: str, digest: bytes, data: bytes) -> bool:
        key = self._keys.get(session_id) or self._key(session_id)
        try:
            kept = self._connection.execute(_KEEP_BLOB, (digest, data, key)).rowcount == 1
        except sqlite3.IntegrityError:
            found = self._connection.execute(_BLOB, (key, digest)).fetchone()
            kept = found == (data,) or self._connection.execute(_MEND_BLOB, (data, key, digest)).rowcount == 1
        self._unsynced = self._unsynced or kept
        return kept

    def _held(self, session_id: str, digest: bytes) -> dict[str, tuple[Any] | None]:
        """Return the row of a blob in the session, and in those that it has events of."""
        key = self._keys.get(session_id) or self._key(session_id)
        spans = spans_of(self._connection, key, session_id)
        keys = {session_id: key} | {span.name: span.key for span in spans}
        return {name: self._connection.execute(_BLOB, (one, digest)).fetchone() for name, one in keys.items()}

    def _check_kept(self, session_id: str, count: int) -> None:
        if not count:
            raise self._is_gone(session_id)

    def _is_gone(self, session_id: str) -> inarch.StoreError:
        self._keys.pop(session_id, None)
        return inarch.StoreError("missing", f"session {session_id} was deleted meanwhile", "start a new session")

    def _require(self, session_id: str) -> None:
        """Refuse bytes for a session that was deleted: they would stay for ever."""
        if session_id in self._met and not self._key(session_id):
            raise self._is_gone(session_id)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _key(self, session_id: str) -> int:
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
        """Return the rows to insert: not those that are here already; a damaged one gives up its place."""
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

    def _rows(self, session_id: str, after: int, most: int, checked: bool) -> tuple[list[reading.NamedRow], bool]:
        """Return some rows, and whether numbers are missing among them; then the file is looked at, once a reading."""
        key = self._keys.get(session_id) or self._key(session_id)
        rows, gaps = reading.rows_behind(self._connection, key, session_id, after, most)
        if gaps and not checked:
            reading.check_pages(self._connection)
        return rows, gaps

    def _rows_of(self, session_id: str, kinds: Sequence[str], after: int) -> list[reading.NamedRow]:
        key = self._keys.get(session_id) or self._key(session_id)
        return reading.rows_of_kinds(self._connection, key, session_id, kinds, after)

    def _delete(self, session_id: str) -> dict[str, set[str]]:
        """Remove it from the database, and return which files of which sessions stay."""
        key = self._key(session_id)
        if not key:
            return {}
        self._connection.execute("PRAGMA secure_delete=ON")
        with self._transaction():
            self._connection.execute("DELETE FROM snapshots WHERE session = ?", (key,))
            self._connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
            stays = give_back(self._connection, key, session_id)
            stays = {name: refs for name, refs in stays.items() if not self._key(name)}  # else it was restored since
        self._keys.pop(session_id, None)
        self._unsynced = True
        # The write-ahead log holds old copies until it is emptied; another reader may forbid that until later.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.execute("PRAGMA secure_delete=OFF")
        return stays

    def _sync_now(self) -> None:
        with self._sync_lock:
            begun = time.monotonic()
            unsynced, self._unsynced = self._unsynced, False
            try:
                if unsynced:
                    self._log.sync()
                if self._blobs.waits:
                    self._blobs.sync()
            except OSError as error:
                self._unsynced = self._unsynced or unsynced  # others may have appended meanwhile
                raise store_error(error, str(self._file)) from error
            self._last_sync_s = time.monotonic() - begun

    def _begin_anew(self, inode: int | None) -> None:
        """Set the broken file aside and begin a new one with what can be read of it."""
        aside: Path | None = None
        try:
            if inode is not None:
                self._let_go()
            self._keys.clear()
            self._met.clear()
            if inode is None or inode == self._file.stat().st_ino:  # else another process has done it
                aside = database.set_aside(self._folder)
            self._connection = database.connect(self._folder)
            self._inode = self._file.stat().st_ino
            saved = self._rescue(aside) if aside is not None else 0
        except (*SQLITE_FAULTS, OSError) as error:
            raise store_error(error, str(self._file)) from error
        if aside is not None:
            self._tell_lost(f"{self._file} was damaged: it is now {aside.name}, {saved} events were saved from it")

    def _rescue(self, aside: Path) -> int:
        for way in (nullcontext(aside), database.with_new_head(aside)):
            with way as file:
                if file is not None and (saved := self._rescue_from(file)):
                    return saved
        return 0

    def _rescue_from(self, file: Path) -> int:
        """Put what can be read of a broken database into the new one: a fork is a whole session there."""
        found, gone = by_session(database.readable_events(file))
        users: dict[int, list[str]] = {}
        rescued = Rescued(found, gone, database.readable_spans(file))
        for keys, events in rescued.sessions():
            session_id = events[0].session_id
            self._append(session_id, events)
            for key, name in keys.items():
                users.setdefault(key, []).append(session_id)
                self._blobs.share(name, session_id)
        for key, digest, data in database.readable_blobs(file) if users else ():
            for session_id in users.get(key, ()):
                self._put_row(session_id, digest, data)
        return sum(map(len, found.values()))

    def _let_go(self) -> None:
        with self._sync_lock:
            self._log.close()
        try:
            self._connection.close()
        except SQLITE_FAULTS:
            pass  # a last checkpoint may fail on a full disk or a broken file; the log is kept and read next time

    def _tell_lost(self, what: str) -> None:
        """Tell of a loss that event logs may make good."""
        from inarch_sdk.event_log import WAY_ON

        self._tell(f"{what}; {WAY_ON}")

    def _tell(self, sentence: str) -> None:
        if sentence not in self.damage:
            self.damage.append(sentence)
