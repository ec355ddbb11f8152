"""Temporary names used while files are put back, and removal of those that a killed process left."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from inarch import ToolFailed
from inarch_lib.staging import is_leftover, lock, sweep
from inarch_plugins.sandbox_fs.paths import split
from inarch_plugins.sandbox_fs.safe_open import FOLDER, Open

_TRIES, _PAUSE_S = 200, 0.05
_DEEPEST = 200  # a program may nest such names deeper than any restored path goes


def sweep_folders(folders: Iterable[str], root: int, open_it: Open) -> None:
    """Remove what killed processes left in folders that are about to be written to."""
    for path in folders:
        with suppress(OSError):  # gone, or now a link
            descriptor = open_it(root, path, FOLDER, False)
            try:
                sweep(descriptor)
            finally:
                os.close(descriptor)


def name_beside(root: int) -> str:
    """Return a new temporary name for a file or folder below this root."""
    return f"{_beginning(root)}{os.urandom(8).hex()}.tmp"


@contextmanager
def alone(root: int, open_it: Open) -> Iterator[bool]:
    """Hold the lock for putting back paths below this root; yield whether it is certain.

    Raises:
        ToolFailed: `conflict` if another process holds it for long.
    """
    try:
        descriptor = open_it(root, ".", os.O_RDONLY | os.O_DIRECTORY, False)
    except OSError:
        yield False  # no permission to list it
        return
    try:
        yield _locked(descriptor)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    for _ in range(_TRIES):
        with suppress(BlockingIOError):
            return lock(descriptor)
        time.sleep(_PAUSE_S)
    raise ToolFailed("conflict", "another process is putting files back here", "try again when it has finished")


def remove_leftovers(root: int, open_it: Open, paths: Iterable[str]) -> None:
    """Remove what a killed process left beside these paths while it put them back.

    The store has the content, so nothing is lost. Only the holder of `alone` may call this.
    """
    beginning = _beginning(root)
    for folder in sorted({above for path in paths for above in _above(path)}, reverse=True):
        with suppress(OSError):  # gone, or no permission to change it
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
    """Yield the folders above a path; the nearest that exists held what was meant for missing ones."""
    while path != ".":
        path, _ = split(path)
        yield path


def _beginning(root: int) -> str:
    # The folder's number: a process that works in a folder within this one, or around it, uses other names.
    return f".inarch-undo-{os.fstat(root).st_ino:x}-"
