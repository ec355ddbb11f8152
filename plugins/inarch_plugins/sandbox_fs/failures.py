"""Failures that name the path and a remedy, made from operating system errors."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any

from inarch import ToolFailed
from inarch_lib.staging import is_leftover
from inarch_plugins.sandbox_fs.paths import split
from inarch_plugins.sandbox_fs.safe_open import LIST, Open, held

_MOST_NAMES = 5_000  # limits the search for a similar name

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_FULL = ("execution", "{} was not written: the disk is full", "make room, then try again")
_FAILURES: dict[int, tuple[Any, str, str]] = {
    errno.EXDEV: ("permission", "{} leads out of the workspace through a symbolic link", ""),
    errno.ELOOP: (
        "permission", "{} goes through a symbolic link that is a loop or may not be followed",
        "use the path of the file itself",
    ),
    errno.ENXIO: ("validation", "{} is a socket or FIFO, not a regular file", ""),
    errno.ENAMETOOLONG: ("validation", "a name in {}… is too long", ""),
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: ("execution", "{} was not written: this system does not allow a file that big", ""),
}  # fmt: skip


def failure(error: OSError, path: str, root: int, open_it: Open) -> ToolFailed:
    """Return the failure for an operating system error on a path."""
    code = error.errno
    if code in (errno.ENOENT, errno.ENOTDIR):
        return missing(path, root, open_it)
    if code == errno.EISDIR:
        return not_a_file(path, stat.S_IFDIR)
    if code in (errno.EEXIST, errno.ENOTEMPTY):
        return exists(path)
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ToolFailed("permission", f"{path}: {os.strerror(code).lower()}")
    kind, told, remedy = _FAILURES.get(code or 0, ("execution", f"{{}}: {error.strerror or error}", ""))
    return ToolFailed(kind, told.format(path if code != errno.ENAMETOOLONG else path[:80]), remedy)


def not_a_file(path: str, mode: int) -> ToolFailed:
    """Return the failure for something that is not a regular file."""
    kind = stat.S_IFMT(mode)
    remedy = "use list_directory to see what is in it" if kind == stat.S_IFDIR else ""
    return ToolFailed("validation", f"{path} is {_KINDS.get(kind, 'a special file')}, not a regular file", remedy)


def exists(path: str) -> ToolFailed:
    """Return the failure for a path that exists and must not be overwritten."""
    return ToolFailed("conflict", f"{path} already exists", "choose another path, or change the existing file")


def changed(path: str) -> ToolFailed:
    """Return the failure for a file whose bytes are not the expected ones."""
    return ToolFailed(
        "conflict", f"{path} has changed since it was last read; nothing was written", "read it again, then decide"
    )


def too_big(path: str, size: int) -> ToolFailed:
    """Return the failure for a file bigger than the tools change."""
    return ToolFailed("validation", f"{path} is {size} bytes long, too big for the tools to change")


def missing(path: str, root: int, open_it: Open) -> ToolFailed:
    """Return the failure for a missing path, with the most similar path that exists."""
    similar = _most_similar(path, root, open_it)
    remedy = f"did you mean {similar!r}?" if similar else "use list_files to see what is there"
    return ToolFailed("not_found", f"there is no {path}", remedy)


def _most_similar(path: str, root: int, open_it: Open) -> str:
    """Find the deepest existing directory and return its entry most like the next name."""
    import difflib

    parent, name = split(path)
    while True:
        names = _names(parent, root, open_it)
        if names is not None:
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
            return "" if not close else close[0] if parent == "." else f"{parent}/{close[0]}"
        parent, name = split(parent)


def _names(folder: str, root: int, open_it: Open) -> list[str] | None:
    try:
        with held(open_it(root, folder, LIST, True)) as descriptor:
            names = os.listdir(descriptor)[:_MOST_NAMES]
    except OSError:
        return [] if folder == "." else None
    return [name for name in names if name.isprintable() and not is_leftover(name)]
