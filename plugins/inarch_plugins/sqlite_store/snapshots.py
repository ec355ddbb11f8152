"""What was derived from events and is kept beside them, in a table that is made where it is missing.

Whatever it has can be made anew, so it is no part of the schema's version.
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
    """Make the table where it is missing; a database that can only be read does without."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'snapshots'").fetchone() is None:
        try:
            connection.execute(_TABLE)
        except sqlite3.OperationalError:
            return


def put(connection: sqlite3.Connection, key: int, name: str, seq: int, data: bytes) -> None:
    """Keep one of a session, if there is such a session."""
    connection.execute(_PUT, (name, seq, data, key))


def get(connection: sqlite3.Connection, key: int, name: str) -> tuple[int, bytes] | None:
    """Return the last event that one is about, and its bytes."""
    query = "SELECT seq, data FROM snapshots WHERE session = ? AND name = ?"
    found = connection.execute(query, (key, name)).fetchone() if key else None
    return found if found and type(found[0]) is int and type(found[1]) is bytes else None


def forget(connection: sqlite3.Connection, key: int, seq: int) -> None:
    """Remove those of a session, and of the ones it lends the event to, that tell of an event or of later ones."""
    connection.execute(_FORGET, (seq, key, key, seq))
