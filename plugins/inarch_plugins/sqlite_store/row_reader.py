"""Reading of events of a session and of those that it borrows from, and the list of sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import inarch
from inarch_plugins.sqlite_store.faults import Inconsistent
from inarch_plugins.sqlite_store.rows import SEQ_BITS, SEQ_MASK, event_of, from_column, is_whole, time_of, to_column
from inarch_plugins.sqlite_store.shared_events import spans_of

NamedRow = tuple[int, bytes, int, str]
"""(id, line, checksum of the line, id of the session that the line names)"""
CHUNK = 256
"""Rows that are read at once: a session may have more of them than fit in memory."""
FIRST_CHUNK = 16
"""Rows in the first read: a reader of a few rows from the middle of a long session stops soon."""
_LOAD = "SELECT id, CAST(line AS BLOB), sum FROM events WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
# A line names its kind before its data, which may be long.
_LOAD_KINDS = "SELECT id, CAST(line AS BLOB), sum FROM events WHERE id > ? AND id < ? AND ({}) ORDER BY id LIMIT ?"
_LAST = "SELECT max(id) FROM events WHERE id > ? AND id < ?"
# The last event of a fork to which nothing was added lies with another session.
_SESSIONS = """
SELECT session.id, session.root, session.started, substr(last.line, 1, 100), last.id & 0xFFFFFFFF, session.title
FROM sessions AS session LEFT JOIN events AS last ON last.id = coalesce(
    (SELECT max(id) FROM events WHERE id < session.key + 1 << 32 AND id > (session.key << 32) +
        coalesce((SELECT max(last) FROM borrowed WHERE session = session.key), 0)),
    (SELECT (source << 32) + last FROM borrowed WHERE session = session.key ORDER BY last DESC LIMIT 1))
WHERE ? IS NULL OR session.root = ? ORDER BY session.started DESC, session.key DESC
"""


def event_in(row: NamedRow, session_id: str) -> inarch.Event | None:
    """Return the event of a row as one of the session being read, None if it is damaged."""
    row_id, line, checksum, name = row
    event = event_of(line) if is_whole(line, checksum) else None
    if event is None or event.seq != row_id & SEQ_MASK or event.session_id != name:
        return None
    return event if name == session_id else event.moved(session_id)


def rows_behind(
    connection: sqlite3.Connection, key: int, session_id: str, after: int, most: int
) -> tuple[list[NamedRow], bool]:
    """Return the next rows of a session, and whether numbers are missing among them."""
    rows: list[NamedRow] = []
    gaps = False
    for span in spans_of(connection, key, session_id):
        if span.last > after and len(rows) < most:
            base = span.key << SEQ_BITS
            begin, end, wanted = base + max(after, span.first - 1), base + span.last + 1, most - len(rows)
            found = connection.execute(_LOAD, (begin, end, wanted)).fetchall()
            if len(found) < wanted:
                (last,) = connection.execute(_LAST, (begin, end)).fetchone()
                gaps = gaps or last != (found[-1][0] if found else None)
            rows += ((*row, span.name) for row in found)
    if rows:
        gaps = gaps or (rows[-1][0] & SEQ_MASK) - after != len(rows)
    elif key and not after:
        gaps = True
    return rows, gaps


def rows_of_kinds(
    connection: sqlite3.Connection, key: int, session_id: str, kinds: Sequence[str], after: int
) -> list[NamedRow]:
    """Return the next rows of these kinds, and maybe others that look alike."""
    rows: list[NamedRow] = []
    for span in spans_of(connection, key, session_id):
        if span.last > after and len(rows) < CHUNK:
            base = span.key << SEQ_BITS
            place = base + max(after, span.first - 1), base + span.last + 1
            query = _LOAD_KINDS.format(" OR ".join(["instr(substr(line, 1, 400), ?)"] * len(kinds)))
            marks = (f'"kind":"{kind}"' for kind in kinds)
            found = connection.execute(query, (*place, *marks, CHUNK - len(rows))).fetchall()
            rows += ((*row, span.name) for row in found)
    return rows


def check_pages(connection: sqlite3.Connection) -> None:
    """Check for damage that makes SQLite skip rows without noticing.

    Raises:
        Inconsistent: There is damage.
    """
    if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise Inconsistent("rows are missing or out of order")


def sessions(connection: sqlite3.Connection, root: str | None) -> list[inarch.SessionInfo]:
    """Return the sessions of a root, or all, newest first."""
    rows = connection.execute(_SESSIONS, [to_column(root)] * 2).fetchall()
    return [
        inarch.SessionInfo(session_id, from_column(place), begun, time_of(line) or begun, last or 0, from_column(title))
        for session_id, place, begun, line, last, title in rows
    ]
