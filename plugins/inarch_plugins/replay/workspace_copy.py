"""Byte-exact copy of a workspace, with modes and times, without large folders that Git ignores."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path, PurePosixPath

from inarch import UsageError
from inarch_lib.staging import make_folder

LARGE_ENTRIES = 2_000
LARGE_BYTES = 32 << 20
"""Limit for entries and bytes of an ignored folder. A larger one is not copied."""
LARGE_GIT = 512 << 20


def copy_workspace(root: Path, place: Path, kept: Collection[str]) -> list[str]:
    """Copy the directory `root` to `place`, which must be missing or empty. Return a sentence for each omission.

    Args:
        root: The directory to copy. Links in it are copied as links.
        place: The target.
        kept: The files found by a walk of the workspace. A large folder without any of them is left out.

    Raises:
        UsageError: The target is not empty, or cannot be written.
    """
    known = {str(folder) for path in kept for folder in PurePosixPath(path).parents}
    left_out: list[str] = []

    def ignored(folder: str, names: list[str]) -> set[str]:
        found = {}
        for source in (Path(folder, name) for name in names):
            if source.resolve() == place.resolve():
                found[source.name] = ""  # the copy itself is inside
            elif why := _why_left_out(source, str(source.relative_to(root)) in known):
                found[source.name] = f"{source.relative_to(root)}{why}"
        left_out.extend(filter(None, found.values()))
        return {*found}

    def copy(source: str, target: str) -> None:
        try:
            shutil.copy2(source, target, follow_symlinks=False)
        except PermissionError:
            left_out.append(f"{Path(source).relative_to(root)}: not readable")

    try:
        make_folder(place)
        if any(place.iterdir()):
            raise UsageError(f"{place} is not empty", "name a new or empty directory")
        shutil.copytree(root, place, symlinks=True, ignore=ignored, copy_function=copy, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"the workspace can't be copied: {error}") from None
    return sorted(left_out)


def _why_left_out(source: Path, is_known: bool) -> str:
    if source.is_symlink() or source.is_file():
        return ""
    if not source.is_dir():
        return ": not a regular file"
    if is_known:
        return ""
    is_git = source.name == ".git"
    if _is_large(source, *((LARGE_GIT, inf) if is_git else (LARGE_BYTES, LARGE_ENTRIES))):
        return "/: more than 512 MB" if is_git else "/: large, and without files of the project"
    return ""


def _is_large(folder: Path, most_bytes: int, most_entries: float) -> bool:
    entries = size = 0
    for parent, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - many
        if entries > most_entries or size > most_bytes:
            return True
    return False


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
