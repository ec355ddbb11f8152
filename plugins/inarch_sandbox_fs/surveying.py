"""Survey a tree: everything that stands below the root with its status, but for what Git ignores and bulky folders."""

from __future__ import annotations

import os
import stat
from typing import Literal

from inarch import FileStat, Survey
from inarch_sandbox_fs.ignore import Ignore
from inarch_sandbox_fs.walk import Walker
from inarch_staging import is_leftover

Kind = Literal["file", "directory", "link", "other"]
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
_MODE = 0o7777


def survey(walker: Walker, limit: int) -> Survey:
    """Return what stands below a walker's root, links as themselves; at most about `limit` of it.

    Raises:
        OSError: The root can't be opened.
    """
    entries: list[FileStat] = []
    pending: list[tuple[str, Ignore]] = [("", walker.ignore())]
    while pending and len(entries) <= limit:
        prefix, ignore = pending.pop()
        try:
            found, ignore = _folder(walker, prefix, ignore)
        except OSError:
            if not prefix:
                raise
            walker.passed.unreadable.append(prefix)
            continue
        entries += found
        pending += [(f"{entry.path}/", ignore) for entry in found if entry.kind == "directory"]
    passed = walker.passed
    return Survey(tuple(entries), tuple(sorted(passed.bulky)), len(entries) > limit, passed.unnameable)


def _folder(walker: Walker, prefix: str, ignore: Ignore) -> tuple[list[FileStat], Ignore]:
    """Return what stands in a folder, and the rules that hold below it."""
    descriptor = walker.open_it(walker.root, prefix.rstrip("/") or ".", os.O_RDONLY | os.O_DIRECTORY, False)
    try:
        with os.scandir(descriptor) as listed:
            present = list(listed)
        named = [entry for entry in present if _is_nameable(entry.name)]
        walker.passed.unnameable += len(present) - len(named)
        statuses = {entry.name: status for entry in named if (status := _status(entry)) is not None}
        kinds = {name: _KINDS.get(stat.S_IFMT(status.st_mode), "other") for name, status in statuses.items()}
        if prefix and "pyvenv.cfg" in kinds:  # a virtual environment, whatever its name
            walker.passed.bulky.append(prefix)
            return [], ignore
        ignore = walker.rules_here(descriptor, prefix, kinds, ignore)
    finally:
        os.close(descriptor)
    files = [name for name, kind in kinds.items() if kind in ("file", "link")]
    folders = [name for name, kind in kinds.items() if kind == "directory"]
    files, folders = walker.kept(prefix, files, folders, ignore)
    return [_entry(prefix + name, kinds[name], statuses[name]) for name in (*files, *folders)], ignore


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    if is_leftover(entry.name):
        return None
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None  # gone meanwhile


def _is_nameable(name: str) -> bool:
    """Whether a record can name it; nothing else could open it by its name again."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False


def _entry(path: str, kind: Kind, status: os.stat_result) -> FileStat:
    return FileStat(
        path, kind, status.st_size, status.st_mode & _MODE, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )
