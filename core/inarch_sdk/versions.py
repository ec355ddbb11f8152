"""Versions of what is kept on disk: an older one is brought up in place with a copy kept, a newer one is refused."""

from __future__ import annotations

from pathlib import Path

from inarch.contract.errors import StoreError


def is_older(place: str | Path, found: int, known: int) -> bool:
    """Return whether a stored version is older than the known one.

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
