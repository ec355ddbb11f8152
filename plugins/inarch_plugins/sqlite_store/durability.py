"""Protection of written data from power loss."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def _syncing() -> Callable[[int], object]:
    try:
        from fcntl import F_FULLFSYNC, fcntl  # type: ignore[attr-defined,unused-ignore] # macOS
    except ImportError:
        data_only: Callable[[int], object] = getattr(os, "fdatasync", os.fsync)
        return data_only
    return lambda descriptor: fcntl(descriptor, F_FULLFSYNC)


sync_descriptor = _syncing()
"""Flushes written data to disk, including the drive's cache if the system has a call for it."""


class WriteAheadLog:
    """Log of a SQLite database.

    A commit in WAL mode with synchronous=NORMAL writes to the log and leaves it to the system. Syncing the log makes
    all commits durable; SQLite itself syncs what a checkpoint moves. It keeps no locks on this file, so a second
    descriptor does no harm.
    """

    def __init__(self, database: Path) -> None:
        self._path = Path(f"{database}-wal")
        self._descriptor: int | None = None

    def sync(self) -> None:
        """Flush the log to disk, the first time with the folder's entry for it."""
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDONLY)
            sync_path(self._path.parent)
        sync_descriptor(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def sync_path(path: Path) -> None:
    """Flush a file or a folder to disk; do nothing if it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        sync_descriptor(descriptor)
    finally:
        os.close(descriptor)
