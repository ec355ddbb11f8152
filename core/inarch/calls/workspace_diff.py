"""Comparison of the workspace before and after a command: files created, changed and removed.

Changes by a command are not known before it runs. So files are copied to an unnamed scratch file that ends with
the process. The next command reads only what has changed since, by change time, size and inode.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from inarch.calls.call_order import components
from inarch.contract.errors import ToolFailed
from inarch.contract.files import FileStat, whole_mode
from inarch.contract.workspaces import Restorable

if TYPE_CHECKING:
    from inarch.contract.workspaces import Workspace

MOST_FILES = 25_000
"""Files above which changes by commands are not tracked."""
MOST_BYTES = 256 << 20
"""Bytes of all files together that are copied; changes beyond that cannot be undone."""
_RACY_NS = 50_000_000
"""Age in nanoseconds below which a file may change again and look the same."""


class Side(NamedTuple):
    """A path before or after a command: hash of its bytes ("" if not read), whole mode, and bytes."""

    hash: str | None
    mode: int
    data: Callable[[], bytes]
    ignored: bool = False


class _Known(NamedTuple):
    """Last seen state of a path; `offset` locates its bytes in the scratch file, -1 for none."""

    entry: FileStat
    at_ns: int
    hash: str | None
    offset: int
    length: int

    def is_current(self, entry: FileStat) -> bool:
        """Return whether the file is certainly unchanged."""
        if entry.kind == "directory" == self.entry.kind:
            return entry.mode == self.entry.mode
        known = self.entry  # every change also changes the change time, which no program can set
        same = entry.ctime_ns == known.ctime_ns and entry.inode == known.inode and entry.size == known.size
        # files that are not read are compared by this alone
        settled = entry.ctime_ns < self.at_ns - _RACY_NS or self.hash == ""
        return same and entry.kind == known.kind and settled


NOTHING = Side(None, 0, bytes)


@define(eq=False, repr=False)
class Tree:
    """Last seen state of a workspace's files, with their bytes."""

    workspace: Workspace
    folder: str
    file_limit: int
    _known: dict[str, _Known] = field(init=False, factory=dict)
    _scratch: int = field(init=False, default=-1)
    _end: int = field(init=False, default=0)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _unnameable: int = field(init=False, default=0)
    _comparing: int = field(init=False, default=0)
    _unseen: tuple[str, ...] = field(init=False, default=())
    uncovered: Sequence[str] = field(init=False, default=())

    @property
    def blind_spots(self) -> tuple[str, ...]:
        """Gaps of the last look, one sentence each."""
        if self._unnameable:
            return ("there are files whose names are not UTF-8: what commands do to them can't be undone",)
        text = f"too many or too big files: what commands do to {', '.join(self.uncovered[:5])} can't be undone"
        return (text,) * bool(self.uncovered)

    def look(self, writes: Sequence[str], *, holds: bool = True) -> Sequence[str]:
        """Read the present state below some paths; return the notes for the user about it.

        Several looks may be active at once. `differences` ends each one that `holds` its copies.

        Raises:
            ToolFailed: There are too many files, or the workspace cannot survey them.
            OSError: Their bytes cannot be copied.
        """
        with self._lock:
            # Old copies accumulate; while a command runs, its own must stay.
            if self._end > 2 * MOST_BYTES and not self._comparing:
                self._begin_anew()
            at_ns, present = time.time_ns(), self._present(writes)
            for path in self._gone(present, writes):
                del self._known[path]
            left_out = 0
            for path, entry in present.items():
                known = self._known.get(path)
                if known is None or not known.is_current(entry):
                    known = self._known[path] = self._copied(entry, at_ns, self._read(entry))
                left_out += known.offset < 0 and known.hash == "" and entry.kind != "other"
            self._comparing += holds
        too_big = (f"{left_out} files are too big to be stored: what commands do to them can't be undone",)
        return (*too_big * bool(left_out), *self.blind_spots)

    def differences(self, writes: Sequence[str], *, held: bool = True) -> Iterator[tuple[str, Side, Side]]:
        """Yield each difference to the last seen state: path, before, after. The bytes are valid until the next one."""
        with self._lock:
            self._comparing -= held
            unseen = self._unseen
            at_ns, present = time.time_ns(), self._present(writes)
            for path in sorted(self._gone(present, writes)):
                yield path, self._side(self._known.pop(path)), NOTHING
            for path, entry in sorted(present.items()):
                known = self._known.get(path)
                if known is not None and known.is_current(entry):
                    continue
                data = self._read(entry)
                before = NOTHING if known is None else self._side(known)
                known = self._known[path] = self._copied(entry, at_ns, data)
                after = Side(known.hash, whole_mode(entry), lambda data=data: data or b"", entry.ignored)  # type: ignore[misc]
                if before is NOTHING and path.startswith(unseen):
                    continue  # it was there, in a folder that could not be surveyed then
                if before[:2] != after[:2] or after.hash == "":
                    yield path, before, after

    def _present(self, writes: Sequence[str]) -> dict[str, FileStat]:
        if not isinstance(self.workspace, Restorable):
            raise ToolFailed("execution", "this kind of workspace does not report changes")
        found = self.workspace.survey(MOST_FILES)
        if found.truncated:
            raise ToolFailed("execution", f"there are more than {MOST_FILES} files")
        self._unnameable, self._unseen, self.uncovered = found.unnameable, tuple(found.passed), found.uncovered
        present = {entry.path: entry for entry in found.entries}
        # The survey skips some folders, but files there that are known by name can be looked up.
        for path in [path for path in self._known if path not in present and path.startswith(self._unseen)]:
            with suppress(ToolFailed):
                if (entry := self.workspace.stat(path)) is not None:
                    present[path] = entry
        return {path: present[path] for path in _below(present, writes)}

    def _gone(self, present: dict[str, FileStat], writes: Sequence[str]) -> list[str]:
        return list(_below([path for path in self._known if path not in present], writes))

    def _read(self, entry: FileStat) -> bytes | None:
        """Return a file's bytes or a link's target; None if there are too many bytes or none."""
        try:
            if entry.kind == "link" and isinstance(self.workspace, Restorable):
                return self.workspace.link_target(entry.path)
            if entry.kind == "file" and entry.size <= self.file_limit:
                return self.workspace.read(entry.path, 0, self.file_limit).data
        except ToolFailed:
            pass  # unreadable, or gone meanwhile
        return None

    def _copied(self, entry: FileStat, at_ns: int, data: bytes | None) -> _Known:
        if entry.kind == "directory":
            return _Known(entry, at_ns, None, -1, 0)
        # While commands run, no copy is removed: this bounds the scratch file then.
        if data is None or self._end + len(data) > 4 * MOST_BYTES or len(data) > MOST_BYTES:
            return _Known(entry, at_ns, "", -1, 0)
        if self._scratch < 0:
            self._scratch = _unnamed_file(self.folder)
        offset, view = self._end, memoryview(data)
        while view:
            written = os.pwrite(self._scratch, view, self._end)
            self._end, view = self._end + written, view[written:]
        return _Known(entry, at_ns, hashlib.sha256(data).hexdigest(), offset, len(data))

    def _side(self, known: _Known) -> Side:
        entry = known.entry
        read = partial(os.pread, self._scratch, known.length, known.offset)
        return Side(known.hash, whole_mode(entry), read, entry.ignored)

    def _begin_anew(self) -> None:
        self._known.clear()
        self._end = 0
        os.ftruncate(self._scratch, 0)

    def __del__(self) -> None:
        if self._scratch >= 0:
            os.close(self._scratch)


def _unnamed_file(folder: str) -> int:
    """Return a private file that ends with the process, whatever ends it."""
    from tempfile import TemporaryFile

    with TemporaryFile(dir=folder if Path(folder).is_dir() else None) as file:
        return os.dup(file.fileno())


def _below(paths: Iterable[str], writes: Sequence[str]) -> Iterable[str]:
    places = [components(one) for one in writes]
    if () in places:
        return paths
    return [path for path in paths if any(components(path)[: len(one)] == one for one in places)]
