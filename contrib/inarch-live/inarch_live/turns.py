"""The session's running turn, the person's transcripts, and turns that begin with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Protocol

from attrs import define, field

import inarch
from inarch_live.port import BYTES_PER_SAMPLE, INPUT_RATE, InputTranscript
from inarch_live.samples import level


class Talk(Protocol):
    """Runner of turns: the conversation at a terminal, or the lines of a pipe."""

    @property
    def session(self) -> inarch.Session:
        """The session that the next turn belongs to."""
        ...

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> object:
        """Run a turn with this prompt inside `around()`, as soon as no other turn runs."""
        ...

    def cancel(self) -> object:
        """Cancel the turn that runs."""
        ...

    def changed(self) -> object:
        """Redraw the conversation."""
        ...

    def hidden(self, text: str) -> str:
        """Return a text with secrets redacted, for the screen."""
        ...

    def tell(self, text: str) -> object:
        """Show the person a message."""
        ...


@define(eq=False, repr=False)
class Hearing:
    """Collects transcripts. A transcript that arrives after its turn has begun is late and stored outside that turn."""

    _sealed: list[str] = field(init=False, factory=list)
    _open: str = field(init=False, default="")
    _used: str | None = field(init=False, default=None)  # the part of a late utterance that its turn already has

    def saw(self, transcript: InputTranscript) -> str:
        """Take a transcript; return a late one once it is complete."""
        self._open = transcript.whole.strip()
        if not transcript.is_final:
            return ""
        said, self._open, used, self._used = self._open, "", self._used, None
        if used is not None:
            return said if said != used else ""
        if said:
            self._sealed.append(said)
        return ""

    @property
    def text(self) -> str:
        """The transcript that no turn has yet."""
        return " ".join(filter(None, [*self._sealed, "" if self._used is not None else self._open]))

    @property
    def is_whole(self) -> bool:
        """Whether there is a transcript and all of it is complete."""
        return bool(self._sealed) and not self._open

    def take(self) -> str:
        """Return the transcript as a prompt. The rest of an incomplete or unknown utterance is then late."""
        said, self._sealed = self.text, []
        if self._open or not said:
            self._used = self._open
        return said

    def clear(self) -> None:
        """Forget everything, because the audio is sent again."""
        self._sealed, self._open, self._used = [], "", None

    def begin(self) -> None:
        """Begin a new utterance."""
        if self._used == "" and not self._open:
            self._used = None


@define(eq=False, repr=False)
class Tasks:
    """Background tasks."""

    failed: Callable[[BaseException], object]
    _running: set[asyncio.Task[Any]] = field(init=False, factory=set)

    def start(self, doing: Coroutine[Any, Any, Any]) -> None:
        """Start a coroutine in the background."""
        task = asyncio.get_running_loop().create_task(doing)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def aclose(self) -> None:
        """Cancel running tasks and wait for them to end."""
        running = [*self._running]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failed(error)


UNHEARD = "(spoken; there is no transcript)"
UNASKED = "(the assistant goes on by itself)"
TRANSCRIPT_S = 2.0
"""Seconds that a turn waits for the transcript of its prompt. The voice does not wait."""
SETTLED_S = 0.25
"""Seconds without news after which a transcript counts as complete, if the service does not say so."""
LOOK_S = 0.02
QUIET = 0.05
"""Peak level above which audio may be speech."""
MOST_UNTAKEN = 120 * INPUT_RATE * BYTES_PER_SAMPLE
"""Most bytes of speech that are kept for the next connection."""


@define(eq=False, repr=False)
class Turns:
    """Tracks the running turn, and begins one when the model answers speech outside a turn."""

    hearing: Hearing
    tasks: Tasks
    failed: Callable[[], object]
    talk: Talk = field(init=False)
    untaken: bytearray = field(init=False, factory=bytearray)
    """Audio of the person since the model last began to answer."""
    is_running: bool = field(init=False, default=False)
    is_spoken: bool = field(init=False, default=False)
    """Whether the model has heard the turn's prompt as audio."""
    _is_unasked: bool = field(init=False, default=False)
    _is_beginning: bool = field(init=False, default=False)
    _has_spoken: bool = field(init=False, default=False)
    _transcribed_at: float = field(init=False, default=0.0)

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running or about to begin."""
        return self.is_running or self._is_beginning

    @property
    def is_asked(self) -> bool:
        """Whether the person has said something that no turn has taken."""
        return self._has_spoken or bool(self.hearing.text)

    def sent(self, pcm: bytes) -> None:
        """Note audio from the microphone."""
        self._has_spoken = self._has_spoken or level(pcm) > QUIET
        if self._has_spoken:
            self.untaken += pcm
            del self.untaken[:-MOST_UNTAKEN]

    def heard(self, transcript: InputTranscript) -> str:
        """Take a transcript; return one that is too late for its turn once it is complete."""
        self._transcribed_at = asyncio.get_running_loop().time()
        return self.hearing.saw(transcript)

    def begin(self) -> None:
        """Begin a turn for the model's answer, unless a turn is running."""
        if not self.is_busy:
            self._is_beginning = True
            self.untaken.clear()
            self.tasks.start(self._begin())

    def end(self) -> bool:
        """End the turn; return whether the model had spoken unasked in it."""
        was_unasked, self._is_unasked = self._is_unasked, False
        self.is_running = self.is_spoken = False
        return was_unasked

    async def _begin(self) -> None:
        """Begin a turn with the transcript, once it is complete or the wait for it is over."""
        await self._transcript()
        self._is_beginning = False
        if self.is_running:  # a typed turn came first and takes the answer
            return
        self.is_running = True  # set here already, so that no other turn begins
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
        """Mark a turn whose prompt the model has heard as audio; end it if it could not begin."""
        self.is_running = self.is_spoken = True
        try:
            yield
        finally:
            if self.is_running:
                self.failed()
