"""The voice that waits to be heard, and its words: a service fills it faster than it sounds, a device empties it."""

from __future__ import annotations

import re
import threading
from collections import deque

from attrs import define, field

from inarch_live.samples import BYTES, Resampler, level

MOST_WAITING_S = 600.0
"""Seconds of an answer that are kept until they can be heard; what is beyond is dropped."""
FASTEST = 20
"""Characters that a fast voice says in a second: words that come ahead of their sound wait at least as long."""


@define(eq=False, repr=False)
class Playback:
    """The queue between service and speaker. `take` is the device's, the rest is the conversation's.

    Args:
        rate: Samples a second that the speaker takes.
        has_device: Whether a device takes the voice; otherwise no voice is kept, and its words count at once.
    """

    rate: int = 24_000
    has_device: bool = True
    level: float = field(init=False, default=0.0)
    _pieces: deque[bytes] = field(init=False, factory=deque)
    _waiting: int = field(init=False, default=0)
    _heard: int = field(init=False, default=0)
    _put: int = field(init=False, default=0)
    _words: deque[tuple[int, str]] = field(init=False, factory=deque)
    _words_end: int = field(init=False, default=0)
    _resampler: Resampler | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def put(self, pcm: bytes, rate: int) -> bool:
        """Queue a piece of the voice; return whether there was room for it."""
        if not self.has_device:
            return True
        if self._resampler is None or self._resampler.source != rate:
            self._resampler = Resampler(rate, self.rate)
        piece = self._resampler.add(pcm)
        with self._lock:
            if self._waiting + len(piece) > MOST_WAITING_S * self.rate * BYTES:
                return False
            self._pieces.append(piece)
            self._waiting += len(piece)
            self._put += len(piece)
            return True

    def caption(self, text: str) -> None:
        """Queue words of the voice, spread over the part of it that came since the last ones."""
        with self._lock:
            start, size = self._words_end, len(text) * self.rate * BYTES // FASTEST
            self._words_end = max(self._put, start + size) if self.has_device else start
            for word in re.finditer(r"\s*\S+\s*$|\s*\S+|\s+", text):
                self._words.append((start + (self._words_end - start) * word.end() // len(text), word.group()))

    def heard_words(self, *, is_whole: bool = False) -> str:
        """Return and forget the words that were heard; all of them after the end of a `is_whole` answer's voice."""
        with self._lock:
            upto, heard = self._put - self._waiting, list[str]()
            while self._words and (self._words[0][0] <= upto or (is_whole and not self._waiting)):
                heard.append(self._words.popleft()[1])
            return "".join(heard)

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
        """Forget the voice that waits and its words, and return how many milliseconds of it there were."""
        with self._lock:
            upto = self._words_end = self._put = self._put - self._waiting
            self._words = deque(word for word in self._words if word[0] <= upto)
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
    def has_words(self) -> bool:
        """Whether there are words that were not heard yet."""
        return bool(self._words)

    @property
    def waiting(self) -> int:
        """How many bytes wait to be heard."""
        return self._waiting

    def _ms(self, size: int) -> int:
        return size * 1000 // (self.rate * BYTES)
