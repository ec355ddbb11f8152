"""Conversion between events and rows."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Sequence

import inarch

SEQ_BITS = 32
SEQ_MASK = (1 << SEQ_BITS) - 1
DESCRIBING = frozenset({"session.started", "turn.started"})
"""Kinds that describe a session."""
_DECODER = json.JSONDecoder()
_REF = re.compile("[0-9a-f]{64}")
_TIME = re.compile(r'"time":"([^"]+)"')
Row = tuple[int, str, int]
"""(id, line, checksum of the line)"""


def row_of(event: inarch.Event) -> Row:
    """Return an event's row, with the seq in place of the id."""
    line = event.line
    return event.seq, line, zlib.crc32(line.encode())


def is_whole(line: object, checksum: object) -> bool:
    """Return whether a line is unchanged."""
    return isinstance(line, bytes) and zlib.crc32(line) == checksum


def digest_of(ref: str) -> bytes:
    """Return the column of a blob's reference; empty for a text that is not one."""
    return bytes.fromhex(ref) if _REF.fullmatch(ref) else b""


def is_blob(digest: object, data: object) -> bool:
    """Return whether bytes are the stored ones."""
    return isinstance(data, bytes) and hashlib.sha256(data).digest() == digest


def event_of(line: bytes) -> inarch.Event | None:
    """Return the event of a line, None if it is not one."""
    try:
        text = line.decode()
        item, end = _DECODER.raw_decode(text)  # a fifth faster than json.loads, which looks for white space
        if end != len(text):
            return None
        return inarch.Event(
            item["seq"], item["time"], item["session_id"], item["turn_id"], item["kind"], item["data"], text
        )
    except (ValueError, KeyError, TypeError):
        return None


def to_column(text: str | None) -> str | bytes | None:
    """Return text in SQLite's form: bytes for a path with lone surrogates, which is not UTF-8."""
    if text is None or text.isascii():
        return text
    data = text.encode("utf-8", "surrogatepass")
    return text if data.decode("utf-8", "ignore") == text else data


def from_column(value: str | bytes) -> str:
    """Return the text of a column."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def time_of(line: str | None) -> str | None:
    """Return the time at the beginning of a line."""
    found = _TIME.search(line or "")
    return found[1] if found else None


def root_of(events: Iterable[inarch.Event]) -> str:
    """Return the workspace in a session's first event."""
    return next((str(event.data.get("root", "")) for event in events if event.kind == "session.started"), "")


Found = dict[tuple[int, str], list[inarch.Event]]
"""Events in order, by their session's key and id."""


def by_session(lines: Iterable[tuple[int, bytes]]) -> tuple[Found, set[int]]:
    """Return the events of rescued lines by session, and the keys of deleted sessions that lent some."""
    found: dict[tuple[int, str], dict[int, inarch.Event]] = {}
    gone: set[int] = set()
    for row_id, line in lines:
        if not row_id & SEQ_MASK:
            gone.add(row_id >> SEQ_BITS)
        event = event_of(line)
        if event is not None:
            found.setdefault((row_id >> SEQ_BITS, event.session_id), {})[event.seq] = event
    return {session: [events[seq] for seq in sorted(events)] for session, events in found.items()}, gone


def taken(session_id: str, seqs: Sequence[int]) -> inarch.StoreError:
    """Return the error for seqs that hold other events."""
    return inarch.StoreError(
        "busy",
        f"session {session_id} already has another event {seqs[0]}: another process writes to it",
        "continue in one place only, or start a new session",
    )
