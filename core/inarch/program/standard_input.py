"""What is piped into the program: read whole, up to a bound, and never waited for without end beside a prompt."""

from __future__ import annotations

import os
import stat
import sys

LIMIT = 256 * 1024
PATIENCE_S = 5.0


def is_piped() -> bool:
    """Whether standard input is a file, a pipe or a socket: something that a prompt can be in."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:  # closed
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def has_something(seconds: float = PATIENCE_S) -> bool:
    """Whether standard input has bytes or its end to give within `seconds`."""
    if sys.platform == "win32":
        return True
    from select import select

    return bool(select([0], [], [], seconds)[0])


def read() -> tuple[str, bool]:
    """Return what standard input holds as text, and whether it was cut at `LIMIT` bytes."""
    chunks: list[bytes] = []
    left = LIMIT + 1
    while left > 0 and (chunk := os.read(0, min(left, 65536))):
        chunks.append(chunk)
        left -= len(chunk)
    data = b"".join(chunks)
    if len(data) <= LIMIT:
        return data.decode("utf-8", "replace"), False
    return data[:LIMIT].decode("utf-8", "replace").rstrip("\ufffd"), True
