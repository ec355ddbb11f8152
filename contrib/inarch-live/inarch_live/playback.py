"""What waits to be heard: the service fills it faster than it sounds, a device empties it in its own thread."""

from __future__ import annotations

import threading
from collections import deque

from attrs import define, field

from inarch_live.pcm import BYTES, level
from inarch_live.resampling import Resampler

MOST_WAITING_S = 600.0
"""Seconds of an answer that are kept until they can be heard; what is beyond is dropped."""


@define(eq=False, repr=False)
class Playback:
    """The queue between service and speaker. `put` and `drop` are the conversation's, `take` is the device's.

    Args:
        rate: Samples a second that the speaker takes.
    """

    rate: int = 24_000
    level: float = field(init=False, default=0.0)
    _pieces: deque[bytes] = field(init=False, factory=deque)
    _waiting: int = field(init=False, default=0)
    _heard: int = field(init=False, default=0)
    _resampler: Resampler | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def put(self, pcm: bytes, rate: int) -> bool:
        """Queue a piece of the voice; return whether there was room for it."""
        if self._resampler is None or self._resampler.source != rate:
            self._resampler = Resampler(rate, self.rate)
        piece = self._resampler.add(pcm)
        with self._lock:
            if self._waiting + len(piece) > MOST_WAITING_S * self.rate * BYTES:
                return False
            self._pieces.append(piece)
            self._waiting += len(piece)
            return True

    def take(self, size: int) -> bytes:
        """Return so many bytes to be heard now, silence where nothing waits."""
        taken = bytearray()
        with self._lock:
            while self._pieces and len(taken) < size:
                piece, room = self._pieces.popleft(), size - len(taken)
                taken += piece[:room]
                if len(piece) > room:
                    self._pieces.appendleft(piece[room:])
            self._waiting -= len(taken)
            self._heard += len(taken)
        self.level = level(bytes(taken)) if taken else 0.0
        return bytes(taken).ljust(size, b"\0")

    def drop(self) -> int:
        """Forget what waits, and return how many milliseconds of it there were."""
        with self._lock:
            dropped, self._waiting = self._waiting, 0
            self._pieces.clear()
            return self._ms(dropped)

    @property
    def heard_ms(self) -> int:
        """How many milliseconds of the present answer were heard."""
        return self._ms(self._heard)

    def begin_answer(self) -> None:
        """Count what is heard from here on: another answer begins."""
        with self._lock:
            self._heard, self._resampler = 0, None

    @property
    def is_sounding(self) -> bool:
        """Whether there is anything to be heard."""
        return self._waiting > 0

    @property
    def waiting(self) -> int:
        """How many bytes wait to be heard."""
        return self._waiting

    def _ms(self, size: int) -> int:
        return size * 1000 // (self.rate * BYTES)
