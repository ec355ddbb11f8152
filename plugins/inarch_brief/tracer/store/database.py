"""The stored index: one SQLite file for each root in the user's cache, rebuilt whenever in doubt."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field

from inarch_brief.search.index import Index as Search
from inarch_brief.search.index import format_of, kept_format
from inarch_brief.tracer.facts.file_facts import FACTS_VERSION
from inarch_lib.staging import make_folder

SCHEMA_VERSION = 7
BUSY_MS = 2000
"""The longest wait for another process that writes, which takes about a second at most."""

_UNUSED_SECONDS = 14 * 86_400

_SCHEMA = """
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, module TEXT NOT NULL, role TEXT NOT NULL,
    level TEXT NOT NULL, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER, read_ns INTEGER,
    hash TEXT NOT NULL, unparsable TEXT NOT NULL, facts BLOB NOT NULL);
CREATE INDEX files_module ON files(module);
CREATE TABLE symbols(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
    dotted TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER, end INTEGER, signature TEXT, doc TEXT, flags INTEGER);
CREATE INDEX symbols_file ON symbols(file);
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
CREATE TABLE entries(file INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, place INTEGER NOT NULL,
    line INTEGER NOT NULL, how TEXT NOT NULL, target TEXT NOT NULL);
CREATE INDEX entries_file ON entries(file);
CREATE TABLE link_facts(file INTEGER PRIMARY KEY, facts BLOB NOT NULL);
CREATE TABLE exports(file INTEGER NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL);
CREATE TABLE calls(file INTEGER, caller INTEGER, callee INTEGER, kind INTEGER, confidence INTEGER, line INTEGER,
    PRIMARY KEY(file, caller, callee, kind)) WITHOUT ROWID;
CREATE TABLE linked(file INTEGER PRIMARY KEY, mode TEXT NOT NULL);
CREATE TABLE gates(symbol INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, how TEXT NOT NULL);
CREATE TABLE state(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
"""


class Busy(Exception):
    """Another process holds the store."""


@define(eq=False, repr=False)
class Store:
    """The database of a root, in memory if the disk is not writable."""

    folder: str
    root: str
    note: str = ""
    _memory: sqlite3.Connection | None = field(default=None, init=False)
    path: str = field(init=False)
    """The database file. Each version of schema and facts has its own."""

    @path.default
    def _named(self) -> str:
        key = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        return f"{self.folder}/symbols-{key}-v{SCHEMA_VERSION}.{FACTS_VERSION}.sqlite"

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for one use. The caller holds the index's lock."""
        if self._memory is not None:
            yield self._memory
            return
        connection = self._opened()
        try:
            yield connection
        finally:
            if connection is not self._memory:
                connection.close()

    def _opened(self) -> sqlite3.Connection:
        if not self.folder:
            return self.keep_in_memory("there is no cache folder")
        try:
            make_folder(self.folder)
            return self._on_disk()
        except OSError as error:
            return self.keep_in_memory(error.strerror or str(error))
        except sqlite3.OperationalError as error:
            return self.keep_in_memory(str(error))
        except sqlite3.DatabaseError:
            self.discard()
            try:
                return self._on_disk()
            except (sqlite3.Error, OSError) as error:
                return self.keep_in_memory(str(error))

    def _on_disk(self) -> sqlite3.Connection:
        # The umask does not affect files that SQLite creates: the first one decides the mode of the others.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            if not os.path.getsize(self.path):  # on an old file the second pragma would wait for a writer
                connection.execute(
                    "PRAGMA page_size = 2048"
                )  # for a new file: most rows are small, and blobs fill their own pages
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # merging returns empty pages
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")  # a cache: it is rebuilt after a power loss
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'state'").fetchone():
                _create(connection)
                self._forget_old_versions()
            if kept_format(connection) != format_of():
                raise sqlite3.DatabaseError("the words are stored in another format")
        except BaseException:
            connection.close()
            raise
        return connection

    def _forget_old_versions(self) -> None:
        """Remove databases of other versions for this root, unless they were used lately."""
        import glob  # needed once for each index

        start = self.path.rpartition("-v")[0]
        for path in glob.glob(f"{glob.escape(start)}-v*"):
            try:
                if not path.startswith(self.path) and os.stat(path).st_mtime < time.time() - _UNUSED_SECONDS:
                    os.unlink(path)
            except OSError:
                pass  # another process was first

    def keep_in_memory(self, reason: str) -> sqlite3.Connection:
        """Keep the index in memory from now on, and record the reason."""
        self.note = f"the index is kept in memory only: {reason} ({self.folder or 'no cache folder'})"
        self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._memory.close)
        _create(self._memory)
        return self._memory

    def discard(self) -> None:
        """Delete the damaged index."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None
        for suffix in ("", "-wal", "-shm", "-journal"):
            try:
                os.unlink(self.path + suffix)
            except OSError:
                pass


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'state'").fetchone():
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        Search(connection)
        connection.execute("INSERT INTO state VALUES ('born', ?)", (os.urandom(8).hex(),))
    connection.execute("COMMIT")


def give_back(connection: sqlite3.Connection) -> None:
    """Shorten the file by its empty pages."""
    (empty,) = connection.execute("PRAGMA freelist_count").fetchone()
    for _ in range(empty):
        connection.execute("PRAGMA incremental_vacuum(1)")  # frees one page a step, and this is one step


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise Busy(str(error)) from error
        raise
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
