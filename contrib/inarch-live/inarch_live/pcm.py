"""Samples: signed 16-bit little-endian PCM with one channel, as numbers and as bytes."""

from __future__ import annotations

import sys
from array import array

BYTES = 2
LOUDEST = 32_767


def samples(pcm: bytes) -> array[int]:
    """Return bytes as samples; half a sample at the end is left out."""
    found = array("h", pcm[: len(pcm) - len(pcm) % BYTES])
    if sys.byteorder == "big":
        found.byteswap()
    return found


def as_bytes(found: array[int]) -> bytes:
    """Return samples as bytes."""
    if sys.byteorder == "big":
        found = array("h", found)
        found.byteswap()
    return found.tobytes()


def level(pcm: bytes) -> float:
    """Return how loud a piece is, from 0 to 1: its highest sample."""
    found = samples(pcm)
    return max(max(found), -min(found)) / (LOUDEST + 1) if found else 0.0


def mixed(pcm: bytes, channels: int) -> bytes:
    """Return the mean of several channels as one."""
    if channels == 1:
        return pcm
    found = samples(pcm)
    whole = len(found) - len(found) % channels
    return as_bytes(array("h", (sum(found[at : at + channels]) // channels for at in range(0, whole, channels))))
