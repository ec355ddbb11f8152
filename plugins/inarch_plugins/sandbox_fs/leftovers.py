"""Temporary names used while files are put back, and removal of those that a killed process left."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from inarch import ToolFailed
from inarch_lib.staging import is_leftover, lock, sweep
from inarch_plugins.sandbox_fs.paths import above
from inarch_plugins.sandbox_fs.safe_open import FOLDER, LIST, Open, held

_TRIES, _PAUSE_S = 200, 0.05
_DEEPEST = 200  # a program may nest such names deeper than any restored path goes


def sweep_folders(folders: Iterable[str], root: int, open_it: Open) -> None:
    """Remove what killed processes left in folders that are about to be written to."""
    for path in folders:
        with suppress(OSError), held(open_it(root, path, FOLDER, False)) as folder:  # gone, or now a link
            sweep(folder)


def name_beside(root: int) -> str:
    """Return a new temporary name for a file or folder below this root."""
    return f"{_beginning(root)}{os.urandom(8).hex()}.tmp"


@contextmanager
def alone(root: int, open_it: Open) -> Iterator[bool]:
    """Hold the lock for putting back paths below this root; yield whether it is certain."""
    try:
        descriptor = open_it(root, ".", LIST, False)
    except OSError:
        yield False  # no permission to list it
        return
    with held(descriptor):
        yield _locked(descriptor)


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
    for folder in sorted({".", *(one for path in paths for one in above(path))}, reverse=True):
        with suppress(OSError), held(open_it(root, folder, LIST, False)) as descriptor:  # gone, or may not be changed
            _remove_beginning(descriptor, beginning)


def _remove_beginning(folder: int, beginning: str, levels: int = _DEEPEST) -> None:
    for name in os.listdir(folder):
        if not (name.startswith(beginning) and is_leftover(name)):
            continue
        with suppress(OSError):
            try:
                os.unlink(name, dir_fd=folder)
            except (IsADirectoryError, PermissionError):
                with held(os.open(name, LIST | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)) as inner:
                    if levels:
                        _remove_beginning(inner, beginning, levels - 1)
                os.rmdir(name, dir_fd=folder)


def _beginning(root: int) -> str:
    # The folder's number: a process that works in a folder within this one, or around it, uses other names.
    return f".inarch-undo-{os.fstat(root).st_ino:x}-"
