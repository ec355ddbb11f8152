"""A page as microphone and speaker of a spoken session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from attrs import define, field
from inarch_live.playback import Playback

FRAME_S = 0.02
AHEAD_S = 0.1
"""How much of the voice the page has before it sounds: sleeping here and the way there take different times."""
LONGEST_PIECE = 64_000
"""Bytes of sound that a page may send at once: two seconds."""
_BYTES = 2


@define(eq=False, repr=False)
class PageMicrophone:
    """What a page's microphone hears, 16 kHz."""

    is_over: bool = False
    _heard: Callable[[bytes], object] | None = field(init=False, default=None)

    def start(self, heard: Callable[[bytes], object]) -> None:
        """Begin to hand over pieces."""
        self._heard = heard

    def stop(self) -> None:
        """Hand over nothing more."""
        self._heard = None

    def feed(self, pcm: bytes) -> None:
        """Take what the page has sent; what comes while nobody listens is nobody's."""
        if self._heard is not None and 0 < len(pcm) <= LONGEST_PIECE:
            self._heard(pcm[: len(pcm) - len(pcm) % _BYTES])


@define(eq=False, repr=False)
class PageSpeaker:
    """Sends the voice to a page about as fast as it sounds.

    Args:
        send: Sends a piece.
    """

    send: Callable[[bytes], object]
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def start(self, playback: Playback) -> None:
        """Begin to take what waits there."""
        self._task = asyncio.get_running_loop().create_task(self._speak(playback))

    def stop(self) -> None:
        """Take nothing more."""
        if self._task is not None:
            self._task.cancel()

    async def _speak(self, playback: Playback) -> None:
        loop = asyncio.get_running_loop()
        rate = playback.rate * _BYTES
        said_until = loop.time()
        while True:
            now = loop.time()
            said_until = max(said_until, now)
            size = min(playback.waiting, int((now + AHEAD_S - said_until) * rate) // _BYTES * _BYTES)
            if size > 0:
                self.send(playback.take(size))
                said_until += size / rate
            await asyncio.sleep(FRAME_S)


@define(eq=False, repr=False)
class PagePlayback(Playback):
    """A queue whose page is told to be silent when it is dropped.

    Args:
        hush: Tells it.
    """

    hush: Callable[[], object] = field(default=lambda: None, kw_only=True)

    def drop(self) -> int:
        """Forget what waits, here and in the page."""
        dropped = Playback.drop(self)
        self.hush()
        return dropped
