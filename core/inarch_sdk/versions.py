"""Versions of stored data: older data is upgraded in place after a backup, newer data is rejected."""

from __future__ import annotations

from pathlib import Path

from inarch.contract.errors import StoreError


def is_older(place: str | Path, found: int, known: int) -> bool:
    """Return whether stored data must be upgraded to the known version.

    Args:
        place: Its path, for the message.
        found: Its version.
        known: The version that this program writes.

    Raises:
        StoreError: A newer Inarch wrote it.
    """
    if found > known:
        raise StoreError(
            "read_only",
            f"{place} was written by a newer Inarch (version {found}; this one knows {known})",
            "upgrade Inarch, or move the file away to start from scratch",
        )
    return found < known
