"""Changes of a dry run: what its folder holds, compared with the workspace below."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import ClassVar, Protocol, TypeVar

from attrs import define, field, frozen

from inarch import FileState, ToolFailed
from inarch_lib.confinement.overlay import UPPER, Entry, entries
from inarch_lib.output.line_matches import split_lines
from inarch_lib.output.line_merge import is_binary
from inarch_plugins.sandbox_fs.file_read import digest_of
from inarch_plugins.sandbox_fs.paths import inside, is_protected, split
from inarch_plugins.sandbox_fs.processes.trial_folder import MOST_BYTES
from inarch_plugins.sandbox_fs.safe_open import LIST, PATH_ONLY, SAFE, Open, held

MOST_APPLIED = 5_000
"""Most paths that an approval changes without running the command again."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | SAFE
T = TypeVar("T")
_LINK = stat.S_IFLNK | 0o777


@frozen
class Side:
    """State of a path: its whole mode, 0 for nothing; the SHA-256 of its bytes or of a link's target; size; links."""

    mode: int = 0
    hash: str | None = None
    size: int = field(default=0, eq=False)
    names: int = field(default=1, eq=False)

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return stat.S_ISDIR(self.mode)


class Compares(Protocol):
    """Workspace whose files can be compared."""

    def compared(self, compare: Callable[[str, int, Open], T]) -> T:
        """Return what a comparison finds, given the root, its descriptor and how to open."""
        ...


class Taken(Protocol):
    """Folder that took the changes, and when it began to, by the file system's clock."""

    path: str
    began_ns: int


@frozen
class Change:
    """Change of one path, with its states before and after."""

    path: str
    before: Side
    after: Side


@define(eq=False, repr=False)
class TrialChanges:
    """Changes of a dry run."""

    most_paths: ClassVar[int] = MOST_APPLIED
    most_bytes: ClassVar[int] = MOST_BYTES
    root: str
    descriptor: int
    open_it: Open
    folder: Taken
    found: list[Change] = field(init=False, factory=list)
    removed: dict[str, int] = field(init=False, factory=dict)
    """Removed paths whose folder is still there, with the number of files at and below each."""
    obstacle: str = field(init=False, default="")
    """Why they can't be applied, empty if they can."""

    def __attrs_post_init__(self) -> None:
        opaque: set[str] = set()
        try:
            for entry in entries(self.folder.path):
                if is_protected(entry.path):
                    continue  # the real command could not keep it either
                if entry.opaque or split(entry.path)[0] in opaque:
                    opaque.add(entry.path)
                self._take(entry, hides=entry.path in opaque)
        except OSError as error:
            self._block(f"{error.filename or 'a file'} can't be read: {error.strerror}")
        if sum(change.after.size for change in self.found) > self.most_bytes:
            self._block(f"it writes more than {self.most_bytes >> 20} MB")

    def states(self) -> list[FileState]:
        """Return what to give every path, and what it must be before."""
        return [
            FileState(
                change.path, change.after.mode, lambda change=change: self.data(change),  # type: ignore[misc]
                change.before.hash, change.before.mode,
            )
            for change in self.found
        ]  # fmt: skip

    def data(self, change: Change) -> bytes:
        """Return the bytes of a new file or link."""
        if change.after.is_folder or not change.after.mode:
            return b""
        path = self.place(change.path)
        if stat.S_ISLNK(change.after.mode):
            found = os.fsencode(os.readlink(path))
        else:
            with open(os.open(path, _READ), "rb") as file:
                found = file.read()
        if hashlib.sha256(found).hexdigest() != change.after.hash:
            raise ToolFailed("conflict", f"{change.path} of the dry run has changed; nothing was written", "try again")
        return found

    def data_before(self, change: Change) -> bytes:
        """Return the present bytes of a file in the workspace, empty if it is not a file."""
        if not stat.S_ISREG(change.before.mode):
            return b""
        with open(self.open_it(self.descriptor, change.path, _READ, False), "rb") as file:
            return file.read()

    def _take(self, entry: Entry, *, hides: bool) -> None:
        path, status = entry.path, entry.status
        before = self._lower(path)
        if status is None:
            if before.mode:
                self.removed[path] = self._remove(path, before)
            return
        after = self._after(path, status)
        if before.is_folder and (hides or not after.is_folder):
            for name in self._names(path):
                if not after.is_folder or not os.path.lexists(self.place(f"{path}/{name}")):
                    below = f"{path}/{name}"
                    self.removed[below] = self._remove(below, self._lower(below))
        if (before.mode, before.hash) == (after.mode, after.hash):
            return
        if stat.S_ISREG(before.mode) and stat.S_ISREG(after.mode) and before.names > 1:
            self._links_lost(path, "has more than one name, and only one would change")
        self._add(path, before, after)

    def _after(self, path: str, status: os.stat_result) -> Side:
        mode = status.st_mode
        if stat.S_ISDIR(mode):
            return Side(mode)
        if stat.S_ISLNK(mode):
            target = os.fsencode(os.readlink(self.place(path)))
            return Side(_LINK, hashlib.sha256(target).hexdigest(), len(target))
        if not stat.S_ISREG(mode):
            self._block(f"{path} is not a file, a link or a folder", path)
            return Side()
        if status.st_nlink > 1:
            self._links_lost(path, "has more than one name")
        with held(os.open(self.place(path), _READ)) as descriptor:
            return Side(mode, digest_of(descriptor), status.st_size)

    def _lower(self, path: str) -> Side:
        """Return the state of a path in the workspace; block if it has changed since the dry run began."""
        try:
            with held(self.open_it(self.descriptor, path, PATH_ONLY | os.O_NOFOLLOW, False)) as place:
                status = os.fstat(place)
                target = os.fsencode(os.readlink("", dir_fd=place)) if stat.S_ISLNK(status.st_mode) else b""
        except (FileNotFoundError, NotADirectoryError):
            return Side()
        if status.st_ctime_ns > self.folder.began_ns:
            self._changed_meanwhile(path)
        if stat.S_ISLNK(status.st_mode):
            return Side(_LINK, hashlib.sha256(target).hexdigest(), len(target))
        if not stat.S_ISREG(status.st_mode):
            return Side(status.st_mode)
        if len(self.found) > self.most_paths:
            return Side(status.st_mode, None, status.st_size, status.st_nlink)
        with held(self.open_it(self.descriptor, path, _READ, False)) as descriptor:
            return Side(status.st_mode, digest_of(descriptor), status.st_size, status.st_nlink)

    def _remove(self, path: str, before: Side) -> int:
        """Add the removal of a path and all below it; return how many files that are."""
        pending, files = [(path, before)], 0
        while pending:
            here, side = pending.pop()
            self._add(here, side, Side())
            if side.is_folder:
                pending += [(below, self._lower(below)) for below in (f"{here}/{name}" for name in self._names(here))]
            else:
                files += 1
        return files

    def _names(self, path: str) -> list[str]:
        with held(self.open_it(self.descriptor, path, LIST, False)) as descriptor:
            return sorted(os.listdir(descriptor))

    def _add(self, path: str, before: Side, after: Side) -> None:
        self.found.append(Change(path, before, after))
        if len(self.found) > self.most_paths:
            self._block(f"it changes more than {self.most_paths:,} paths")
        for side in (before, after):
            if side.mode and not (side.is_folder or stat.S_ISREG(side.mode) or stat.S_ISLNK(side.mode)):
                self._block(f"{path} is not a file, a link or a folder", path)
        usable = False
        with suppress(ToolFailed):
            usable = inside(path, self.root) == path
        if not usable:
            self._block(f"{path!r} is not a name that file tools take", path)

    def _block(self, why: str, path: str = "") -> None:
        """Note why the changes, or that of one path, can't be applied."""
        self.obstacle = self.obstacle or why

    def _links_lost(self, path: str, why: str) -> None:
        self._block(f"{path} {why}", path)

    def _changed_meanwhile(self, path: str) -> None:
        self._block(f"{path} was changed meanwhile", path)

    def place(self, path: str) -> str:
        """Return where the folder has the new entry of a path."""
        return os.path.join(self.folder.path, UPPER, path)


def kind_of(before: Side, after: Side) -> str:
    """Return what happens to a path: `add`, `change`, `mode` or `delete`."""
    if not after.mode or not before.mode:
        return "add" if after.mode else "delete"
    same = before.hash == after.hash and stat.S_IFMT(before.mode) == stat.S_IFMT(after.mode)
    return "mode" if same else "change"


def kinds(changes: TrialChanges) -> Iterator[tuple[str, Change]]:
    """Yield what happens to each path that is not below a removed one."""
    for change in changes.found:
        if change.after.mode or change.path in changes.removed:
            yield kind_of(change.before, change.after), change


def lines_of(texts: tuple[bytes, bytes] | None) -> tuple[list[str], list[str]] | None:
    """Return the lines of two texts with their ends; None for what is not text."""
    if texts is None or any(map(is_binary, texts)):
        return None
    before, after = ([line.decode("utf-8", "backslashreplace") for line in split_lines(data)] for data in texts)
    return before, after
