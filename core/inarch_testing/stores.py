"""Two more stores, for tests and as examples: one that forgets, and one of JSON lines that a person can read.

Both pass the suites of `store_contract`, as every store should.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from inarch.contract.errors import StoreError, StoreErrorKind
from inarch.contract.events import Event
from inarch.contract.records import SessionInfo
from inarch_sdk.memory_store import MemoryStore as MemoryStore
from inarch_staging import write_whole

try:
    import fcntl
except ImportError:  # native Windows: one process at a time
    fcntl = None  # type: ignore[assignment]

_LINE = re.compile(rb'\{"sum":(\d+),"events":(.*)\}')
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_KINDS: dict[int, StoreErrorKind] = {
    errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EFBIG: "full", errno.EROFS: "read_only",
}  # fmt: skip


class JsonlStore:
    """Keeps each session as a file of lines under one folder; a line is a batch with its checksum.

    What is on disk is in memory, too, so this is for sessions of thousands of events, not millions. Threads may share a
    store and processes a folder. `damage` has a sentence for every loss that was found.
    """

    def __init__(self, path: str) -> None:
        self.damage: list[str] = []
        self._folder = Path(path)
        self._known = MemoryStore()
        self._read: dict[Path, _Read] = {}
        self._unsynced: set[Path] = set()
        self._lock = threading.RLock()
        with _told(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._refresh()

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Keep events, all or none of them; ones that are here already are passed over."""
        if not events:
            return
        path = self._folder / f"{_name(session_id)}.jsonl"
        with self._lock, _told(path):
            self._catch_up(path)
            if min(event.seq for event in events) > 1:
                self._known.require(session_id)
        with self._lock, _told(path), _locked(path) as descriptor:
            self._catch_up(path)
            kept = {event.seq: event.line for event in self._known.load(session_id)}
            new = [event for event in events if event.seq not in kept]
            if any(kept[event.seq] != event.line for event in events if event.seq in kept):
                self._known.append(session_id, events)  # refuses it in the words of every store
            if new:
                _write(descriptor, _line_of(new))
                self._unsynced.add(path)
                self._catch_up(path)

    async def sync(self) -> None:
        """Return when everything appended is on disk."""
        with self._lock, _told(self._folder):
            paths, self._unsynced = self._unsynced, set()
            for path in sorted({*paths, *(path.parent for path in paths)}):
                if path.exists():
                    _sync(path)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        """Return the events with `seq` greater than `after`, in order; damaged ones are left out and told."""
        with self._lock, _told(self._folder):
            self._refresh()
            return self._known.load(session_id, after)

    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        with self._lock, _told(self._folder):
            self._refresh()
            return self._known.sessions(root)

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""
        from shutil import rmtree

        path = self._folder / f"{_name(session_id)}.jsonl"
        with self._lock, _told(path):
            path.unlink(missing_ok=True)
            rmtree(self._blobs(session_id), ignore_errors=True)
            self._read.pop(path, None)
            self._known.delete(session_id)

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Keep bytes and return their SHA-256."""
        ref = hashlib.sha256(data).hexdigest()
        path = self._blobs(session_id) / ref
        with self._lock, _told(path):
            self._catch_up(self._folder / f"{_name(session_id)}.jsonl")
            self._known.require(session_id)
            if not path.exists():
                for folder in (path.parent.parent, path.parent):
                    folder.mkdir(exist_ok=True, mode=0o700)
                write_whole(path, data, sync=False)
                self._unsynced.add(path)
        return ref

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference, checked against it."""
        path = self._blobs(session_id) / (ref if _SAFE_NAME.fullmatch(ref) else "-")
        with _told(path):
            if not path.exists():
                raise StoreError("missing", f"session {session_id} has no blob {ref}")
            data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != ref:
            raise StoreError("damaged", f"blob {ref} of session {session_id} is damaged")
        return data

    def close(self) -> None:
        """Nothing is held open."""

    def _blobs(self, session_id: str) -> Path:
        return self._folder / "blobs" / _name(session_id)

    def _refresh(self) -> None:
        """Read what is new in any file, and forget the sessions whose files are gone."""
        there = {path for path in self._folder.iterdir() if path.suffix == ".jsonl"}
        for path in there | set(self._read):
            self._catch_up(path)

    def _catch_up(self, path: Path) -> None:
        read = self._read.get(path)
        try:
            file = path.open("rb")
        except FileNotFoundError:
            self._forget(path)
            return
        with file:
            stat = os.fstat(file.fileno())
            if read is not None and (read.inode != stat.st_ino or stat.st_size < read.end):
                self._forget(path)
                read = None
            if read is None:
                read = self._read[path] = _Read(stat.st_ino)
            file.seek(read.end)
            for line in file:
                if line.endswith(b"\n"):  # else it broke off, or another process is writing it
                    read.end += len(line)
                    self._take(path, read, line)

    def _take(self, path: Path, read: _Read, line: bytes) -> None:
        read.lines += 1
        events = _events_of(line.rstrip(b"\n"))
        if events is None:
            if line.strip():
                self.damage.append(f"line {read.lines} of {path.name} is damaged and was left out")
            return
        read.session_id = events[0].session_id
        try:
            self._known.keep(read.session_id, events)
        except StoreError:
            self.damage.append(f"line {read.lines} of {path.name} contradicts an earlier one and was left out")

    def _forget(self, path: Path) -> None:
        read = self._read.pop(path, None)
        if read is not None and read.session_id is not None:
            self._known.delete(read.session_id)


class _Read:
    """How far a file has been read."""

    def __init__(self, inode: int) -> None:
        self.inode = inode
        self.end = 0
        self.lines = 0
        self.session_id: str | None = None


def _name(session_id: str) -> str:
    if _SAFE_NAME.fullmatch(session_id):
        return session_id
    return "." + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()


def _line_of(events: Sequence[Event]) -> bytes:
    body = f"[{','.join(event.line for event in events)}]".encode()
    return b'{"sum":%d,"events":%s}\n' % (zlib.crc32(body), body)


def _events_of(line: bytes) -> list[Event] | None:
    found = _LINE.fullmatch(line)
    if found is None or zlib.crc32(found[2]) != int(found[1]):
        return None
    return [Event(**item) for item in json.loads(found[2])]


def _write(descriptor: int, line: bytes) -> None:
    """Append a line after whatever is there; what broke off is taken back."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) != b"\n":
            line = b"\n" + line
    rest = memoryview(line)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file for appending, with no other process in it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:  # else it was deleted while we waited
                yield descriptor
                return
        finally:
            os.close(descriptor)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the system says into an error of the store."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno or 0, "permission")
        raise StoreError(
            kind, f"{path}: {error.strerror or error}", "or go on without a record: --no-journal"
        ) from error
