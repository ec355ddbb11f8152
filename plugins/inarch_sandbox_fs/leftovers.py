"""Names for what stands beside a file for a moment, who may use them, and what a killed process left under them."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from inarch import ToolFailed
from inarch_sandbox_fs.opening import SAFE, Open
from inarch_sandbox_fs.paths import split

_TRIES, _PAUSE_S = 200, 0.05
_DEEPEST = 200  # a program may nest such names deeper than any path that was put back goes
_HELD = (errno.EWOULDBLOCK, errno.EACCES)
_LEFTOVER = re.compile(r"\.inarch-(?:(?:undo-)?[0-9a-f]+-)?[0-9a-f]{16}\.tmp")


def temporary_name(folder: int) -> str:
    """Return a new name for a file that is about to take the place of another in this folder."""
    return f"{_marked(folder)}{os.urandom(8).hex()}.tmp"


def hold(descriptor: int) -> bool:
    """Say that an open file with such a name is in use while it is open; return whether it is still there."""
    try:
        lock(descriptor)
    except BlockingIOError:
        return False  # only who is about to remove it locks it, too
    return os.fstat(descriptor).st_nlink > 0


def sweep(folder: int) -> None:
    """Remove the files that processes which were killed left in a folder while they wrote to it.

    Only a file that is ours is one: its name says that it was made in this very folder, which the name of a copy or of
    a file out of a repository doesn't, and nobody holds it. One that can't be locked, or is not ours to remove, stays.
    """
    beginning = _marked(folder)
    with suppress(OSError):
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            for name in os.listdir(listed):
                if name.startswith(beginning) and is_leftover(name):
                    _remove_unheld(folder, name)
        finally:
            os.close(listed)


def _remove_unheld(folder: int, name: str) -> None:
    with suppress(OSError):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode) or os.geteuid() not in (0, found.st_uid):  # root gives files away
            return
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | SAFE, dir_fd=folder)
        try:
            if lock(descriptor):
                os.unlink(name, dir_fd=folder)
        finally:
            os.close(descriptor)


def is_leftover(name: str) -> bool:
    """Whether a name is one of ours for a moment: being written now, or left by a process that was killed."""
    return name.startswith(".inarch-") and _LEFTOVER.fullmatch(name) is not None


def name_beside(root: int) -> str:
    """Return a new name for a file or folder that stands below this root while paths are put back."""
    return f"{_beginning(root)}{os.urandom(8).hex()}.tmp"


@contextmanager
def alone(root: int, open_it: Open, patiently: bool = True) -> Iterator[bool]:
    """Be the only one who puts paths back below this root; yield whether that is certain.

    Raises:
        ToolFailed: `conflict` where somebody else is at it for long, or at all for who isn't patient.
    """
    try:
        descriptor = open_it(root, ".", os.O_RDONLY | os.O_DIRECTORY, False)
    except OSError:
        yield False  # not ours to list
        return
    try:
        yield _locked(descriptor, _TRIES if patiently else 1)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Lock it; return False where there are no locks.

    Raises:
        BlockingIOError: Somebody else holds it.
    """
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return False
    except OSError as error:
        if error.errno in _HELD:
            raise BlockingIOError(*error.args) from None
        return False
    return True


def _locked(descriptor: int, tries: int) -> bool:
    for _ in range(tries):
        with suppress(BlockingIOError):
            return lock(descriptor)
        time.sleep(_PAUSE_S)
    raise ToolFailed("conflict", "another process is putting files back here", "try again when it has ended")


def remove_leftovers(root: int, open_it: Open, paths: Iterable[str]) -> None:
    """Remove what a process that was killed while it put these paths back left beside them.

    What is there was kept in the store before, so nothing is lost; only who is `alone` may call this.
    """
    beginning = _beginning(root)
    for folder in sorted({above for path in paths for above in _above(path)}, reverse=True):
        with suppress(OSError):  # gone, or not ours to change
            descriptor = open_it(root, folder, os.O_RDONLY | os.O_DIRECTORY, False)
            try:
                _remove_beginning(descriptor, beginning)
            finally:
                os.close(descriptor)


def _remove_beginning(folder: int, beginning: str, levels: int = _DEEPEST) -> None:
    for name in os.listdir(folder):
        if not (name.startswith(beginning) and is_leftover(name)):
            continue
        with suppress(OSError):
            try:
                os.unlink(name, dir_fd=folder)
            except (IsADirectoryError, PermissionError):
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                try:
                    if levels:
                        _remove_beginning(inner, beginning, levels - 1)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=folder)


def _above(path: str) -> Iterator[str]:
    """Yield the folders above a path; the nearest that is there held what was to stand in those that were not."""
    while path != ".":
        path, _ = split(path)
        yield path


def _beginning(root: int) -> str:
    # The folder's number: who works in a folder within this one, or around it, has other names.
    return f".inarch-undo-{os.fstat(root).st_ino:x}-"


def _marked(folder: int) -> str:
    return f".inarch-{os.fstat(folder).st_ino:x}-"
