"""Forks: events that a fork shares with its original session are stored once, and lent.

A fork's first event and all events after its last borrowed one are its own. A deleted session leaves only the events
that others borrow. They are removed with the last borrower.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import inarch
from inarch_plugins.sqlite_store.rows import SEQ_BITS, SEQ_MASK

# A fork of a fork borrows from each session that has some of its events, so no row leads to a row. `name` is the id in
# the lines, even of a deleted session.
SCHEMA = """
CREATE TABLE borrowed (
    session INTEGER NOT NULL, last INTEGER NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (session, last)
) WITHOUT ROWID;
DROP VIEW IF EXISTS log;
CREATE VIEW log AS SELECT sessions.id AS session_id, events.id & 0xFFFFFFFF AS seq, line
    FROM events JOIN sessions ON sessions.key = events.id >> 32
    UNION ALL SELECT sessions.id, events.id & 0xFFFFFFFF, line
    FROM borrowed AS part JOIN sessions ON sessions.key = part.session
    JOIN events ON events.id <= (part.source << 32) + part.last AND events.id > (part.source << 32) +
        coalesce((SELECT max(last) FROM borrowed WHERE session = part.session AND last < part.last), 1);
"""
_REFERENCE = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_IS_SESSION = "SELECT 1 FROM sessions WHERE key = ?"


class Span(NamedTuple):
    """Adjacent events of a session: first and last number, their key, and the session id in them."""

    first: int
    last: int
    key: int
    name: str


def spans_of(connection: sqlite3.Connection, key: int, session_id: str) -> list[Span]:
    """Return the spans of a session's events, in order."""
    query = "SELECT last, source, name FROM borrowed WHERE session = ? ORDER BY last"
    spans: list[Span] = []
    for last, source, name in connection.execute(query, (key,)):
        spans = spans or [Span(1, 1, key, session_id)]
        spans.append(Span(spans[-1].last + 1, last, source, name))
    return [*spans, Span(spans[-1].last + 1 if spans else 1, SEQ_MASK, key, session_id)]


def lend(connection: sqlite3.Connection, spans: Iterable[Span], last: int, key: int) -> bool:
    """Give the session under `key` the events from the second to `last`; return whether the last one exists."""
    is_there = False
    for span in spans:
        end = min(span.last, last)
        if max(span.first, 2) <= end:
            connection.execute("INSERT INTO borrowed VALUES (?, ?, ?, ?)", (key, end, span.key, span.name))
            found = connection.execute("SELECT 1 FROM events WHERE id = ?", ((span.key << SEQ_BITS) + end,))
            is_there = found.fetchone() is not None
    return is_there or last == 1


def give_back(connection: sqlite3.Connection, key: int, session_id: str) -> dict[str, set[str]]:
    """Remove the events and small blobs of a deleted session, and what was stored for it alone.

    Returns:
        The big blobs that stay, by the session id of their folder.
    """
    query = "SELECT DISTINCT source, name FROM borrowed WHERE session = ?"
    sources = connection.execute(query, (key,)).fetchall()
    connection.execute("DELETE FROM borrowed WHERE session = ?", (key,))
    gone = [one for one in sources if connection.execute(_IS_SESSION, one[:1]).fetchone() is None]
    return {name: _trim(connection, one) for one, name in ((key, session_id), *gone)}


def _trim(connection: sqlite3.Connection, key: int) -> set[str]:
    """Remove a deleted session's events except borrowed ones; return the hashes in those."""
    base = key << SEQ_BITS
    (last,) = connection.execute("SELECT max(last) FROM borrowed WHERE source = ?", (key,)).fetchone()
    lent = base + (last or 0)
    connection.execute(
        "DELETE FROM events WHERE (id >= ? AND id <= ?) OR (id > ? AND id < ?)",
        (base, base + 1, lent, base + SEQ_MASK + 1),
    )
    if last is None:
        connection.execute("DELETE FROM blobs WHERE session = ?", (key,))
        return set()
    connection.execute("INSERT INTO events VALUES (?, '', 0)", (base,))  # so that a rescue brings back no such session
    lines = connection.execute("SELECT CAST(line AS BLOB) FROM events WHERE id > ? AND id <= ?", (base, lent))
    named = {ref.decode() for (line,) in lines for ref in _REFERENCE.findall(line)}
    for row_id, ref in connection.execute("SELECT id, ref FROM blobs WHERE session = ?", (key,)).fetchall():
        if ref.hex() not in named:
            connection.execute("DELETE FROM blobs WHERE id = ?", (row_id,))
    return named


class Rescued:
    """Events of a broken database by session, each fork with its borrowed ones."""

    def __init__(
        self, found: Mapping[tuple[int, str], list[inarch.Event]], gone: set[int], spans: Iterable[tuple[int, int, str]]
    ) -> None:
        self._found = found
        self._by_id = {session_id: key for key, session_id in found}
        self._gone = gone
        self._spans: dict[int, list[tuple[int, str]]] = {}
        for key, last, name in spans:
            self._spans.setdefault(key, []).append((last, name))

    def sessions(self) -> Iterator[tuple[dict[int, str], list[inarch.Event]]]:
        """Yield each session's keys with their ids, its own first, and its events."""
        for key, session_id in self._found:
            if key not in self._gone:
                keys: dict[int, str] = {}
                events = self._whole(key, session_id, keys)
                yield keys, [events[seq] for seq in sorted(events)]

    def _whole(self, key: int, session_id: str, keys: dict[int, str]) -> dict[int, inarch.Event]:
        events = {event.seq: event for event in self._found[key, session_id]}
        keys[key] = session_id
        for last, name in self._spans.get(key) or _named(events.get(1)):
            other = self._by_id.get(name)
            if other is None or other in keys:  # two forks of each other: the file is broken
                continue
            for seq, event in self._whole(other, name, keys).items():
                if 1 < seq <= last:
                    events.setdefault(seq, event.moved(session_id))
        return events


def _named(first: inarch.Event | None) -> list[tuple[int, str]]:
    """Return the owners that the first event of a fork names."""
    last = first.data.get("forked_events") if first is not None and first.kind == "session.started" else None
    return [(last, str(first.data.get("forked_from")))] if first is not None and type(last) is int and last else []
