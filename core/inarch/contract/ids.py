"""Ids and times: UUIDv7-shaped ids that sort by creation, RFC 3339 times in UTC, and the clock that provides both."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch.contract.ports import Clock

_last_ms = 0
_counter = 0


def new_id() -> str:
    """Return a UUIDv7-shaped id. Ids made in one process sort in the order they were made (RFC 9562, method 1)."""
    global _last_ms, _counter
    now = time.time_ns() // 1_000_000
    if now > _last_ms:
        # Random in the lower half only, so that the other ids of this millisecond fit above.
        _last_ms, _counter = now, int.from_bytes(os.urandom(2)) & 0x7FF
    else:
        _counter += 1
        if _counter > 0xFFF:
            _last_ms, _counter = _last_ms + 1, 0
    tail = (int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    text = f"{_last_ms & 0xFFFF_FFFF_FFFF:012x}{0x7000 | _counter:04x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def utc_now() -> str:
    """Return the present time, UTC, RFC 3339 with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")[:-6] + "Z"  # a quarter of the time of strftime


class SystemClock:
    """The machine's own clock."""

    new_id = staticmethod(new_id)
    utc_now = staticmethod(utc_now)
    monotonic = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        from asyncio import sleep

        await sleep(seconds)


SYSTEM_CLOCK: Clock = SystemClock()
