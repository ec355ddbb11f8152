"""Log file on disk: whole lines appended, renamed when it is long, shared with other processes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, BinaryIO

from attrs import define, field

from inarch_lib.staging import make_folder

try:
    import fcntl
except ImportError:  # native Windows: without locks, each line is still one append
    fcntl = None  # type: ignore[assignment]

_LOCK_TRIES = 5
_LOCK_PAUSE_S = 0.001
_OPEN_TRIES = 3
_TAIL = 64 << 10
_LONGEST_LINE = 16 << 20
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@define(eq=False, repr=False)
class LogFile:
    """File that lines are appended to; the first line opens it, and again after it was moved or removed.

    Processes may share it. A line goes out in one write at the end of the file. The file is locked meanwhile, so that a
    broken line can be removed and only one process renames the file. If the lock takes more than some milliseconds (a
    stopped process may hold it), the line is written without it.
    """

    path: Path
    max_bytes: int = 0
    keep: int = 0
    removed: bool = field(init=False, default=False)
    """Whether the file was found to be removed; cleared by the caller that reports it."""
    _descriptor: int | None = field(init=False, default=None)
    _end: int = field(init=False, default=0)
    _place: str = field(init=False, default="")
    _inode: tuple[int, int] = field(init=False, default=(0, 0))

    def append(self, line: bytes) -> None:
        """Write a line, which includes its line end.

        Raises:
            OSError: The write failed; unless the file was shared without a lock, no part of the line stays.
        """
        for left in reversed(range(_OPEN_TRIES)):
            descriptor = self._opened()
            locked = fcntl is not None and _lock(descriptor)
            try:
                if self._takes(descriptor, line, locked, last=not left):
                    return
            finally:
                if locked:
                    fcntl.flock(descriptor, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _opened(self) -> int:
        if self._descriptor is None:
            make_folder(self.path.parent)
            self._descriptor = os.open(self.path, _FLAGS, 0o600)
            self._end = -1  # unknown: a process that was killed in the middle of a line may have left half of one
            status = os.fstat(self._descriptor)
            self._place, self._inode = str(self.path), (status.st_ino, status.st_dev)
            if os.name == "posix" and status.st_mode & 0o077:
                os.fchmod(self._descriptor, 0o600)
        return self._descriptor

    def _takes(self, descriptor: int, line: bytes, locked: bool, *, last: bool) -> bool:
        """Write the line, unless this file is not the log any more and a retry is left."""
        size = self._size_in_place(descriptor)
        if size is None:
            if not last:
                return False
            size = os.fstat(descriptor).st_size
        too_long = bool(self.max_bytes and size) and size + len(line) > self.max_bytes
        if too_long and locked and not last and self._set_aside():
            return False
        self._write(descriptor, line, size, locked)
        return True

    def _size_in_place(self, descriptor: int) -> int | None:
        """Return the size of the file, or None if its path has another file or none."""
        try:
            there = os.stat(self._place)  # noqa: PTH116 # for every line: a third of what the method of a Path takes
        except FileNotFoundError:  # removed, moved, or another process renames it
            self.removed = self.removed or os.fstat(descriptor).st_nlink == 0
            return None
        return there.st_size if (there.st_ino, there.st_dev) == self._inode else None

    def _write(self, descriptor: int, line: bytes, size: int, locked: bool) -> None:
        data = line if size in (0, self._end) or _byte(descriptor, size - 1) == b"\n" else b"\n" + line
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError:
            if locked and len(rest) < len(data):
                os.ftruncate(descriptor, size)
            raise
        self._end = size + len(data) if locked else -1

    def _set_aside(self) -> bool:
        aside = _numbered(self.path)
        try:
            self.path.rename(self.path.with_suffix(f".{max(aside, default=0) + 1}.jsonl"))
            if self.keep > 0:
                for number in sorted(aside, reverse=True)[self.keep - 1 :]:
                    aside[number].unlink(missing_ok=True)
        except OSError:  # a log that grows too long is better than one that ends here
            return not self.path.exists()
        return True


def has_events(path: Path, session_id: str, last: int) -> bool:
    """Return whether the oldest log file starts with a session's first event and the newest ends at `last` or later.

    A fork's log needs only its own events: the log of the original session has the rest.

    Raises:
        OSError: It cannot be read.
    """
    aside = _numbered(path)
    files = [*(aside[number] for number in sorted(aside)), path]
    if any(file.is_symlink() or not file.is_file() for file in files):
        return False
    with files[0].open("rb") as oldest, path.open("rb") as newest:
        first, end = _event(oldest.readline(_LONGEST_LINE)), _event(_last_line(newest))
    is_its_own = all(event.get("session_id") == session_id for event in (first, end)) and first.get("seq") == 1
    data = first.get("data")
    lent = data.get("forked_events") if isinstance(data, dict) else 0
    return is_its_own and any(type(seq) is int and seq >= last for seq in (end.get("seq"), lent))


def _last_line(file: BinaryIO) -> bytes:
    size, back = file.seek(0, os.SEEK_END), _TAIL
    while True:
        file.seek(max(0, size - back))
        lines = file.read(back).splitlines()
        if len(lines) > 1 or back >= min(size, _LONGEST_LINE):
            return lines[-1] if lines else b""
        back *= 8


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _numbered(path: Path) -> dict[int, Path]:
    found = {}
    for other in path.parent.glob(f"{path.stem}.*.jsonl"):
        number = other.name[len(path.stem) + 1 : -len(".jsonl")]
        if number.isdecimal():
            found[int(number)] = other
    return found


def _byte(descriptor: int, place: int) -> bytes:
    os.lseek(descriptor, place, os.SEEK_SET)  # writes go to the end anyway
    return os.read(descriptor, 1)


def _lock(descriptor: int) -> bool:
    for left in reversed(range(_LOCK_TRIES)):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if left:
                time.sleep(_LOCK_PAUSE_S)
        except OSError:  # a file system without locks
            return False
    return False
