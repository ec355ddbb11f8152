"""Versions of what is kept on disk: an older one is brought up in place with a copy kept, a newer one is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from inarch.contract.errors import StoreError


def is_older(place: str | Path, found: int, known: int) -> bool:
    """Return whether what is kept has to be brought up to the version that is known here.

    Args:
        place: Where it is, for the message.
        found: Its version.
        known: The version that this program writes.

    Raises:
        StoreError: A newer Inarch wrote it.
    """
    if found > known:
        raise StoreError(
            "read_only",
            f"{place} was written by a newer Inarch (version {found}; this one knows {known})",
            "upgrade Inarch, or move the file away to begin anew",
        )
    return found < known


def keep_former(path: Path, version: int, copy: Callable[[Path, Path], object] | None = None) -> Path:
    """Keep a copy of a file as `NAME.version-N`, whole and private, before it is brought up; return its path.

    Args:
        path: The file.
        version: Its version. A copy of it that is there already stays: it is the older one.
        copy: Copies the first path's content into the file at the second; by default byte for byte.

    Raises:
        OSError: It can't be kept.
    """
    from shutil import copyfile

    former = path.with_name(f"{path.name}.version-{version}")
    if former.exists():
        return former
    half = former.with_name(f".{former.name}.{os.getpid()}")
    try:
        half.touch(mode=0o600)
        (copy or copyfile)(path, half)
        half.replace(former)
    finally:
        half.unlink(missing_ok=True)
    return former
