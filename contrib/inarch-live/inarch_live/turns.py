"""The turn of the session that is under way, what the person was heard to say, and how one begins with it."""

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
    """Where turns are run: the conversation at a terminal, or the lines of a pipe."""

    @property
    def session(self) -> inarch.Session:
        """The session that the next turn belongs to."""
        ...

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> object:
        """Run a turn with this prompt, within `around()`, as soon as no other runs."""
        ...

    def cancel(self) -> object:
        """Cancel the turn that runs."""
        ...

    def changed(self) -> object:
        """Draw anew what is shown of the conversation."""
        ...

    def hidden(self, text: str) -> str:
        """Return a text as it may be shown on the screen, without secrets."""
        ...

    def tell(self, text: str) -> object:
        """Tell the person something."""
        ...


LONGEST = 100_000
"""Characters that are kept of what no turn has yet: two hours of speech."""


@define(eq=False, repr=False)
class Hearing:
    """Collects transcripts. What comes after its turn has begun is late: it is kept beside that turn."""

    _sealed: list[str] = field(init=False, factory=list)
    _open: str = field(init=False, default="")
    _used: str | None = field(init=False, default=None)  # of an utterance whose rest is late, what its turn has

    def saw(self, transcript: InputTranscript) -> str:
        """Take a transcript; return a late one when it is whole."""
        self._open = transcript.whole[: max(0, LONGEST - sum(map(len, self._sealed)))].strip()
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
        """What no turn has yet."""
        return " ".join(filter(None, [*self._sealed, "" if self._used is not None else self._open]))

    @property
    def is_whole(self) -> bool:
        """Whether something was heard to its end."""
        return bool(self._sealed) and not self._open

    def take(self) -> str:
        """Return what was heard as a prompt; the rest of an utterance that is not complete, or not known, is late."""
        said, self._sealed = self.text, []
        if self._open or not said:
            self._used = self._open
        return said

    def clear(self) -> None:
        """Forget everything: it will be heard again."""
        self._sealed, self._open, self._used = [], "", None

    def begin(self) -> None:
        """The person begins to speak: what comes from now on is another utterance."""
        if self._used == "" and not self._open:
            self._used = None


@define(eq=False, repr=False)
class Tasks:
    """Tasks that nobody awaits.

    Args:
        failed: Told what a task failed of.
    """

    failed: Callable[[BaseException], object]
    _running: set[asyncio.Task[Any]] = field(init=False, factory=set)

    def start(self, doing: Coroutine[Any, Any, Any]) -> None:
        """Do something from now on."""
        task = asyncio.get_running_loop().create_task(doing)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def aclose(self) -> None:
        """Cancel what runs, and wait until it has ended."""
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
