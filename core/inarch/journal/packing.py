"""Texts that are kept compressed beside the events of a session, by reference."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from inarch.contract.errors import StoreError

if TYPE_CHECKING:
    from inarch.journal.journal import Journal


def keep_packed(journal: Journal, text: str) -> str:
    """Keep a text and return its reference; empty if it can't be kept."""
    try:
        data = zlib.compress(text.encode("utf-8", "replace"))
        return journal.store.put_blob(journal.session_id, data)
    except StoreError:
        return ""


def unpacked(blob: Callable[[str], bytes], ref: str) -> str:
    """Return a text that was kept.

    Args:
        blob: Fetches what is kept.
        ref: The reference.

    Raises:
        StoreError: It can't be read, or is no such text.
    """
    try:
        return zlib.decompress(blob(ref)).decode()
    except (zlib.error, ValueError) as error:
        raise StoreError("damaged", f"what is kept as {ref} can't be unpacked") from error
