"""Snapshots derived from events, stored beside them in a table that is made if it is missing.

They can be derived again, so the table is not part of the schema's version.
"""

from __future__ import annotations

import sqlite3

_TABLE = """
CREATE TABLE IF NOT EXISTS snapshots (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
    UNIQUE (session, name)
)
"""
_PUT = (
    "INSERT INTO snapshots (session, name, seq, data) SELECT key, ?, ?, ? FROM sessions WHERE key = ?"
    " ON CONFLICT (session, name) DO UPDATE SET seq = excluded.seq, data = excluded.data"
)
_FORGET = (
    "DELETE FROM snapshots WHERE seq >= ? AND"
    " (session = ? OR session IN (SELECT session FROM borrowed WHERE source = ? AND last >= ?))"
)


def prepare(connection: sqlite3.Connection) -> None:
    """Make the table if it is missing and the database is writable."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'snapshots'").fetchone() is None:
        try:
            connection.execute(_TABLE)
        except sqlite3.OperationalError:
            return


def put(connection: sqlite3.Connection, key: int, name: str, seq: int, data: bytes) -> None:
    """Store a snapshot of a session, if the session exists."""
    connection.execute(_PUT, (name, seq, data, key))


def get(connection: sqlite3.Connection, key: int, name: str) -> tuple[int, bytes] | None:
    """Return the number of a snapshot's last event, and its bytes."""
    query = "SELECT seq, data FROM snapshots WHERE session = ? AND name = ?"
    found = connection.execute(query, (key, name)).fetchone() if key else None
    return found if found and type(found[0]) is int and type(found[1]) is bytes else None


def forget(connection: sqlite3.Connection, key: int, seq: int) -> None:
    """Remove snapshots that include an event or later ones: of its session, and of those that borrow it."""
    connection.execute(_FORGET, (seq, key, key, seq))
