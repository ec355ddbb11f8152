"""Errors of SQLite and the system, as errors of the store with a remedy."""

from __future__ import annotations

import errno
import sqlite3

import inarch

WAY_ON = "or go on without a record: --no-journal"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_CLOSED = frozenset({errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENOENT})
# A full disk looks like a write that ends early if SQLite cannot detect ENOSPC (quota, file size limit).
_SHORT_WRITES = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_FULL}
)


# With a broken schema, SQLite misses our tables and columns, or quotes bytes that aren't UTF-8 in its message. Our rows
# cannot break a constraint: a taken seq is handled where it happens.
SqliteFault = sqlite3.Error | UnicodeDecodeError
SQLITE_FAULTS = (sqlite3.Error, UnicodeDecodeError)
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_CONSTRAINT})
_BROKEN_SCHEMA = ("no such", "unsupported", "already exists", "malformed", "has no column", "values")


class Inconsistent(sqlite3.DatabaseError):
    """Error for a file that contradicts itself in a way that SQLite does not notice."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def is_damage(error: SqliteFault) -> bool:
    """Return whether the file itself is broken."""
    if isinstance(error, UnicodeDecodeError) or _primary(error) in _BROKEN:
        return True
    return _primary(error) == sqlite3.SQLITE_ERROR and any(words in str(error) for words in _BROKEN_SCHEMA)


def store_error(error: SqliteFault | OSError, path: str) -> inarch.StoreError:
    """Return the store's error for one of SQLite or of the system."""
    if isinstance(error, OSError):
        return _system_error(error, path)
    code = getattr(error, "sqlite_errorcode", 0)
    primary = _primary(error)
    if code in _SHORT_WRITES or primary == sqlite3.SQLITE_FULL:
        return _full(path, str(error))
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return inarch.StoreError("busy", f"{path} is locked by another process", f"try again, {WAY_ON}")
    if primary == sqlite3.SQLITE_READONLY:
        return inarch.StoreError("read_only", f"{path} can't be written: {error}", f"make it writable, {WAY_ON}")
    if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return inarch.StoreError("permission", f"{path} can't be opened: {error}", f"check its rights, {WAY_ON}")
    return inarch.StoreError("damaged", f"{path}: {error}", f"move the file away, {WAY_ON}")


def _primary(error: SqliteFault) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _system_error(error: OSError, path: str) -> inarch.StoreError:
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return _full(path, reason)
    if error.errno == errno.EROFS:
        return inarch.StoreError("read_only", f"{path} can't be written: {reason}", f"make it writable, {WAY_ON}")
    if error.errno in _CLOSED:
        return inarch.StoreError("permission", f"{path} can't be used: {reason}", f"check its rights, {WAY_ON}")
    return inarch.StoreError("damaged", f"{path}: {reason}", f"check the disk, {WAY_ON}")


def _full(path: str, reason: str) -> inarch.StoreError:
    return inarch.StoreError("full", f"no room to write {path}: {reason}", f"free some space, {WAY_ON}")
