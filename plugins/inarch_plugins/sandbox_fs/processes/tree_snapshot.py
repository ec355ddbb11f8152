"""Snapshot of a protected tree before a program runs, and its restoration: beneath the root, never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from attrs import frozen

from inarch_lib.staging import staged, temporary_name
from inarch_plugins.sandbox_fs.leftovers import sweep_folders
from inarch_plugins.sandbox_fs.paths import split
from inarch_plugins.sandbox_fs.processes.cleanup import remove, set_mode
from inarch_plugins.sandbox_fs.safe_open import FOLDER, LIST, SAFE, Open, held

_MOST_FILE = 1 << 20
_CHECKED_BY_GIT = frozenset({"objects", "lfs"})  # too big to store; identified by the hash of their bytes


class Entry(NamedTuple):
    """State of one name."""

    mode: int
    owner: tuple[int, int]
    names: int
    content: bytes | str | tuple[int, int] | None


@frozen
class Kept:
    """Snapshot of a protected tree."""

    path: str
    parent: tuple[int, int]
    entries: dict[str, Entry]

    @classmethod
    def of(cls, root: int, open_it: Open, path: str, room: list[int], links_only: bool) -> Kept | None:
        """Take a snapshot of a tree, limited by the room for bytes; None if the tree does not exist."""
        parent, name = split(path)
        with suppress(OSError), held(open_it(root, parent, FOLDER, False)) as folder:
            is_link = stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            if is_link or not links_only:
                return cls(path, _identity(folder), _tree(folder, open_it, name, room))
        return None

    def restore(self, root: int, open_it: Open, room: list[int]) -> list[str]:
        """Restore what differs now; return what was found.

        If the tree's folder is no longer the same one, nothing is put back. A program may have moved it, or linked its
        name to any path of the machine, and the content there is not the program's.
        """
        parent, name = split(self.path)
        with suppress(OSError), held(open_it(root, parent, FOLDER, False)) as folder:
            if _identity(folder) == self.parent:
                return self._restored(folder, open_it, name, room)
        return [
            f"{self.path} was not put back: {parent} is no longer the folder that it was before the program ran; "
            "check what the program left before you use either"
        ]

    def _restored(self, folder: int, open_it: Open, name: str, room: list[int]) -> list[str]:
        now = _tree(folder, open_it, name, room)
        if now == self.entries:
            return []
        left = [path for path in sorted(now.keys() - self.entries.keys()) if not _within(folder, open_it, path, remove)]
        differs = [(path, entry) for path, entry in self.entries.items() if now.get(path) != entry]
        sweep_folders({split(path)[0] for path, _ in differs}, folder, open_it)
        left += [path for path, entry in differs if not _put(folder, open_it, path, entry)]
        notes = [f"{self.path} was changed by the program and put back: the name is protected"]
        if left:
            place = os.path.join(os.path.dirname(self.path), left[0])
            notes.append(f"{len(left)} changes below {self.path} could not be put back, such as that of {place}")
        return notes


def _identity(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return found.st_dev, found.st_ino


def _tree(parent: int, open_it: Open, name: str, room: list[int]) -> dict[str, Entry]:
    """Return all entries of a tree, parents first; unreadable ones are left out."""
    found: dict[str, Entry] = {}
    with suppress(OSError):
        found[name] = _entry(parent, name, name, room)
    pending = [*found]
    while pending:
        path = pending.pop()
        if stat.S_ISDIR(found[path].mode):
            with suppress(OSError), held(open_it(parent, path, LIST, False)) as folder:
                for below in (f"{path}/{name}" for name in os.listdir(folder)):
                    with suppress(OSError):  # gone meanwhile
                        found[below] = _entry(folder, split(below)[1], below, room)
                        pending.append(below)
    return found


def _entry(folder: int, name: str, path: str, room: list[int]) -> Entry:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    mode, owner = status.st_mode, (status.st_uid, status.st_gid)
    if stat.S_ISLNK(mode):
        return Entry(mode, owner, 0, os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(mode):
        return Entry(mode, owner, 0, None)
    content = _content(folder, name, path, status, room)
    return Entry(mode, owner, status.st_nlink if isinstance(content, bytes) else 0, content)


def _content(folder: int, name: str, path: str, status: os.stat_result, room: list[int]) -> bytes | tuple[int, int]:
    shown = status.st_size, status.st_mtime_ns
    if status.st_size > min(_MOST_FILE, room[0]) or not _CHECKED_BY_GIT.isdisjoint(path.split("/")):
        return shown
    try:
        with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | SAFE, dir_fd=folder), "rb") as file:
            data = file.read(_MOST_FILE)
    except OSError:
        return shown
    room[0] -= len(data)
    return data


def _put(parent: int, open_it: Open, path: str, entry: Entry) -> bool:
    """Restore one entry; return False if that fails, or its bytes are lost."""

    def put(folder: int, name: str) -> bool:
        if isinstance(entry.content, (bytes, str)):
            return _replace(folder, name, entry, entry.content)
        if not stat.S_ISDIR(entry.mode):
            return False
        if not _is_folder(folder, name):
            if not remove(folder, name):
                return False
            os.mkdir(name, 0o700, dir_fd=folder)
            _give(folder, name, entry.owner)
        set_mode(folder, name, stat.S_IMODE(entry.mode))
        return True

    return _within(parent, open_it, path, put)


def _within(parent: int, open_it: Open, path: str, act: Callable[[int, str], bool]) -> bool:
    """Apply a function to a name in its folder; return False if that failed."""
    above, name = split(path)
    with suppress(OSError), held(open_it(parent, above, FOLDER, False)) as folder:
        return act(folder, name)
    return False


def _is_folder(folder: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _replace(folder: int, name: str, entry: Entry, content: bytes | str) -> bool:
    """Replace whatever has a name by a file or link, atomically."""
    if isinstance(content, bytes):
        with staged(folder, [content], mode=entry.mode, owner=entry.owner, sync=False) as file:
            if free := not _is_folder(folder, name) or remove(folder, name):
                file.place_over(name)
        return free
    beside = temporary_name(folder)
    try:
        os.symlink(content, beside, dir_fd=folder)
        _give(folder, beside, entry.owner)
        if free := not _is_folder(folder, name) or remove(folder, name):
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        remove(folder, beside)
    return free


def _give(folder: int, name: str, owner: tuple[int, int]) -> None:
    with suppress(PermissionError):  # only root may give files away
        if owner != (os.geteuid(), os.getegid()):
            os.chown(name, *owner, dir_fd=folder, follow_symlinks=False)
