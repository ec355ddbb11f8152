"""A spoken conversation as turns of a session: what comes over a connection becomes replies of the kernel's own loop.

Audio goes beside the turns: it is played while it comes, and held where `Floor` says so. Words, calls and ends are
pieces in a queue, and a turn's request takes them from there as any model's reply: docs/explanation/live.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from attrs import define, evolve, field

import inarch
from inarch_live.floor import Batch, Floor
from inarch_live.hearing import Hearing
from inarch_live.news import News, spoken_beside
from inarch_live.pcm import level
from inarch_live.pieces import Ended, Failed, Piece, Pieces, Sounding, Used, Words
from inarch_live.playback import Playback
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    ConnectionEnded,
    InputTranscript,
    Interrupted,
    LiveConnection,
    LiveEvent,
    LiveProvider,
    LiveResult,
    LiveSetup,
    OutputTranscript,
    Resumed,
    ServiceNotice,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.pricing import Rates, usage_of
from inarch_live.replying import Replying
from inarch_live.talk import Talk
from inarch_live.telling import SPOKEN, Tools, blocks, history, live_results, live_tools

UNHEARD = "(spoken; there is no transcript)"
UNASKED = "(the assistant goes on by itself)"
TRANSCRIPT_S = 2.0
"""How long a turn waits for the transcript of what it answers. The voice does not wait."""
SETTLED_S = 0.25
"""After this long without more a transcript counts as complete, where the service doesn't say so."""
MORE_S = 1.0
"""How long after results a model that ended may begin to speak about them."""
STALE_S = 10.0
"""How long an answer is waited for, where the end of one that was broken off may have been taken for its end."""
QUIET = 0.05
"""How loud a piece of audio is, at its loudest, that may be speech."""


@define(eq=False, repr=False)
class Conversation:
    """One conversation with a live model, beside the session whose turns it makes.

    Args:
        provider: The service.
        setup: Model, voice and who says when the person speaks; the rest is the session's.
        tools: The composed tools by name.
        playback: What is to be heard goes here.
        rates: What the model's tokens cost; None where nobody knows.
        record: Keeps an event of the plugin beside the turns.
        heard_voice: Told each piece of voice that goes to the playback.
        speaks: Whether a person hears the model; otherwise only its words count.
    """

    provider: LiveProvider
    setup: LiveSetup
    tools: Tools
    playback: Playback
    rates: Rates | None = None
    record: Callable[[str, Mapping[str, Any]], object] = field(default=lambda name, data: None)
    heard_voice: Callable[[AudioDelta], object] = field(default=lambda delta: None)
    speaks: bool = True
    talk: Talk = field(init=False)
    hearing: Hearing = field(init=False, factory=Hearing)
    is_answering: bool = field(init=False, default=False)
    floor: Floor = field(init=False)
    error: inarch.ProviderError | None = field(init=False, default=None)
    is_in_turn: bool = field(init=False, default=False)
    _connection: LiveConnection | None = field(init=False, default=None)
    _session_id: str = field(init=False, default="")
    _tasks: set[asyncio.Task[Any]] = field(init=False, factory=set)
    _listening: asyncio.Task[None] | None = field(init=False, default=None)
    _pieces: Pieces = field(init=False, factory=Pieces)
    _transcribed: float = field(init=False, default=0.0)
    _is_spoken: bool = field(init=False, default=False)
    _beginning: asyncio.Task[None] | None = field(init=False, default=None)
    _claimed: list[Batch] = field(init=False, factory=list)
    _news: News = field(init=False, factory=News)
    _untold: list[str] = field(init=False, factory=list)
    _is_stale: bool = field(init=False, default=False)
    _spoke: bool = field(init=False, default=False)
    _is_unasked: bool = field(init=False, default=False)
    _connecting: asyncio.Lock = field(init=False, factory=asyncio.Lock)

    @floor.default
    def _make_floor(self) -> Floor:
        return Floor(blocks(self.tools))

    @property
    def is_connected(self) -> bool:
        """Whether the service hears."""
        return self._connection is not None

    @property
    def is_cut(self) -> bool:
        """Whether the service doesn't hear, and nobody is about to connect."""
        return self._connection is None and not self._connecting.locked()

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs, or is about to begin."""
        return self.is_in_turn or self._beginning is not None

    @property
    def is_waiting(self) -> bool:
        """Whether the model waits for calls in silence."""
        return self.floor.is_held

    async def connect(self) -> None:
        """Connect, with all that was said in the session so far.

        Raises:
            ProviderError: The service has not accepted it.
            ConfigError: The profile's model isn't there.
        """
        async with self._connecting:
            if self._connection is None:
                request = self.talk.session.context().request
                await self._connect(request)

    async def hear(self, pcm: bytes) -> None:
        """Send what the microphone heard."""
        self._spoke = self._spoke or level(pcm) > QUIET
        if self._connection is not None:
            await self._connection.send_audio(pcm)

    async def begin_speech(self) -> None:
        """The person presses the key: what is being said stops, and they are heard; connects where nothing is."""
        self.hearing.begin()
        if self._connection is None:
            await self.connect()
        assert self._connection is not None
        if self.setup.hearing == "push":
            self.playback.drop()
            await self._connection.begin_speech()

    async def end_speech(self) -> None:
        """The person lets go of the key, or the microphone is off for a while."""
        if self._connection is not None:
            await self._connection.end_speech()

    def hush(self) -> None:
        """Stop the voice at once, and tell the service how much of it was heard."""
        was_sounding, unheard = self.is_answering or self.playback.is_sounding, self.playback.drop()
        self.is_answering = False
        if was_sounding and self._connection is not None:
            self._spawn(self._connection.interrupt(unheard))

    async def aclose(self) -> None:
        """Answer what is open, end the connection and everything that was begun."""
        for batch in self.floor.waiting:
            with suppress(Exception):
                await self._answer(batch, {})
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()
        self.playback.drop()
        for task in [*self._tasks]:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    # What turns of the session tell

    def takes(self, request: inarch.ModelRequest) -> bool:
        """Whether a request is one of the spoken session's turns."""
        return self.is_in_turn and request.purpose == "turn"

    def turn_began(self) -> None:
        """A turn of the session runs."""
        self.is_in_turn = True

    def turn_ended(self, status: str, known: Mapping[str, LiveResult]) -> None:
        """A turn of the session is over: what the model waits for is answered, and what it says on is another turn.

        Args:
            status: How it ended.
            known: What came of its calls, by the service's ids.
        """
        self.is_in_turn = self._is_spoken = False
        is_unasked, self._is_unasked = self._is_unasked, False
        self._news = News()
        if status != "done":
            # what no reply took is not heard either: a turn that a limit ended before its request costs no more
            if status == "cancelled" or any(isinstance(piece, (Words, Sounding)) for piece in self._pieces):
                self.hush()
            self._pieces.clear()
        claimed, self._claimed = self._claimed, []
        for batch in self.floor.waiting if status != "done" else claimed:
            batch.is_interrupted = True
            self._spawn(self._answer(batch, known))
        if status == "limited" and is_unasked:  # the model would go on by itself, and every answer costs
            self._is_over(ConnectionEnded(_limited()))
        self._pieces.end()
        if any(not isinstance(piece, Failed) for piece in self._pieces):
            self._sign()
        self.talk.changed()

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Tell the model what is new in a request, and yield what it says and calls until its answer is over.

        Raises:
            ProviderError: The connection is over, or can't be made.
        """
        is_fresh = await self._ready(request)
        is_whole, after_results = False, await self._tell(request, is_fresh)
        try:
            if after_results is None:
                yield inarch.TextDelta("(interrupted)")
                yield inarch.Finish("stop")
            else:
                waits = MORE_S if after_results else STALE_S if self._is_stale else 0.0
                self._is_stale = False
                replying = Replying(request, self._pieces, self.floor, self._answer, self.hush, waits)
                async for delta in replying.deltas():
                    if isinstance(delta, inarch.Finish) and replying.batch is not None:
                        self._claimed.append(replying.batch)
                    yield delta
            is_whole = True
            self._news = News()
        finally:
            if not is_whole:
                self.hush()

    # Telling

    async def _ready(self, request: inarch.ModelRequest) -> bool:
        """Have a connection that knows the session; return whether it is a new one."""
        session = self.talk.session.id
        async with self._connecting:
            if self._connection is not None and session != self._session_id:
                await self._connection.aclose()
                self._connection = None
            if self._connection is not None:
                return False
            self._pieces.clear()
            await self._connect(request, awaits_answer=True)
            return True

    async def _connect(self, request: inarch.ModelRequest, *, awaits_answer: bool = False) -> None:
        tools = request.tools if self.speaks or request.tool_choice != "none" else ()
        setup = evolve(
            self.setup,
            instructions=request.system + (SPOKEN if self.speaks else ""),
            tools=live_tools(tools, self.tools),
            history=history(request.messages),
            awaits_answer=awaits_answer,
        )
        self.floor.lost()
        self._claimed.clear()
        connection = await self.provider.connect(setup)
        self._connection, self._session_id, self.error = connection, self.talk.session.id, None
        self._listening = self._spawn(self._listen(connection))
        self.talk.changed()

    async def _tell(self, request: inarch.ModelRequest, is_fresh: bool) -> bool | None:
        """Send what the model doesn't know yet; return whether results were sent, None where they want no answer."""
        connection = self._connection
        if connection is None:
            raise self._lost()
        new = self._news.of(request.messages, self.floor, prompt_is_known=self._is_spoken)
        if is_fresh:
            return False  # all of it is the conversation's history, and is to be answered
        self._untold += new.aside
        if new.results is None:
            if new.texts:
                untold, self._untold = self._untold, []
                await self._type(connection, [*untold, *new.texts])
            return False
        known = live_results(new.results)
        batches = self.floor.with_id(known)
        untold, self._untold = self._untold, []
        for batch in batches:
            await self._answer(batch, spoken_beside(known, untold))
        if new.texts:
            await self._type(connection, new.texts)
        elif all(batch.is_interrupted for batch in batches):
            return None
        return True

    async def _type(self, connection: LiveConnection, texts: list[str]) -> None:
        """Send what was typed; what the model is just saying to somebody's voice is over with that."""
        if said := self.hearing.take():
            self.record("heard", {"text": said})
        for piece in self._pieces:
            if isinstance(piece, Batch):
                await self._answer(piece, {})
        self._pieces.clear()
        self._is_stale = self.is_answering
        if self.is_answering:
            self.hush()
        await connection.send_text("\n\n".join(texts))

    async def _answer(self, batch: Batch, known: Mapping[str, LiveResult]) -> None:
        results = self.floor.answer(batch, known)
        if batch in self._claimed:
            self._claimed.remove(batch)
        if results and self._connection is not None:
            await self._connection.send_results(results, batch.scheduling)
        self.talk.changed()

    # Listening

    async def _listen(self, connection: LiveConnection) -> None:
        async for event in connection:
            if self._connection is not connection:
                return
            self._saw(event)

    def _saw(self, event: LiveEvent) -> None:
        match event:
            case AudioDelta():
                self._sounds(event)
            case OutputTranscript() | TextDelta():
                if event.text:
                    self._put(Words(event.text))
            case InputTranscript():
                self._transcribed = asyncio.get_running_loop().time()
                if late := self.hearing.saw(event):
                    self.record("heard", {"text": late})
            case SpeechBegan():
                self.hearing.begin()
            case CallsRequested():
                self._asked(event)
            case CallsCancelled():
                self._called_off(event)
            case Interrupted():
                self._spoken_into()
            case TurnEnded():
                self.is_answering = self.is_answering and not event.is_idle
                if event.is_idle:
                    self._put(Ended(reason=event.reason), is_sign=False)
            case UsageReported():
                self._put(Used(usage_of(event.usage, self.rates)), is_sign=False)
            case Resumed():
                self._resumed(event)
            case ServiceNotice():
                self.talk.tell(event.text)
            case ConnectionEnded():
                self._is_over(event)
        self.talk.changed()

    def _sounds(self, delta: AudioDelta) -> None:
        if not self.is_answering:
            self.playback.begin_answer()
        self._put(Sounding(delta.seconds))
        if self.floor.is_held:
            return
        if self.playback.put(delta.pcm, delta.rate):
            self.heard_voice(delta)

    def _asked(self, event: CallsRequested) -> None:
        batch = self.floor.take(event)
        if batch is None:
            return
        if self.floor.is_held:
            self.playback.drop()
        self._put(batch)

    def _called_off(self, event: CallsCancelled) -> None:
        batches = self.floor.with_id(event.ids)
        for batch in batches:
            batch.is_interrupted = True
        if any(batch in self._claimed for batch in batches):
            self.talk.cancel()  # its calls end as a person's Esc ends them; what came of them is told then
        for batch in batches:
            if batch not in self._claimed:
                self._spawn(self._answer(batch, {}))

    def _spoken_into(self) -> None:
        was_answering, was_sounding = self.is_answering, self.playback.is_sounding
        unheard = self.playback.drop()
        self.is_answering = False
        self.floor.interrupted()
        self.hearing.begin()
        if self._connection is not None:
            self._spawn(self._connection.interrupt(unheard))
        if was_answering or was_sounding:
            self.record("interrupted", {"heard_ms": self.playback.heard_ms})
        if was_answering:
            self._put(Ended(is_interrupted=True), is_sign=False)

    def _resumed(self, event: Resumed) -> None:
        lost = f"; {event.lost_s:.1f} s of what was said are lost" if event.lost_s else ""
        self.record("resumed", {"is_same": event.is_same, "lost_s": event.lost_s})
        if event.repeats:
            self.playback.drop()
            self.is_answering = False
            self._pieces.begin_again()
        if lost or not event.is_same:
            how = "the conversation goes on" if event.is_same else "the service was told anew what was said"
            self.talk.tell(f"the connection was replaced: {how}{lost}")

    def _is_over(self, event: ConnectionEnded) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._spawn(connection.aclose())
        self.is_answering = False
        self.playback.drop()
        self.error = event.error
        if self.is_in_turn:
            self._put(Failed(self._lost()), is_sign=False)
        else:
            self.talk.tell(str(self._lost()))

    def _lost(self) -> inarch.ProviderError:
        return self.error or inarch.ProviderError(
            "network", "the live connection has ended", retryable=True, remedy="speak or type to connect again"
        )

    def _put(self, piece: Piece, *, is_sign: bool = True) -> None:
        self._pieces.put(piece)
        if is_sign:
            self.is_answering = True
            self._sign()

    def _sign(self) -> None:
        """The model answers: where no turn is under way, this is one."""
        if not self.is_in_turn and self._beginning is None:
            self._beginning = self._spawn(self._begin())

    async def _begin(self) -> None:
        """Begin a turn with what was heard, as soon as that is known, or has been waited for long enough."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        with suppress(TimeoutError):
            async with asyncio.timeout(TRANSCRIPT_S):
                while not self.hearing.is_whole:
                    if self.hearing.text and loop.time() - max(self._transcribed, began) > SETTLED_S:
                        break
                    await asyncio.sleep(0.02)
        self._beginning = None
        if self.is_in_turn:  # a typed one came first, and has it
            return
        self.is_in_turn = True  # from here on: nobody else begins one
        unknown, self._spoke = UNHEARD if self._spoke else UNASKED, False
        said = self.hearing.take()
        self._is_unasked = not said
        self.talk.say(said or unknown, self._spoken_turn)

    @contextmanager
    def _spoken_turn(self) -> Iterator[None]:
        """A turn whose prompt the model has heard itself; one that could not begin is over, too."""
        self.is_in_turn = self._is_spoken = True
        try:
            yield
        finally:
            if self.is_in_turn:
                self.turn_ended("failed", {})

    def _spawn(self, doing: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(self._check)
        return task

    def _check(self, task: asyncio.Task[Any]) -> None:
        """Let nothing fail unseen: what nobody awaits ends the conversation with its error."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._is_over(ConnectionEnded(_as_provider_error(error)))


def _limited() -> inarch.ProviderError:
    return inarch.ProviderError(
        "request", "the model went on by itself after a limit had ended its turn, and was left",
        remedy="raise the limit, or speak or type to connect again",
    )  # fmt: skip


def _as_provider_error(error: BaseException) -> inarch.ProviderError:
    if isinstance(error, inarch.ProviderError):
        return error
    return inarch.ProviderError("plugin", f"the live conversation failed: {type(error).__name__}")
