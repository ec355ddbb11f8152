"""Snapshots of a session's state at an event, so that only later events must be read.

A snapshot is only a cache. If it is missing, damaged or of another version, it is rebuilt from the events. A store may
support snapshots (see `ContextStore`). With other stores, all events are read each time. Data that only grows is stored
in segments (see `Rows`), so that updating a snapshot takes constant time.
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
"""Events that justify a snapshot: reading them again takes longer than writing one."""
SEGMENT = 200
"""Rows of a segment: few, because up to this many are rewritten each time, but enough to limit the number of reads."""
_UNREADABLE = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


class Foldable(Protocol):
    """State that is built from events, one after the other.

    `NAME` and `VERSION` identify the stored data. Increase the version with every change of `take` or `to_data`. The
    attribute `rows` is stored in segments (see `Rows`); their data is part of the state's own.
    """

    NAME: ClassVar[str]
    VERSION: ClassVar[int]

    def take(self, event: Event) -> object:
        """Process the next event."""
        ...

    def to_data(self) -> Any:
        """Return the whole state as plain JSON data."""
        ...

    def go_on_from(self, data: Any) -> object:
        """Restore the data of `to_data` in a new object; damaged data raises."""
        ...


F = TypeVar("F", bound=Foldable)
R = TypeVar("R", bound=tuple[Any, ...])


@define(eq=False, repr=False)
class Rows(Generic[R]):
    """Append-only rows: the snapshot holds the last ones, and each full segment is stored separately.

    Segments are named `NAME.1` and so on. A row starts with the number of its event, so segments of all writers are the
    same. `row_of` makes a row from JSON data. Code that does not look back can skip the stored segments.
    """

    row_of: Callable[[Any], R]
    looks_back: bool = True
    segments: int = field(init=False, default=0)
    _earlier: list[R] = field(init=False, factory=list)
    _latest: list[R] = field(init=False, factory=list)

    def __iter__(self) -> Iterator[R]:
        return chain(self._earlier, self._latest)

    def add(self, row: R) -> None:
        """Append a row."""
        self._latest.append(row)

    def full(self) -> Iterator[tuple[int, list[R]]]:
        """Yield each full segment with its number; it counts as stored when the next one is requested."""
        while len(self._latest) >= SEGMENT:
            segment = self._latest[:SEGMENT]
            yield self.segments + 1, segment
            self.segments += 1
            del self._latest[:SEGMENT]
            if self.looks_back:
                self._earlier += segment

    def look_back(self, segment: Any) -> None:
        """Load the next stored segment; damaged data raises."""
        if len(segment) != SEGMENT:
            raise ValueError("wrong size")
        self._earlier += map(self.row_of, segment)

    def to_data(self) -> Any:
        """Return the number of segments, and the rows outside of them."""
        return [self.segments, self._latest]

    def go_on_from(self, data: Any) -> None:
        """Restore the data of `to_data`."""
        self.segments, latest = data
        self._latest = [*map(self.row_of, latest)]


class HasRows(Protocol):
    """`Foldable` with a part that is stored in segments."""

    rows: Rows[Any]


def scan(store: ContextStore, session_id: str, after: int = 0, kinds: Collection[str] = ()) -> Iterator[Event]:
    """Yield the events numbered above `after`, all or those of `kinds`.

    A store that cannot scan loads the session whole.
    """
    if kinds and (picking := able(store, ScansKinds)) is not None:
        return iter(picking.scan_kinds(session_id, kinds, after))
    reading = able(store, Scans)
    events = reading.scan(session_id, after) if reading is not None else store.load(session_id, after)
    return (event for event in events if not kinds or event.kind in kinds)


def between(store: ContextStore, session_id: str, first: int, last: int) -> Iterator[Event]:
    """Yield the events between two numbers, both included."""
    for event in scan(store, session_id, first - 1):
        if event.seq > last:
            return
        yield event


def folded(store: ContextStore, session_id: str, make: Callable[[], F], keep_after: int = KEEP_AFTER) -> F:
    """Return the state after all events of a session; store a snapshot if the session is long.

    Raises:
        StoreError: The events cannot be read.
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
    """Store the state after event `seq`, if the store supports it."""
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
        return  # a full or closed store: the snapshot is rebuilt next time


def carry_over(store: ContextStore, source_id: str, session_id: str, last: int, names: Iterable[str]) -> None:
    """Copy the snapshots up to event `last` from another session that has the same events."""
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
    """Return the stored state and its last event; an empty state if there is no usable snapshot."""
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
    """Return the content of a snapshot from `get_snapshot`."""
    data = kept[1] if kept is not None else b""
    if int(data[:8], 16) != zlib.crc32(data[8:]):
        raise ValueError("damaged")
    of, content = json.loads(data[8:])
    if of != version:
        raise ValueError("wrong version")
    return content
