"""Opening of paths below one descriptor without leaving it, whatever is swapped in meanwhile.

Two implementations behave alike: `openat2` if the kernel has it (Linux 5.6), else a walk that opens each component with
`O_NOFOLLOW` and resolves symbolic links itself.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Open = Callable[[int, str, int, bool], int]
"""`(root descriptor, path, flags, follow links) -> descriptor`; links that leave the root are `EXDEV`."""

PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY)
FOLDER = PATH_ONLY | os.O_DIRECTORY
LIST = os.O_RDONLY | os.O_DIRECTORY
SAFE = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

_SYSCALL = 437  # openat2, the same number on every architecture
_BENEATH, _NO_MAGICLINKS, _NO_SYMLINKS = 0x08, 0x02, 0x04
_MAX_LINKS = 40  # as the kernel counts
_ATTEMPTS = 64  # EAGAIN: something was renamed during the look-up


@contextmanager
def held(descriptor: int) -> Iterator[int]:
    """Yield an open descriptor, and close it."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def best_open(root: int) -> Open:
    """Return `openat2` if this kernel and its seccomp filter allow it, else the walk."""
    try:
        fast = openat2()
        os.close(fast(root, ".", FOLDER, False))
    except (OSError, AttributeError, ImportError):
        return walking_open
    return fast


def openat2() -> Open:
    """Return an opener over the system call."""
    import ctypes

    class How(ctypes.Structure):
        """`struct open_how` of linux/openat2.h."""

        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(How), ctypes.c_size_t]
    size, get_errno = ctypes.sizeof(How), ctypes.get_errno
    hows: dict[tuple[int, bool], Any] = {}  # made once for each kind of opening: references to `How` objects

    def how_for(flags: int, follow: bool) -> Any:
        resolve = _BENEATH | (_NO_MAGICLINKS if follow else _NO_SYMLINKS)
        # O_PATH accepts few other flags.
        extra = os.O_CLOEXEC if flags & PATH_ONLY == PATH_ONLY != 0 else SAFE
        return hows.setdefault((flags, follow), ctypes.pointer(How(flags | extra, 0, resolve)))

    def open_it(root: int, path: str, flags: int, follow: bool) -> int:
        how = hows.get((flags, follow)) or how_for(flags, follow)
        name = os.fsencode(path)
        for _ in range(_ATTEMPTS):
            descriptor: int = syscall(_SYSCALL, root, name, how, size)
            if descriptor >= 0:
                return descriptor
            code = get_errno()
            if code not in (errno.EAGAIN, errno.EINTR):
                break
        raise OSError(code, os.strerror(code), path)

    return open_it


def walking_open(root: int, path: str, flags: int, follow: bool) -> int:
    """Open component by component; a `..` in a link steps back over descriptors already held."""
    held = [os.dup(root)]
    pending = [part for part in path.split("/") if part not in ("", ".")][::-1]
    links = 0
    try:
        while pending:
            part = pending.pop()
            if part == "..":
                if len(held) == 1:
                    raise OSError(errno.EXDEV, "leads out of the root", path)
                os.close(held.pop())
                continue
            target = _link_target(held[-1], part) if pending or not flags & os.O_NOFOLLOW else None
            if target is None:
                if not pending:
                    return os.open(part, flags | SAFE | os.O_NOFOLLOW, dir_fd=held[-1])
                held.append(os.open(part, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=held[-1]))
                if not follow:  # only a link leads up again
                    os.close(held.pop(0))
                continue
            links += 1
            if not follow or links > _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            if target.startswith("/"):
                raise OSError(errno.EXDEV, "leads out of the root", path)
            pending += [piece for piece in target.split("/") if piece not in ("", ".")][::-1]
        return os.open(".", flags | SAFE, dir_fd=held[-1])
    finally:
        for descriptor in held:
            os.close(descriptor)


def _link_target(folder: int, name: str) -> str | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise
