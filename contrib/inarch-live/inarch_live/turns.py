"""The turn of the session that is under way, and how one begins with what was spoken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from attrs import define, field

import inarch
from inarch_live.hearing import Hearing
from inarch_live.pcm import level
from inarch_live.port import BYTES_PER_SAMPLE, INPUT_RATE, InputTranscript
from inarch_live.talk import Talk
from inarch_live.tasks import Tasks

UNHEARD = "(spoken; there is no transcript)"
UNASKED = "(the assistant goes on by itself)"
TRANSCRIPT_S = 2.0
"""How long a turn waits for the transcript of what it answers. The voice does not wait."""
SETTLED_S = 0.25
"""After this long without more a transcript counts as complete, where the service doesn't say so."""
LOOK_S = 0.02
QUIET = 0.05
"""How loud a piece of audio is, at its loudest, that may be speech."""
MOST_UNTAKEN = 120 * INPUT_RATE * BYTES_PER_SAMPLE
"""Bytes of what was said that are kept for the next connection."""


@define(eq=False, repr=False)
class Turns:
    """Knows whether a turn runs, and begins one when the model answers what was said and none does.

    Args:
        hearing: What the person was heard to say.
        tasks: Waits for its transcript.
        failed: Told of a turn that was to begin and could not.
    """

    hearing: Hearing
    tasks: Tasks
    failed: Callable[[], object]
    talk: Talk = field(init=False)
    untaken: bytearray = field(init=False, factory=bytearray)
    """What the person has said since the model last began to answer."""
    is_running: bool = field(init=False, default=False)
    is_spoken: bool = field(init=False, default=False)
    """Whether the model has heard the prompt of the turn itself."""
    _is_unasked: bool = field(init=False, default=False)
    _is_beginning: bool = field(init=False, default=False)
    _has_spoken: bool = field(init=False, default=False)
    _transcribed_at: float = field(init=False, default=0.0)

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs, or is about to begin."""
        return self.is_running or self._is_beginning

    @property
    def is_asked(self) -> bool:
        """Whether the person has said something that no turn has taken."""
        return self._has_spoken or bool(self.hearing.text)

    def sent(self, pcm: bytes) -> None:
        """Note what the microphone heard."""
        self._has_spoken = self._has_spoken or level(pcm) > QUIET
        if self._has_spoken:
            self.untaken += pcm
            del self.untaken[:-MOST_UNTAKEN]

    def heard(self, transcript: InputTranscript) -> str:
        """Take a transcript; return one that is too late for its turn when it is whole."""
        self._transcribed_at = asyncio.get_running_loop().time()
        return self.hearing.saw(transcript)

    def begin(self) -> None:
        """The model answers: where no turn is under way, this is one."""
        if not self.is_busy:
            self._is_beginning = True
            self.untaken.clear()
            self.tasks.start(self._begin())

    def end(self) -> bool:
        """The turn is over; return whether the model had gone on by itself in it."""
        was_unasked, self._is_unasked = self._is_unasked, False
        self.is_running = self.is_spoken = False
        return was_unasked

    async def _begin(self) -> None:
        """Begin a turn with what was heard, as soon as that is known, or has been waited for long enough."""
        await self._transcript()
        self._is_beginning = False
        if self.is_running:  # a typed one came first, and has it
            return
        self.is_running = True  # from here on: nobody else begins one
        unknown, self._has_spoken = UNHEARD if self._has_spoken else UNASKED, False
        said = self.hearing.take()
        self._is_unasked = not said
        self.talk.say(inarch.Submitted(said or unknown, mode="voice"), self._spoken)

    async def _transcript(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        with suppress(TimeoutError):
            async with asyncio.timeout(TRANSCRIPT_S):
                while not self.hearing.is_whole:
                    if self.hearing.text and loop.time() - max(self._transcribed_at, began) > SETTLED_S:
                        break
                    await asyncio.sleep(LOOK_S)

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """A turn whose prompt the model has heard itself; one that could not begin is over, too."""
        self.is_running = self.is_spoken = True
        try:
            yield
        finally:
            if self.is_running:
                self.failed()
