"""The store of a replay. It writes to unnamed files and holds nothing in memory."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from array import array
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import IO, Any

from attrs import define, field

from inarch import Event, SessionInfo, StoreError
from inarch_plugins.replay.checkpoints import Blob

AT_ONCE = 256
"""Most events read at once."""


@define(eq=False, repr=False)
class _File:
    """A file of consecutive pieces. `starts` has the start of each piece and of the next one."""

    file: IO[bytes] = field(factory=TemporaryFile)
    starts: array[int] = field(factory=lambda: array("Q", [0]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def add(self, data: bytes) -> None:
        self.starts.append(self.starts[-1] + self.file.write(data))

    def read(self, first: int, last: int) -> bytes:
        """Return the pieces from `first`, counted from 0, to before `last`."""
        self.file.flush()
        start, data = self.starts[first], bytearray()
        while len(data) < self.starts[last] - start:
            data += os.pread(self.file.fileno(), self.starts[last] - start - len(data), start + len(data))
        return bytes(data)


@define(eq=False, repr=False)
class CopyStore:
    """Store of a run's single session. It also reads the bytes that the recorded session stored.

    Args:
        kept: Returns the bytes that the recorded session stored.
    """

    kept: Blob
    _events: _File = field(factory=_File)
    _blobs: _File = field(factory=_File)
    _places: dict[bytes, int] = field(factory=dict)
    _session: tuple[str, str] = field(default=("", ""))
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Store events. Known ones are ignored."""
        with self._lock:
            for event in events:
                if event.seq == len(self._events) + 1:
                    self._events.add(event.line.encode() + b"\n")
            if events and not self._session[0]:
                self._session = session_id, events[0].time

    async def sync(self) -> None:
        """Let other tasks run, as a store on disk does."""
        await asyncio.sleep(0)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order."""
        return [*self.scan(session_id, after)]

    def scan(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the result of `load` without holding all of it."""
        while session_id == self._session[0]:
            with self._lock:
                last = min(after + AT_ONCE, len(self._events))
                if after >= last:
                    return
                lines = self._events.read(after, last).decode().split("\n")[:-1]
            yield from map(_event_of, lines)
            after = last

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return nothing, because a replay reads no other session."""
        return ()

    def delete(self, session_id: str) -> None:
        """Do nothing, because a replay deletes no sessions."""

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Store bytes and return their SHA-256."""
        digest = hashlib.sha256(data)
        with self._lock:
            if self._places.setdefault(digest.digest(), len(self._blobs)) == len(self._blobs):
                self._blobs.add(data)
        return digest.hexdigest()

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference, from the run or else the session."""
        with self._lock:
            place = self._places.get(_digest(ref))
            if place is not None:
                return self._blobs.read(place, place + 1)
        return self.kept(ref)

    def close(self) -> None:
        """Close the files."""
        self._events.file.close()
        self._blobs.file.close()


def _digest(ref: str) -> bytes:
    try:
        return bytes.fromhex(ref)
    except ValueError:
        raise StoreError("missing", f"there are no bytes {ref!r:.80}") from None


def _event_of(line: str) -> Event:
    item: dict[str, Any] = json.loads(line)
    return Event(item["seq"], item["time"], item["session_id"], item["turn_id"], item["kind"], item["data"], line)
