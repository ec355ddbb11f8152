"""Failures that name the path and a remedy, made from operating system errors."""

from __future__ import annotations

import errno
import os
import stat

from inarch import ToolFailed
from inarch_lib.staging import is_leftover
from inarch_plugins.sandbox_fs.paths import split
from inarch_plugins.sandbox_fs.safe_open import Open

_MOST_NAMES = 5_000  # limits the search for a similar name

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def failure(error: OSError, path: str, root: int, open_it: Open) -> ToolFailed:
    """Return the failure for an operating system error on a path."""
    code = error.errno
    if code in (errno.ENOENT, errno.ENOTDIR):
        return missing(path, root, open_it)
    if code == errno.EXDEV:
        return ToolFailed("permission", f"{path} leads out of the workspace through a symbolic link")
    if code == errno.ELOOP:
        return ToolFailed(
            "permission", f"{path} goes through a symbolic link that is a loop or may not be followed",
            "use the path of the file itself",
        )  # fmt: skip
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ToolFailed("permission", f"{path}: {os.strerror(code).lower()}")
    if code == errno.ENXIO:
        return ToolFailed("validation", f"{path} is a socket or FIFO, not a regular file")
    if code == errno.ENAMETOOLONG:
        return ToolFailed("validation", f"a name in {path[:80]}… is too long")
    if code == errno.EISDIR:
        return not_a_file(path, stat.S_IFDIR)
    if code in (errno.EEXIST, errno.ENOTEMPTY):
        return exists(path)
    if code in (errno.ENOSPC, errno.EDQUOT):
        return ToolFailed("execution", f"{path} was not written: the disk is full", "make room, then try again")
    if code == errno.EFBIG:
        return ToolFailed("execution", f"{path} was not written: this system does not allow a file that big")
    return ToolFailed("execution", f"{path}: {error.strerror or error}")


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
        descriptor = open_it(root, folder, os.O_RDONLY | os.O_DIRECTORY, True)
    except OSError:
        return [] if folder == "." else None
    try:
        names = os.listdir(descriptor)[:_MOST_NAMES]
        return [name for name in names if name.isprintable() and not is_leftover(name)]
    finally:
        os.close(descriptor)
