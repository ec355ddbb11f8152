"""Snapshots: what a session's events came to up to one of them, so that only those behind it have to be read.

A snapshot is never the only truth. One that is missing, damaged or of another version is made anew from the events. A
store may keep them (see `ContextStore`); with any other store all events are read each time.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Protocol, TypeVar

from inarch.contract.errors import PluginError, StoreError
from inarch.contract.events import Event
from inarch.contract.ports import ContextStore

KEEP_AFTER = 1000
"""Events that are worth a snapshot: reading them again takes longer than writing one."""
_UNREADABLE = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


class Foldable(Protocol):
    """What events come to, one after the other.

    `NAME` and `VERSION` say what is kept: the version grows with every change of what `take` or `to_data` do.
    """

    NAME: ClassVar[str]
    VERSION: ClassVar[int]

    def take(self, event: Event) -> object:
        """Take in the next event."""
        ...

    def to_data(self) -> Any:
        """Return all that is needed to go on, as plain JSON data."""
        ...

    def go_on_from(self, data: Any) -> object:
        """Take over, as a new one, what `to_data` gave; damaged data raises."""
        ...


F = TypeVar("F", bound=Foldable)


def scan(store: ContextStore, session_id: str, after: int = 0) -> Iterator[Event]:
    """Yield the events behind a number, in a store that has a way for that without holding them all."""
    reading: Any = getattr(store, "scan", store.load)
    return iter(reading(session_id, after))


def between(store: ContextStore, session_id: str, first: int, last: int) -> Iterator[Event]:
    """Yield the events from one number to another."""
    for event in scan(store, session_id, first - 1):
        if event.seq > last:
            return
        yield event


def folded(store: ContextStore, session_id: str, make: Callable[[], F], keep_after: int = KEEP_AFTER) -> F:
    """Return what all events of a session come to; of a long one a snapshot is kept.

    Args:
        store: Where the session is.
        session_id: The session.
        make: Makes an empty one.
        keep_after: How many events behind the last snapshot are worth a new one.

    Raises:
        StoreError: The events can't be read.
    """
    found, start = _kept(store, session_id, make)
    taken, last = 0, start
    for event in scan(store, session_id, start):
        found.take(event)
        taken, last = taken + 1, event.seq
    if taken >= keep_after:
        keep(store, session_id, last, found)
    return found


def keep(store: ContextStore, session_id: str, seq: int, what: Foldable) -> None:
    """Keep what the events up to `seq` came to, where the store can."""
    put = getattr(store, "put_snapshot", None)
    if put is None:
        return
    text = json.dumps([what.VERSION, what.to_data()], separators=(",", ":")).encode()
    try:
        put(session_id, what.NAME, seq, b"%08x%s" % (zlib.crc32(text), text))
    except (StoreError, PluginError):
        return  # a full or closed store: it is made anew the next time


def carry_over(store: ContextStore, source_id: str, session_id: str, last: int, names: Iterable[str]) -> None:
    """Keep for a session what its first events up to `last` came to in another one that has the same."""
    get, put = (getattr(store, name, None) for name in ("get_snapshot", "put_snapshot"))
    if get is None or put is None:
        return
    for name in names:
        kept = get(source_id, name)
        if kept is not None and kept[0] <= last:
            put(session_id, name, *kept)


def _kept(store: ContextStore, session_id: str, make: Callable[[], F]) -> tuple[F, int]:
    """Return what is kept, and up to which event; an empty one if there is none that can be used."""
    get = getattr(store, "get_snapshot", None)
    empty = make()
    kept = get(session_id, empty.NAME) if get is not None else None
    if kept is None:
        return empty, 0
    seq, data = kept
    try:
        if int(data[:8], 16) != zlib.crc32(data[8:]):
            return empty, 0
        version, content = json.loads(data[8:])
        if version != empty.VERSION:
            return empty, 0
        empty.go_on_from(content)
    except _UNREADABLE:
        return make(), 0
    return empty, int(seq)
