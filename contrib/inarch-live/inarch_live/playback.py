"""Queue of voice and its words, filled by a service and emptied by a device in real time."""

from __future__ import annotations

import re
import threading
from collections import deque

from attrs import define, field

from inarch_live.samples import BYTES, Resampler, level

FASTEST = 20
"""Characters a second of a fast voice. Words that arrive before their audio wait accordingly."""


@define(eq=False, repr=False)
class Playback:
    """The queue between service and speaker. The device calls `take`, the conversation the other methods.

    Args:
        rate: Samples a second of the speaker.
        has_device: Whether a device plays the voice. If not, audio is dropped and words count as heard at once.
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

    def put(self, pcm: bytes, rate: int) -> None:
        """Queue a piece of the voice."""
        if not self.has_device:
            return
        if self._resampler is None or self._resampler.source != rate:
            self._resampler = Resampler(rate, self.rate)
        piece = self._resampler.add(pcm)
        with self._lock:
            self._pieces.append(piece)
            self._waiting += len(piece)
            self._put += len(piece)

    def caption(self, text: str) -> None:
        """Queue words of the voice, spread over the audio since the last words."""
        with self._lock:
            start, size = self._words_end, len(text) * self.rate * BYTES // FASTEST
            self._words_end = max(self._put, start + size) if self.has_device else start
            for word in re.finditer(r"\s*\S+\s*$|\s*\S+|\s+", text):
                self._words.append((start + (self._words_end - start) * word.end() // len(text), word.group()))

    def heard_words(self, *, is_whole: bool = False) -> str:
        """Return and forget the words that were heard: all of them once an `is_whole` answer has been played."""
        with self._lock:
            upto, heard = self._put - self._waiting, list[str]()
            while self._words and (self._words[0][0] <= upto or (is_whole and not self._waiting)):
                heard.append(self._words.popleft()[1])
            return "".join(heard)

    def take(self, size: int) -> bytes:
        """Return `size` bytes to play now, padded with silence."""
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
        """Drop the queued voice and its words; return how many milliseconds were dropped."""
        with self._lock:
            upto = self._words_end = self._put = self._put - self._waiting
            self._words = deque(word for word in self._words if word[0] <= upto)
            dropped, self._waiting = self._waiting, 0
            self._pieces.clear()
            return self._ms(dropped)

    @property
    def heard_ms(self) -> int:
        """The milliseconds of the present answer that were heard."""
        return self._ms(self._heard)

    def begin_answer(self) -> None:
        """Begin to count the heard part of another answer."""
        with self._lock:
            self._heard, self._resampler = 0, None

    @property
    def is_sounding(self) -> bool:
        """Whether audio waits to be played."""
        return self._waiting > 0

    @property
    def has_words(self) -> bool:
        """Whether words wait to be heard."""
        return bool(self._words)

    @property
    def waiting(self) -> int:
        """The number of bytes that wait to be played."""
        return self._waiting

    def _ms(self, size: int) -> int:
        return size * 1000 // (self.rate * BYTES)
