"""A store that keeps each session as a file of JSON lines, for one process at a time."""

import base64
import errno
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import inarch


class KeptStore:
    """Everything is in memory, too: the kernel's own store `memory` answers, the files are read when it is opened."""

    def __init__(self, path: str) -> None:
        self._folder = Path(path)
        self._memory = inarch.open_store("memory", path)
        self._lock = threading.RLock()
        with self._told():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for file in sorted(self._folder.glob("*.jsonl")):
                for line in file.read_text("utf-8").splitlines():
                    self._remember(line)

    def append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        """Keep events, all or none of them; ones that are here already are passed over."""
        with self._lock:
            first = min((event.seq for event in events), default=1)
            kept = {event.seq: event.line for event in self._memory.load(session_id, first - 1)}
            new = [event for event in events if event.seq not in kept]
            if all(kept.get(event.seq, event.line) == event.line for event in events):
                self._write(session_id, [f'{{"event": {event.line}}}' for event in new])
            self._memory.append(session_id, events)  # refuses another event of a number that is taken

    async def sync(self) -> None:
        """Return when everything appended is on disk: each write is, before it returns."""

    def load(self, session_id: str, after: int = 0) -> Sequence[inarch.Event]:
        """Return the events with `seq` greater than `after`, in order."""
        with self._lock:
            return self._memory.load(session_id, after)

    def sessions(self, root: str | None = None) -> Sequence[inarch.SessionInfo]:
        """Return the sessions of a root, or all, newest first."""
        with self._lock:
            return self._memory.sessions(root)

    def delete(self, session_id: str) -> None:
        """Remove a session with its events and blobs."""
        with self._lock, self._told():
            self._file(session_id).unlink(missing_ok=True)
            self._memory.delete(session_id)

    def put_blob(self, session_id: str, data: bytes) -> str:
        """Keep bytes and return their reference."""
        with self._lock:
            record = {"session": session_id, "blob": base64.b64encode(data).decode()}
            self._write(session_id, [json.dumps(record)])
            return self._memory.put_blob(session_id, data)

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference."""
        with self._lock:
            return self._memory.get_blob(session_id, ref)

    def close(self) -> None:
        """Let go of files: none is held open."""

    def _file(self, session_id: str) -> Path:
        name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{name}.jsonl"

    def _write(self, session_id: str, lines: list[str]) -> None:
        """Append lines, all or none of them; the first byte ends a line that broke off."""
        if not lines:
            return
        with self._told(), open(self._file(session_id), "ab", opener=_private) as file:
            before = file.tell()
            try:
                file.write("".join(f"\n{line}" for line in lines).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def _remember(self, line: str) -> None:
        try:
            record = json.loads(line)
        except ValueError:  # it broke off
            return
        if "event" in record:
            event = inarch.Event(**record["event"])
            self._memory.append(event.session_id, [event])
        else:
            self._memory.put_blob(record["session"], base64.b64decode(record["blob"]))

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise inarch.StoreError("full" if full else "permission", f"{self._folder}: {error.strerror}") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@inarch.hookimpl
def inarch_stores(context: inarch.PluginContext) -> list[inarch.StoreSpec]:
    """Register the store."""
    return [inarch.StoreSpec("kept-store", KeptStore)]
