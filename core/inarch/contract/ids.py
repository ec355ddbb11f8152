"""Identifiers and times: UUIDv7-shaped ids that sort by creation, RFC 3339 times in UTC.

Both can be taken from another source: a replay says again what a record says.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Protocol

_last_ms = 0
_counter = 0


class Source(Protocol):
    """Where ids and times come from."""

    def new_id(self) -> str:
        """Return the next id."""
        ...

    def utc_now(self) -> str:
        """Return the present time."""
        ...


_source: ContextVar[Source | None] = ContextVar("inarch_ids", default=None)


@contextmanager
def taken_from(source: Source) -> Iterator[None]:
    """Take ids and times from `source` in this context and in the tasks and threads of calls that begin in it."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


def new_id() -> str:
    """Return a UUIDv7-shaped id; ids made in one process sort in the order they were made (RFC 9562, method 1)."""
    source = _source.get()
    return fresh_id() if source is None else source.new_id()


def fresh_id() -> str:
    """Return an id that nothing else has, whatever the source."""
    global _last_ms, _counter
    now = time.time_ns() // 1_000_000
    if now > _last_ms:
        _last_ms, _counter = now, int.from_bytes(os.urandom(2)) & 0x7FF
    else:
        _counter += 1
        if _counter > 0xFFF:
            _last_ms, _counter = _last_ms + 1, 0
    tail = (int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    text = f"{_last_ms & 0xFFFF_FFFF_FFFF:012x}{0x7000 | _counter:04x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def utc_now() -> str:
    """Return the present time, UTC, RFC 3339 with microseconds."""
    source = _source.get()
    if source is not None:
        return source.utc_now()
    return datetime.now(UTC).isoformat(timespec="microseconds")[:-6] + "Z"  # a quarter of the time of strftime
