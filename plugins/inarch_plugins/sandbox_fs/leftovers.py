"""Names for what stands beside files while they are put back, and what a process that was killed left under them."""

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
_DEEPEST = 200  # a program may nest such names deeper than any path that was put back goes


def sweep_folders(folders: Iterable[str], root: int, open_it: Open) -> None:
    """Remove from folders that are about to be written to what killed processes left in them."""
    for path in folders:
        with suppress(OSError):  # gone, or a link by now
            descriptor = open_it(root, path, FOLDER, False)
            try:
                sweep(descriptor)
            finally:
                os.close(descriptor)


def name_beside(root: int) -> str:
    """Return a new name for a file or folder that stands below this root while paths are put back."""
    return f"{_beginning(root)}{os.urandom(8).hex()}.tmp"


@contextmanager
def alone(root: int, open_it: Open) -> Iterator[bool]:
    """Be the only one who puts paths back below this root; yield whether that is certain.

    Raises:
        ToolFailed: `conflict` where another process is at it for long.
    """
    try:
        descriptor = open_it(root, ".", os.O_RDONLY | os.O_DIRECTORY, False)
    except OSError:
        yield False  # not ours to list
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
