"""Opening of the database: its file, its schema, and the handling of a broken file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import inarch
from inarch.staging import keep_former
from inarch_lib.staging import make_folder
from inarch_plugins.sqlite_store import shared_events, snapshots
from inarch_plugins.sqlite_store.faults import SQLITE_FAULTS
from inarch_plugins.sqlite_store.rows import is_blob, is_whole

FILE = "sessions.db"
SCHEMA_VERSION = 3
BUSY_S = 0.1
"""Maximum wait of a statement for another process; short, because the event loop waits with it."""
OPENING_S = 5.0

# An event's id is its session's key and its seq in one number. Rows of a session are thus adjacent, the primary key
# refuses a second writer of a seq, and no second index is written.
_SCHEMA = """
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, root TEXT NOT NULL, title TEXT NOT NULL,
    started TEXT NOT NULL
);
CREATE TABLE events (id INTEGER PRIMARY KEY, line TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE VIEW log AS SELECT sessions.id AS session_id, events.id & 0xFFFFFFFF AS seq, line
    FROM events JOIN sessions ON sessions.key = events.id >> 32;
"""
# Added by version 2, last, so that the other tables begin where they did. Rows come in the order of writing: with bytes
# in the order of their hashes, SQLite would move the pages of three of them for each.
_SCHEMA_2 = """
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, ref BLOB NOT NULL, data BLOB NOT NULL, UNIQUE (session, ref)
);
"""
_SCHEMAS = (_SCHEMA, _SCHEMA_2, shared_events.SCHEMA)
"""Additions of each version to the previous one."""


def connect(folder: Path) -> sqlite3.Connection:
    """Open the database in a folder; make it if it does not exist.

    Raises:
        sqlite3.Error: It cannot be opened; `faults` explains why.
        OSError: The folder or the file cannot be made.
        inarch.StoreError: A newer Inarch wrote it.
    """
    make_folder(folder)
    file = folder / FILE
    _make_private(file)
    connection = sqlite3.connect(file, timeout=OPENING_S, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, file)
    except (*SQLITE_FAULTS, OSError, inarch.StoreError):
        connection.close()
        raise
    return connection


def connect_for_reading(folder: Path) -> sqlite3.Connection:
    """Open a database in a read-only folder, where even SQLite's auxiliary files cannot be made.

    A database with a log is read from a copy in memory, made in the folder for temporary files.

    Raises:
        sqlite3.Error, OSError: It cannot be read either.
    """
    file, wal = folder / FILE, folder / f"{FILE}-wal"
    file.stat()
    has_log = wal.exists() and wal.stat().st_size > 0
    place = ":memory:" if has_log else f"{file.as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(place, uri=True, check_same_thread=False)
    try:
        if has_log:
            _copy_into(connection, file, wal)
        connection.isolation_level = None
        connection.text_factory = _readable
        connection.execute("PRAGMA query_only=ON")
        if inarch.is_older(file, _version(connection), SCHEMA_VERSION):
            raise sqlite3.OperationalError("it is of an older version and can't be upgraded here")
    except (*SQLITE_FAULTS, OSError, inarch.StoreError):
        connection.close()
        raise
    return connection


def _copy_into(connection: sqlite3.Connection, file: Path, wal: Path) -> None:
    from shutil import copyfile
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="inarch-") as place:
        for source in (file, wal):
            copyfile(source, Path(place, source.name))
        with closing(sqlite3.connect(Path(place, FILE))) as copied:
            copied.backup(connection)


def _readable(data: bytes) -> str:
    return data.decode("utf-8", "replace")  # a damaged title is harmless


def _make_private(file: Path) -> None:
    try:
        # SQLite gives its other files the permissions of this one. Never opened once it exists: closing a second
        # descriptor of a database drops the locks that this process holds on it (POSIX).
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    connection.text_factory = _readable
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    if _version(connection) != SCHEMA_VERSION:
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)
        if inarch.is_older(file, version, SCHEMA_VERSION):
            if version:  # otherwise it was made a moment ago
                keep_former(file, version, _copy)
            for statement in "".join(_SCHEMAS[version:]).split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.execute("COMMIT")
    snapshots.prepare(connection)
    connection.execute(f"PRAGMA busy_timeout={int(BUSY_S * 1000)}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; of connections that switch a new file at once, SQLite makes all but one fail."""
    end = time.monotonic() + OPENING_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _copy(file: Path, target: Path) -> None:
    """Copy a database including the content of its log."""
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target)) as copied:
        copied.execute("PRAGMA journal_mode=OFF")  # a copy that breaks off is useless
        source.backup(copied)


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def set_aside(folder: Path) -> Path:
    """Rename a broken database with its log, and return its new path."""
    number = 1
    while (aside := folder / f"{FILE}.damaged-{number}").exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        source = folder / f"{FILE}{suffix}"
        if source.exists():
            source.rename(f"{aside}{suffix}")
    return aside


def readable_events(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (id, line) of a broken database's undamaged events that are readable from either end."""
    for row_id, line, checksum in _rows(file, "id, CAST(line AS BLOB), sum", "events"):
        if is_whole(line, checksum):
            yield row_id, line


def readable_blobs(file: Path) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (key of the session, hash, data) of the undamaged blobs that are readable from either end."""
    for _, key, digest, data in _rows(file, "id, session, ref, data", "blobs"):
        if is_blob(digest, data):
            yield key, digest, data


def readable_spans(file: Path) -> Iterator[tuple[int, int, str]]:
    """Yield (key of the session, number of the last event, id of the owner) of events that forks borrow."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA writable_schema=ON")
            yield from connection.execute("SELECT session, last, name FROM borrowed ORDER BY session, last")
    except SQLITE_FAULTS:
        return  # the first event of a fork says it, too


def _rows(file: Path, columns: str, table: str) -> Iterator[Any]:
    last = -1
    for order in ("ASC", "DESC"):
        try:
            connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
        except SQLITE_FAULTS:
            return
        try:
            connection.execute("PRAGMA writable_schema=ON")  # lets SQLite read a file that lost its end
            for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY id {order}"):
                if order == "DESC" and row[0] <= last:
                    return
                yield row
                last = max(last, row[0]) if order == "ASC" else last
            return
        except SQLITE_FAULTS:
            continue  # rows after the broken page are reached from the other end
        finally:
            connection.close()
