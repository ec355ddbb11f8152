"""The protected names of a workspace while a program that may write runs in it.

Where the kernel can show them read-only, it does; what can't be shown, because it doesn't exist yet, is removed again
afterwards. Where there are no mount namespaces, what was there is remembered, compared and put back.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator

from attrs import define, field

from inarch_sandbox_fs.paths import is_protected, own_folders

MOST_FOLDERS = 4_000
"""Folders in which nested repositories are looked for."""

_MOST_FILE = 1 << 20
_MOST_KEPT = 64 << 20
_CHECKED_BY_GIT = frozenset({"objects", "lfs"})  # named by the hash of their bytes, and too big to keep


@define(eq=False, repr=False)
class Protection:
    """What is protected during one run.

    Args:
        root: The workspace's real path.
        writes: What the program may change, as in `Rights`.
        skip: Names of folders in which no repository is looked for.
    """

    root: str
    writes: tuple[str, ...]
    skip: frozenset[str]
    found: tuple[str, ...] = field(init=False)
    """Absolute paths of the protected names that exist and that the program could change otherwise."""
    notes: list[str] = field(init=False, factory=list)
    _kept: list[Kept] = field(init=False, factory=list)
    _own: dict[str, tuple[int, int]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        writable = [path for path in own_folders(self.root) if self._is_writable(path) and not self._is_granted(path)]
        identities = {path: _identity(os.path.join(self.root, path), make=True) for path in writable}
        self._own = {path: identity for path, identity in identities.items() if identity is not None}
        names = dict.fromkeys((*self._own, *self._names()))
        found = [path for path in names if self._is_writable(path) and not self._is_granted(path)]
        self.found = tuple(os.path.join(self.root, path) for path in found)

    def to_bind(self) -> tuple[str, ...]:
        """Return the paths to be shown read-only; a link can't be, but what it leads to inside the workspace."""
        real = [os.path.realpath(path) for path in self.found]
        return tuple(path for path in dict.fromkeys(real) if path.startswith(f"{self.root}/") and os.path.exists(path))

    def remember(self, links_only: bool) -> None:
        """Keep what stands there, so that it can be put back; links are enough where all else is shown read-only."""
        self._kept = [Kept.of(path) for path in self.found if os.path.islink(path) or not links_only]

    def check(self) -> tuple[str, ...]:
        """Undo what the program did to protected names; return what was done about it."""
        for kept in self._kept:
            self.notes += kept.restore(self.root)
        for name in _listed(self.root):
            path = os.path.join(self.root, name)
            if is_protected(name) and path not in self.found and self._is_writable(name) and not self._is_granted(name):
                self._take_away(name)
        # Renaming a folder above puts another in the place of what was shown read-only.
        for name, identity in self._own.items():
            if _identity(os.path.join(self.root, name)) not in (identity, None):
                self._take_away(name)
        return tuple(self.notes)

    def _take_away(self, name: str) -> None:
        _remove(os.path.join(self.root, name))
        self.notes.append(f"{name} was made by the program and removed again: the name is protected")

    def _names(self) -> Iterator[str]:
        """Yield the protected names below what may be written, parents first."""
        pending, seen = [""], 0
        while pending:
            folder = pending.pop()
            seen += 1
            if seen > MOST_FOLDERS:
                self.notes.append(f"repositories inside the workspace were looked for in {MOST_FOLDERS} folders only")
                return
            for entry in _entries(os.path.join(self.root, folder)):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if is_protected(path):
                    yield path
                elif entry.is_dir(follow_symlinks=False) and entry.name not in self.skip and self._leads(path):
                    pending.append(path)

    def _leads(self, path: str) -> bool:
        """Whether something that may be written lies at, above or below a path."""
        return self._is_writable(path) or any(granted.startswith(f"{path}/") for granted in self.writes)

    def _is_writable(self, path: str) -> bool:
        return any(not granted or _covers(granted, path) for granted in self.writes)

    def _is_granted(self, path: str) -> bool:
        return any(_covers(granted, path) for granted in self.writes if granted and is_protected(granted.rstrip("/")))


def _identity(path: str, make: bool = False) -> tuple[int, int] | None:
    """Return what stands for a folder as long as it is the same one; `make`: one that can be shown is made first."""
    try:
        if make:
            os.makedirs(path, 0o700, exist_ok=True)
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _covers(granted: str, path: str) -> bool:
    above = granted.rstrip("/")
    return path == above or path.startswith(f"{above}/")


def _listed(folder: str) -> list[str]:
    return [entry.name for entry in _entries(folder)]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


@define(eq=False, repr=False)
class Kept:
    """A protected tree as it was.

    Args:
        path: Its absolute path.
        entries: What stood there: the path, its mode, and a link's target, a file's bytes, or its size and times where
            it was too big to keep.
    """

    path: str
    entries: dict[str, tuple[int, bytes | str | tuple[int, int] | None]]

    @classmethod
    def of(cls, path: str) -> Kept:
        """Remember a tree."""
        return cls(path, dict(_tree(path, [_MOST_KEPT])))

    def restore(self, root: str) -> list[str]:
        """Put back what is different now; return what was found."""
        now = dict(_tree(self.path, [_MOST_KEPT]))
        if now == self.entries:
            return []
        shown = os.path.relpath(self.path, root)
        for path in sorted(now.keys() - self.entries.keys(), reverse=True):
            _remove(path)
        lost = [path for path, entry in self.entries.items() if now.get(path) != entry and not _put(path, *entry)]
        notes = [f"{shown} was changed by the program and put back: the name is protected"]
        if lost:
            notes.append(f"{len(lost)} files below {shown} were changed and could not be put back, such as {lost[0]}")
        return notes


def _tree(path: str, room: list[int]) -> Iterator[tuple[str, tuple[int, bytes | str | tuple[int, int] | None]]]:
    """Yield everything of a tree, parents first."""
    try:
        status = os.lstat(path)
    except OSError:
        return
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        yield path, (mode, os.readlink(path))
    elif stat.S_ISREG(mode):
        yield path, (mode, _content(path, status, room))
    else:
        yield path, (mode, None)
    if stat.S_ISDIR(mode):
        for name in sorted(_listed(path)):
            yield from _tree(os.path.join(path, name), room)


def _content(path: str, status: os.stat_result, room: list[int]) -> bytes | tuple[int, int]:
    if status.st_size > min(_MOST_FILE, room[0]) or not _CHECKED_BY_GIT.isdisjoint(path.split("/")):
        return status.st_size, status.st_mtime_ns
    room[0] -= status.st_size
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return status.st_size, status.st_mtime_ns


def _put(path: str, mode: int, content: bytes | str | tuple[int, int] | None) -> bool:
    """Put one entry back; return False where its bytes are lost."""
    if isinstance(content, tuple):
        return False
    if stat.S_ISDIR(mode):
        if os.path.islink(path) or not os.path.isdir(path):
            _remove(path)
            os.mkdir(path)
    elif content is not None:
        _remove(path)
        if isinstance(content, str):
            os.symlink(content, path)
            return True
        with open(path, "xb") as file:
            file.write(content)
    os.chmod(path, stat.S_IMODE(mode))
    return True
