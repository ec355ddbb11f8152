"""The lease of a task: a file lock in its folder, which ends with the process that runs the task."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def leased(folder: Path) -> Iterator[None]:
    """Wait until no other worker has the task: one that was taken for dead may live."""
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


@contextmanager
def leased_if_free(folder: Path) -> Iterator[bool]:
    """Take a task's lease unless a worker has it, and yield whether it was free."""
    try:
        file = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True  # the folder is gone, and its task has ended
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(file)
