"""The index of one root: looks at the files, reads what changed, keeps what it found."""

from __future__ import annotations

import gc
import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from attrs import Factory, define, field

from inarch import Cancelled, FileStat, ToolFailed, Workspace
from inarch_brief_tracer.modules import CODE, EXAMPLE, TEST, VENDORED, module_name, packages_of, role_of
from inarch_brief_tracer.rows import Kept, Stamp, kept_files
from inarch_brief_tracer.source import sound
from inarch_brief_tracer.store import Busy, Store, transaction

if TYPE_CHECKING:
    from inarch_brief_tracer.keeping import Entry

MAX_FILES = 50_000
MAX_BYTES = 2_000_000
"""Larger Python files are generated data; their names are scanned, not parsed, up to this size."""
_RACY_NS = 100_000_000
_COARSE_NS = 2_000_000_000
_ORDER = {CODE: 0, TEST: 1, EXAMPLE: 2, VENDORED: 3}


class Coverage(NamedTuple):
    """How much of the tree is indexed, with what has to be said about it."""

    indexed: int
    files: int
    notes: tuple[str, ...] = ()

    @property
    def note(self) -> str | None:
        """One line for a tool's result, None when all is well."""
        parts = list(self.notes)
        if self.indexed < self.files:
            parts.insert(0, f"indexed {self.indexed:,} of {self.files:,} files, the next call goes on")
        return "; ".join(parts) or None


@define(eq=False, repr=False)
class _Reading:
    """What one refresh found out, before it is written."""

    entries: list[Entry] = Factory(list)
    touched: list[tuple[str, Stamp]] = Factory(list)
    skipped: int = 0


@define(eq=False, repr=False)
class Index:
    """Symbols of one root, kept up to date with its files.

    Args:
        store: Where the index is kept.
        seconds: Time that one call may spend on reading and parsing; the next call goes on.
    """

    store: Store
    seconds: float = 4.0
    _lock: threading.RLock = field(factory=threading.RLock, init=False)
    _fresh: tuple[object, float, Coverage] | None = field(default=None, init=False)

    @contextmanager
    def opened(
        self, workspace: Workspace, moment: object = None, stop: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[sqlite3.Connection, Coverage]]:
        """Bring the index up to date and lend a connection to it.

        Args:
            workspace: Where the files are read.
            moment: Calls with an equal moment share one look at the tree within five seconds; None looks always.
            stop: Asked between files; what was read until then is kept.
        """
        with self._lock, self.store.connection() as connection:
            try:
                coverage = self._current(connection, workspace, moment, stop)
                # What another process writes meanwhile is not seen: rows found stay there until they are read.
                connection.execute("BEGIN")
                try:
                    yield connection, coverage
                finally:
                    connection.execute("ROLLBACK")
            except sqlite3.DatabaseError as error:
                raise Damaged(str(error)) from error

    def recover(self, reason: str, in_memory: bool) -> None:
        """Throw the kept index away, so that the next use builds it again: where it was, or in memory."""
        with self._lock:
            self._fresh = None
            self.store.discard()
            if in_memory:
                self.store.keep_in_memory(reason)

    def _current(
        self, connection: sqlite3.Connection, workspace: Workspace, moment: object, stop: Callable[[], bool]
    ) -> Coverage:
        now = time.monotonic()
        if self._fresh and moment is not None and self._fresh[0] == moment and now - self._fresh[1] < 5:
            return self._fresh[2]
        coverage = self.refresh(connection, workspace, stop)
        complete = coverage.indexed == coverage.files
        self._fresh = (moment, time.monotonic(), coverage) if complete else None
        return coverage

    def refresh(
        self, connection: sqlite3.Connection, workspace: Workspace, stop: Callable[[], bool] = lambda: False
    ) -> Coverage:
        """Read what changed since the last time, as far as time allows, and say how far that was."""
        walk = workspace.walk("**/*.py", MAX_FILES)
        # A name that is no text has no place in the index.
        paths = [path for path in walk.paths if sound(path) == path]
        kept = kept_files(connection)
        packages = packages_of(paths)
        present = set(paths)
        gone = [path for path in kept if path not in present]
        changed: list[tuple[str, FileStat, str]] = []
        for path in paths:
            module = module_name(path, packages)
            known, stat = kept.get(path), workspace.stat(path)
            if stat is None or stat.kind != "file":
                if known:
                    gone.append(path)
            elif known is None or known.module != module or not _is_unchanged(known.stamp, stat):
                changed.append((path, stat, module))
        reading = self._read(workspace, changed, kept, stop) if changed else _Reading()
        notes = [f"only the first {MAX_FILES:,} Python files are looked at"] if walk.truncated else []
        if (gone or reading.entries or reading.touched) and not _keep(connection, gone, reading):
            notes.append("another process is writing the index: the answer is from before its changes")
        indexed = connection.execute("SELECT count(*) FROM files").fetchone()[0] + reading.skipped
        notes += _unparsable(connection)
        if reading.skipped:
            files = "1 Python file" if reading.skipped == 1 else f"{reading.skipped:,} Python files"
            notes.append(f"{files} can't be read")
        if self.store.note:
            notes.append(self.store.note)
        return Coverage(min(indexed, len(present)), len(present), tuple(notes))

    def _read(
        self,
        workspace: Workspace,
        changed: list[tuple[str, FileStat, str]],
        kept: dict[str, Kept],
        stop: Callable[[], bool],
    ) -> _Reading:
        reading = _Reading()
        changed.sort(key=lambda item: (_ORDER[role_of(item[0])], item[0].count("/"), item[0]))
        deadline = time.monotonic() + self.seconds
        with _uncollected():
            for path, stat, module in changed:
                if time.monotonic() > deadline or stop():
                    break
                try:
                    self._read_one(workspace, path, stat, module, kept.get(path), reading)
                except Cancelled:
                    break  # what was read so far is worth keeping
        return reading

    def _read_one(
        self, workspace: Workspace, path: str, stat: FileStat, module: str, known: Kept | None, reading: _Reading
    ) -> None:
        now = time.time_ns()
        try:
            whole = workspace.read(path, max_bytes=MAX_BYTES)
        except ToolFailed:
            reading.skipped += 1
            return
        stamp = Stamp(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, now)
        data = whole.data
        content = whole.hash or hashlib.sha256(data).hexdigest()
        if known and known.hash == content and known.module == module:
            reading.touched.append((path, stamp))
            return
        from inarch_brief_tracer.keeping import Entry
        from inarch_brief_tracer.syntax import extracted, readable

        role = role_of(path)
        if role == TEST:
            # Tests are most of a large tree and rarely asked for: names now, facts when they are.
            reading.entries.append(Entry(path, module, role, stamp, content, None, readable(data)))
            return
        facts, text = extracted(data, light=stat.size > MAX_BYTES)
        reading.entries.append(Entry(path, module, role, stamp, content, facts, text))


def _keep(connection: sqlite3.Connection, gone: list[str], reading: _Reading) -> bool:
    """Write what a refresh found out; False where another process writes."""
    from inarch_brief_tracer.keeping import add, remove, touch

    try:
        with transaction(connection):
            remove(connection, [*gone, *(entry.path for entry in reading.entries)])
            touch(connection, reading.touched)
            add(connection, reading.entries)
    except Busy:
        return False
    return True


def _unparsable(connection: sqlite3.Connection) -> list[str]:
    """Say which product code has names only, because it can't be parsed."""
    rows = connection.execute(
        "SELECT path, unparsable FROM files WHERE unparsable != '' AND role = 'code' ORDER BY path"
    ).fetchall()
    if not rows:
        return []
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    return [f"can't parse {rows[0][0]} ({rows[0][1]}){more}"]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Switch the garbage collector off: trees make many objects and no cycles, looking at them takes a third more."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Damaged(Exception):
    """The kept index can't be read; it is to be discarded."""


def _is_unchanged(kept: Stamp, now: FileStat) -> bool:
    """Compare stamps as git does: one as young as the reading itself proves nothing."""
    if (kept.size, kept.mtime_ns, kept.ctime_ns, kept.inode) != (now.size, now.mtime_ns, now.ctime_ns, now.inode):
        return False
    youngest = max(now.mtime_ns, now.ctime_ns)
    margin = _COARSE_NS if youngest % 1_000_000_000 == 0 else _RACY_NS
    return youngest < kept.read_ns - margin
