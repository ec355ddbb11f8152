"""Byte-exact copy of a workspace, with modes and times, without large folders that Git ignores."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from attrs import define, field, frozen

from inarch import UsageError
from inarch_lib.staging import make_folder

LARGE_ENTRIES = 2_000
LARGE_BYTES = 32 << 20
"""Limit for entries and bytes of an ignored folder. A larger one is not copied."""
LARGE_GIT = 512 << 20


@frozen
class Copied:
    """The copied entries, and a sentence for each one left out."""

    place: Path
    files: int
    left_out: tuple[str, ...] = ()


def copy_workspace(root: Path, place: Path, kept: Collection[str]) -> Copied:
    """Copy the directory `root` to `place`, which must be missing or empty.

    Args:
        root: The directory to copy. Links in it are copied as links.
        place: The target.
        kept: The files found by a walk of the workspace. A large folder without any of them is left out.

    Raises:
        UsageError: The target is not empty, or cannot be written.
    """
    try:
        make_folder(place)
        if any(place.iterdir()):
            raise UsageError(f"{place} is not empty", "name a new or empty directory")
        copying = _Copying(place.resolve(), _folders(kept))
        copying.folder(root, place, "")
    except OSError as error:
        raise UsageError(f"the workspace can't be copied: {error.filename}: {error.strerror}") from None
    return Copied(place, copying.files, tuple(copying.left_out))


def _folders(kept: Collection[str]) -> set[str]:
    found: set[str] = set()
    for path in kept:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found


@define(eq=False, repr=False)
class _Copying:
    place: Path
    known: set[str]
    files: int = 0
    left_out: list[str] = field(factory=list)

    def folder(self, source: Path, target: Path, path: str) -> None:
        """Copy a folder's contents. Its times are set last, because filling it changes them."""
        target.mkdir(mode=0o700, exist_ok=True)
        with os.scandir(source) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                self._entry(entry, target / entry.name, f"{path}/{entry.name}" if path else entry.name)
        shutil.copystat(source, target, follow_symlinks=False)

    def _entry(self, entry: os.DirEntry[str], target: Path, path: str) -> None:
        source = Path(entry.path)
        if entry.is_symlink():
            target.symlink_to(source.readlink())
        elif entry.is_dir(follow_symlinks=False):
            if source.resolve() == self.place:
                return  # the copy itself is inside
            if not self._is_left_out(source, path):
                self.folder(source, target, path)
        elif entry.is_file(follow_symlinks=False):
            try:
                shutil.copy2(source, target, follow_symlinks=False)
                self.files += 1
            except PermissionError:
                self.left_out.append(f"{path}: not readable")
        else:
            self.left_out.append(f"{path}: not a regular file")

    def _is_left_out(self, source: Path, path: str) -> bool:
        if path in self.known:
            return False
        is_git = source.name == ".git"
        entries, size = _measured(source, LARGE_GIT if is_git else LARGE_BYTES, None if is_git else LARGE_ENTRIES)
        if entries or size:
            what = "more than 512 MB" if is_git else "large, and without files of the project"
            self.left_out.append(f"{path}/: {what}")
            return True
        return False


def _measured(folder: Path, most_bytes: int, most_entries: int | None) -> tuple[bool, bool]:
    """Return whether a folder has more entries or bytes than these limits."""
    entries = size = 0
    for parent, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        if most_entries is not None and entries > most_entries:
            return True, False
        for name in names:
            try:
                size += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - many
            except OSError:
                continue
        if size > most_bytes:
            return False, True
    return False, False


Stamp = tuple[int, int, int, int]


def stamps(place: Path) -> dict[str, Stamp]:
    """Return mode, size and change times of everything in a directory, by path."""
    return {path: _stamp(found) for path, found in _all(place)}


def changed(before: dict[str, Stamp], after: dict[str, Stamp], is_meant: Callable[[str], bool]) -> list[str]:
    """Return the unintended changes. For folders, only creation and removal count."""
    paths = sorted({*before, *after})
    return [path for path in paths if not is_meant(path) and _differs(before.get(path), after.get(path))]


def _differs(one: Stamp | None, other: Stamp | None) -> bool:
    if one is None or other is None:
        return one is not other
    if stat.S_ISDIR(one[0]) and stat.S_ISDIR(other[0]):
        return one[0] != other[0]
    return one != other


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _all(place: Path) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(place / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                found = entry.stat(follow_symlinks=False)
                yield path, found
                if stat.S_ISDIR(found.st_mode):
                    waiting.append(path)


def standing_at(place: Path, path: str) -> tuple[str | None, int]:
    """Return the hash and the whole mode of a workspace path, None and 0 if it does not exist."""
    target = place / path
    try:
        found = target.lstat()
        if stat.S_ISLNK(found.st_mode):
            return hashlib.sha256(os.fsencode(target.readlink())).hexdigest(), stat.S_IFLNK | 0o777
        if not stat.S_ISREG(found.st_mode):
            return None, found.st_mode
        with target.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), found.st_mode
    except OSError:
        return None, 0
