"""What was sent and may have to be sent again, in order. Pure."""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from attrs import define, field, frozen

from inarch_live.port import BYTES_PER_SAMPLE, INPUT_RATE, LiveResult, Scheduling

IN_FLIGHT_S = 1.0
"""Where a service doesn't say how much it has consumed, what was sent this long before counts as not."""

QUIET = 1_000
"""Samples below this, 30 dB under the loudest, say nothing that could be lost."""


@frozen
class Audio:
    """Samples."""

    pcm: bytes

    @property
    def seconds(self) -> float:
        """Return how long it sounds."""
        return len(self.pcm) / (BYTES_PER_SAMPLE * INPUT_RATE)

    @property
    def is_sound(self) -> bool:
        """Return whether it is louder than a quiet room."""
        samples = array("h", self.pcm[: len(self.pcm) // BYTES_PER_SAMPLE * BYTES_PER_SAMPLE])
        if sys.byteorder == "big":
            samples.byteswap()
        return any(abs(sample) > QUIET for sample in samples)


@frozen
class Typed:
    """Text."""

    text: str


@frozen
class Results:
    """Answers to calls."""

    results: Sequence[LiveResult]
    scheduling: Scheduling


@frozen
class SpeechBegins:
    """The person begins to speak."""


@frozen
class SpeechEnds:
    """The person has finished."""


Message = Audio | Typed | Results | SpeechBegins | SpeechEnds


@define(eq=False)
class Kept:
    """One message, its number on the present connection (0 before it was sent) and when it was sent.

    `is_answered` says that an answer or a call came after it, and so most likely because of it.
    """

    message: Message
    number: int = 0
    sent_at: float = 0.0
    is_answered: bool = False


@define(eq=False)
class Outbox:
    """The messages of one conversation that a next connection would need.

    Args:
        longest_s: Seconds of audio that are kept; what is older is lost if the connection then breaks.
    """

    longest_s: float
    lost_s: float = field(init=False, default=0.0)
    """Seconds of sound that were lost since the service last said what it has."""
    _sent: deque[Kept] = field(init=False, factory=deque)
    _unsent: deque[Kept] = field(init=False, factory=deque)
    _count: int = field(init=False, default=0)
    _audio_s: float = field(init=False, default=0.0)

    def put(self, message: Message) -> Kept:
        """Add a message to be sent."""
        kept = Kept(message)
        self._unsent.append(kept)
        if isinstance(message, Audio):
            self._audio_s += message.seconds
            while self._audio_s > self.longest_s:
                self._lose()
        return kept

    def take(self, now: float) -> Message | None:
        """Return the next message to send, None where there is none."""
        if not self._unsent:
            return None
        kept = self._unsent.popleft()
        self._count += 1
        kept.number, kept.sent_at = self._count, now
        self._sent.append(kept)
        return kept.message

    def consumed(self, upto: int, others: Iterable[int] = ()) -> None:
        """Forget the first so many messages of the present connection, and some others."""
        while self._sent and self._sent[0].number <= upto:
            self._forget(self._sent.popleft())
            self.lost_s = 0.0
        also = set(others)
        if also:
            self.remove(lambda kept: kept.number in also)

    def answered(self) -> None:
        """An answer has begun: what was typed until now need not be asked again."""
        for kept in self._sent:
            kept.is_answered = not isinstance(kept.message, Audio)

    def in_flight_since(self, moment: float) -> None:
        """Forget what was sent before a moment, and what was answered."""
        if self.remove(lambda kept: kept.number > 0 and (kept.is_answered or kept.sent_at < moment)):
            self.lost_s = 0.0

    def remove(self, is_gone: Callable[[Kept], bool]) -> list[Kept]:
        """Forget some messages, and return them."""
        gone = [kept for kept in self if is_gone(kept)]
        for queue in (self._sent, self._unsent) if gone else ():
            left = [kept for kept in queue if not is_gone(kept)]
            queue.clear()
            queue.extend(left)
        for kept in gone:
            self._forget(kept)
        return gone

    def begin_anew(self) -> None:
        """Everything is to be sent, on another connection."""
        self._unsent = deque(chain(self._sent, self._unsent))
        self._sent = deque()
        self._count = 0
        for kept in self._unsent:
            kept.number, kept.is_answered = 0, False

    def __iter__(self) -> chain[Kept]:
        return chain(self._sent, self._unsent)

    def __len__(self) -> int:
        return len(self._sent) + len(self._unsent)

    def _lose(self) -> None:
        """Lose the oldest audio: most often the very first message."""
        for queue in (self._sent, self._unsent):
            for place, kept in enumerate(queue):
                if isinstance(kept.message, Audio):
                    del queue[place]
                    self.lost_s += kept.message.seconds if kept.message.is_sound else 0.0
                    self._forget(kept)
                    return

    def _forget(self, kept: Kept) -> None:
        if isinstance(kept.message, Audio):
            self._audio_s -= kept.message.seconds
