"""Snapshots: what a session's events came to up to one of them, so that only those behind it have to be read.

A snapshot is never the only truth. One that is missing, damaged or of another version is made anew from the events. A
store may keep them (see `ContextStore`); with any other store all events are read each time. What only grows with the
session is kept in segments (see `Rows`), so that bringing a snapshot up to date takes the same however long it is.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, count
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from attrs import define, field

from inarch.contract.capabilities import KeepsSnapshots, Scans, ScansKinds, able
from inarch.contract.errors import PluginError, StoreError
from inarch.contract.events import Event
from inarch.contract.stores import ContextStore

KEEP_AFTER = 1000
"""Events that are worth a snapshot: reading them again takes longer than writing one."""
SEGMENT = 200
"""Rows of a segment: few, because up to as many are written again each time, and not so few that reading asks often."""
_UNREADABLE = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


class Foldable(Protocol):
    """What events come to, one after the other.

    `NAME` and `VERSION` say what is kept: the version grows with every change of what `take` or `to_data` do. What it
    has as `rows` is kept in segments, see `Rows`; the data of these is part of its own.
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
R = TypeVar("R", bound=tuple[Any, ...])


@define(eq=False, repr=False)
class Rows(Generic[R]):
    """What events only ever add to: its last rows are in the snapshot, each full segment is one of its own.

    They are named `NAME.1` and so on. A row begins with the number of its event, so a segment is the same whoever keeps
    it. `row_of` makes a row of what was read; whoever doesn't look back goes on without those in segments.
    """

    row_of: Callable[[Any], R]
    looks_back: bool = True
    segments: int = field(init=False, default=0)
    _earlier: list[R] = field(init=False, factory=list)
    _latest: list[R] = field(init=False, factory=list)

    def __iter__(self) -> Iterator[R]:
        return chain(self._earlier, self._latest)

    def add(self, row: R) -> None:
        """Add the next row."""
        self._latest.append(row)

    def full(self) -> Iterator[tuple[int, list[R]]]:
        """Yield each full segment with its number; it counts as kept when the next one is asked for."""
        while len(self._latest) >= SEGMENT:
            segment = self._latest[:SEGMENT]
            yield self.segments + 1, segment
            self.segments += 1
            del self._latest[:SEGMENT]
            if self.looks_back:
                self._earlier += segment

    def look_back(self, segment: Any) -> None:
        """Take over the next segment that was kept; damaged data raises."""
        if len(segment) != SEGMENT:
            raise ValueError("of another size")
        self._earlier += map(self.row_of, segment)

    def to_data(self) -> Any:
        """Return how many segments there are, and what is in none."""
        return [self.segments, self._latest]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self.segments, latest = data
        self._latest = [*map(self.row_of, latest)]


class HasRows(Protocol):
    """A `Foldable` part of which is kept in segments."""

    rows: Rows[Any]


def scan(store: ContextStore, session_id: str, after: int = 0, kinds: Collection[str] = ()) -> Iterator[Event]:
    """Yield the events behind a number, all or those of some kinds, without holding them where the store has a way."""
    if kinds and (picking := able(store, ScansKinds)) is not None:
        return iter(picking.scan_kinds(session_id, kinds, after))
    reading = able(store, Scans)
    events = reading.scan(session_id, after) if reading is not None else store.load(session_id, after)
    return (event for event in events if not kinds or event.kind in kinds)


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
    keeping = able(store, KeepsSnapshots)
    if keeping is None:
        return
    growing = able(what, HasRows)
    put = keeping.put_snapshot
    try:
        for number, segment in growing.rows.full() if growing is not None else ():
            put(session_id, f"{what.NAME}.{number}", segment[-1][0], _packed(what.VERSION, segment))
        put(session_id, what.NAME, seq, _packed(what.VERSION, what.to_data()))
    except (StoreError, PluginError):
        return  # a full or closed store: it is made anew the next time


def carry_over(store: ContextStore, source_id: str, session_id: str, last: int, names: Iterable[str]) -> None:
    """Keep for a session what its first events up to `last` came to in another one that has the same."""
    keeping = able(store, KeepsSnapshots)
    if keeping is None:
        return
    for name in names:
        for one in chain((name,), (f"{name}.{number}" for number in count(1))):
            kept = keeping.get_snapshot(source_id, one)
            if kept is None or kept[0] > last:
                break
            keeping.put_snapshot(session_id, one, *kept)


def _kept(store: ContextStore, session_id: str, make: Callable[[], F]) -> tuple[F, int]:
    """Return what is kept, and up to which event; an empty one if there is none that can be used."""
    keeping, found = able(store, KeepsSnapshots), make()
    kept = keeping.get_snapshot(session_id, found.NAME) if keeping is not None else None
    if keeping is None or kept is None:
        return found, 0
    try:
        found.go_on_from(_unpacked(found.VERSION, kept))
        growing = able(found, HasRows)
        if growing is not None and growing.rows.looks_back:
            for number in range(1, growing.rows.segments + 1):
                growing.rows.look_back(
                    _unpacked(found.VERSION, keeping.get_snapshot(session_id, f"{found.NAME}.{number}"))
                )
    except _UNREADABLE:
        return make(), 0
    return found, int(kept[0])


def _packed(version: int, content: Any) -> bytes:
    text = json.dumps([version, content], separators=(",", ":")).encode()
    return b"%08x%s" % (zlib.crc32(text), text)


def _unpacked(version: int, kept: tuple[int, bytes] | None) -> Any:
    """Return the content of what `get_snapshot` gave.

    Raises:
        ValueError: There is none, or it is damaged or of another version.
    """
    data = kept[1] if kept is not None else b""
    if int(data[:8], 16) != zlib.crc32(data[8:]):
        raise ValueError("damaged")
    of, content = json.loads(data[8:])
    if of != version:
        raise ValueError("of another version")
    return content
