"""Copy-on-write cover of a folder by an overlay file system, and the changes that its upper folder holds.

Formats: Documentation/filesystems/overlayfs.rst of Linux 6.18, read 2026-11-29. A user namespace may mount one since
Linux 5.11 (commit 2d2f2d7322ff), and only with `userxattr`. The mount then redirects no folder and always copies data.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from .kernel import call

_FSOPEN, _FSCONFIG, _FSMOUNT = 430, 431, 432  # the same on every architecture
_SET_FLAG, _SET_STRING, _CREATE = 0, 1, 6
_CLOSE_ON_EXEC = 1
_OPAQUE, _WHITEOUT = "user.overlay.opaque", "user.overlay.whiteout"

UPPER, WORK = "upper", "work"
BELOW = "below"
"""Folder that shows the original to processes in a copy."""


class Entry(NamedTuple):
    """Change of one path."""

    path: str
    status: os.stat_result | None
    opaque: bool = False


def cover(lower: int, folder: str, *, writable: bool) -> int:
    """Return a detached mount that shows a folder and takes all changes of it.

    Args:
        lower: The folder, opened in this mount namespace.
        folder: Has the folders `UPPER` and `WORK`. No other mount may use them meanwhile.
        writable: Otherwise the mount shows what `UPPER` holds, and `WORK` is not used.

    Raises:
        OSError: The kernel, its settings or the file system of `folder` do not allow it.
    """
    own = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    context = -1
    try:
        context = call(_FSOPEN, "overlay", b"overlay", _CLOSE_ON_EXEC)
        # A descriptor's path needs no escapes and fits the 256 bytes of a value.
        below, ours = f"/proc/self/fd/{lower}", f"/proc/self/fd/{own}"
        values = {"lowerdir": below, "upperdir": f"{ours}/{UPPER}", "workdir": f"{ours}/{WORK}"}
        for key, value in (values if writable else {"lowerdir": f"{ours}/{UPPER}:{below}"}).items():
            call(_FSCONFIG, f"overlay {key}", context, _SET_STRING, key.encode(), value.encode(), 0)
        call(_FSCONFIG, "overlay userxattr", context, _SET_FLAG, b"userxattr", 0, 0)
        call(_FSCONFIG, "overlay", context, _CREATE, 0, 0, 0)
        return call(_FSMOUNT, "overlay", context, _CLOSE_ON_EXEC, 0)
    finally:
        os.close(own)
        if context >= 0:
            os.close(context)


def entries(folder: str) -> Iterator[Entry]:
    """Yield the changes below a cover's `UPPER`, parents first; links are not followed.

    Raises:
        OSError: The folder can't be read.
    """
    pending = [""]
    while pending:
        path = pending.pop()
        with os.scandir(os.path.join(folder, UPPER, path)) as found:
            for one in sorted(found, key=lambda entry: entry.name):
                status, here = one.stat(follow_symlinks=False), f"{path}/{one.name}".lstrip("/")
                if _is_whiteout(one.path, status):
                    yield Entry(here, None)
                    continue
                is_folder = stat.S_ISDIR(status.st_mode)
                yield Entry(here, status, is_folder and _has(one.path, _OPAQUE, b"y"))
                if is_folder:
                    pending.append(here)


def _is_whiteout(path: str, status: os.stat_result) -> bool:
    if stat.S_ISCHR(status.st_mode):
        return status.st_rdev == 0
    return stat.S_ISREG(status.st_mode) and not status.st_size and _has(path, _WHITEOUT)


def _has(path: str, attribute: str, value: bytes | None = None) -> bool:
    try:
        return value in (None, os.getxattr(path, attribute, follow_symlinks=False))
    except OSError:
        return False
