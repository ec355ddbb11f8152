"""A spoken conversation as turns of a session.

The service's events become model replies in the kernel's loop. Audio bypasses the turns: it plays as it arrives, unless
`Floor` holds it. Words, calls and ends are pieces in a queue. A turn's request takes them from there like any model's
reply: see docs/explanation/live.md. This module handles requests of turns and the person's keys. `link.py` handles the
service's events, and `turns.py` begins turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any

from attrs import define, evolve, field

import inarch
from inarch.figures import usage_words
from inarch_live.link import Link
from inarch_live.live_prices import Rates
from inarch_live.live_reply import Replying
from inarch_live.pieces import Batch, Floor, Sounding, Words
from inarch_live.playback import Playback
from inarch_live.port import AudioDelta, LiveConnection, LiveProvider, LiveResult, LiveSetup
from inarch_live.service_messages import (
    SPOKEN,
    News,
    Tools,
    blocks,
    history,
    live_results,
    live_tools,
    spoken_beside,
    wants_answer,
)
from inarch_live.turns import Hearing, Tasks, Turns

MORE_S = 1.0
"""Seconds to wait after results for a model that has ended its answer to speak about them."""
STALE_S = 10.0
"""Seconds to wait for an answer if the end of an interrupted one may arrive first."""
DELAYS_S = (0.02, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to reconnect. After the last one, the person has to reconnect."""
PIECE = 32_000
"""Bytes of audio per message when audio is sent again."""


@define(eq=False, repr=False)
class Conversation:
    """One conversation with a live model, which produces turns of a session."""

    provider: LiveProvider
    setup: LiveSetup
    tools: Tools
    playback: Playback
    rates: Rates | None = None
    record: Callable[[str, Mapping[str, Any]], object] = field(default=lambda name, data: None)
    heard_voice: Callable[[AudioDelta], object] = field(default=lambda delta: None)
    speaks: bool = True
    hearing: Hearing = field(init=False, factory=Hearing)
    turns: Turns = field(init=False)
    _floor: Floor = field(init=False)
    _tasks: Tasks = field(init=False)
    link: Link = field(init=False)
    _session_id: str = field(init=False, default="")
    _news: News = field(init=False, factory=News)
    _is_stale: bool = field(init=False, default=False)
    _connecting: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _is_replacing: bool = field(init=False, default=False)
    _is_speaking: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self._floor = Floor(blocks(self.tools))
        self._tasks = Tasks(lambda error: self.link.over(_as_provider_error(error)))
        self.turns = Turns(self.hearing, self._tasks, lambda: self.turn_ended("failed", {}))
        self.link = Link(
            self.turns, self._floor, self.playback, self._tasks, self.rates, self.record, self.heard_voice, self._lost
        )

    @property
    def is_connected(self) -> bool:
        """Whether a connection to the service is open."""
        return self.link.connection is not None

    @property
    def is_cut(self) -> bool:
        """Whether there is no connection and no attempt to open one."""
        return not (self.is_connected or self._connecting.locked() or self._is_replacing or self.turns.is_busy)

    @property
    def is_waiting(self) -> bool:
        """Whether the model waits silently for call results."""
        return self._floor.is_held

    async def connect(self) -> None:
        """Connect and continue the session so far.

        Raises:
            ProviderError: The service did not accept the connection.
            ConfigError: The profile's model does not exist.
        """
        async with self._connecting:
            if not self.is_connected:
                request = self.turns.talk.session.context().request
                await self._connect(request)

    async def hear(self, pcm: bytes) -> None:
        """Send audio from the microphone. Without a connection, keep it for the next one."""
        self.turns.sent(pcm)
        if self.link.connection is not None:
            await self.link.connection.send_audio(pcm)

    async def begin_speech(self) -> None:
        """Begin the person's speech, connecting first if needed. In `push` mode, stop the model's voice."""
        self.hearing.begin()
        if not self.is_connected:
            await self.connect()
        assert self.link.connection is not None
        self._is_speaking = True
        if self.setup.hearing == "push":
            self.link.silence()
            await self.link.connection.begin_speech()

    async def end_speech(self) -> None:
        """End the person's speech: the key was released, or the microphone paused."""
        self._is_speaking = False
        if self.link.connection is not None:
            await self.link.connection.end_speech()

    async def aclose(self) -> None:
        """Answer open calls, close the connection and stop all tasks."""
        for batch in self._floor.waiting:
            with suppress(Exception):
                await self.link.answer(batch, {})
        await self.link.aclose()
        self.playback.drop()
        await self._tasks.aclose()
        self.link.clear()
        if (usage := self.link.pieces.untold) is not None:
            self._keep(usage)

    def _keep(self, usage: inarch.Usage) -> None:
        """Store and show tokens that belong to no turn because no reply follows them."""
        cost = None if usage.cost_usd is None else str(usage.cost_usd)
        data = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "cost_usd": cost}
        self.record("usage", data)
        self.turns.talk.tell(f"taken beside the turns: {usage_words(data)}")

    # Called by turns of the session

    def takes(self, request: inarch.ModelRequest) -> bool:
        """Return whether a request belongs to a turn of the spoken session."""
        return self.turns.is_running and request.purpose == "turn"

    def turn_ended(self, status: str, known: Mapping[str, LiveResult]) -> None:
        """End a turn: answer the calls that the model waits for. Further speech begins another turn.

        Args:
            status: The status the turn ended with.
            known: Results of its calls by the service's ids.
        """
        was_unasked = self.turns.end()
        self._news.told()
        pieces = self.link.pieces
        if status != "done":
            # drop audio that no reply took: a turn that a limit ended before its request must cost no more
            is_sounding = self.playback.has_words or any(isinstance(piece, (Words, Sounding)) for piece in pieces)
            if status == "cancelled" or is_sounding:
                self.link.hush()
            self.link.clear()
        for batch in self._floor.waiting:
            if batch.is_claimed or status != "done":
                batch.is_interrupted = True
                self._tasks.start(self.link.answer(batch, known))
        if status == "limited" and was_unasked:  # the model would continue unasked, and every answer costs
            self.link.over(_limited())
        pieces.end()
        if len(pieces):
            self.turns.begin()
        self.link.leave_if_idle()
        self.turns.talk.changed()

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Send the new parts of a request, and yield the model's words and calls until its answer ends.

        Raises:
            ProviderError: The connection ended or cannot be opened.
        """
        if not wants_answer(request.messages):
            raise inarch.ProviderError("request", "there is nothing to answer", remedy="say or type something")
        is_fresh = await self._ready(request)
        is_whole, after_results = False, await self._tell(request, is_fresh)
        try:
            if after_results is None:
                yield inarch.TextDelta("(interrupted)")
                yield inarch.Finish("stop")
            else:
                waits = MORE_S if after_results else STALE_S if self._is_stale else 0.0
                self._is_stale = False
                link = self.link
                replying = Replying(request, link.pieces, self._floor, link.answer, link.hush, waits)
                async for delta in replying.deltas():
                    yield delta
            is_whole = True
            self._news.told()
        finally:
            if not is_whole:
                self.link.hush()

    def _lost(self, was_told: bool) -> None:
        """Reconnect after a lost connection, or report why that is not possible."""
        if self.link.is_replaceable and self.link.failures < len(DELAYS_S):
            if not self._is_replacing:
                self._is_replacing = True
                self._tasks.start(self._replace())
        elif not was_told:
            self.turns.talk.tell(str(self.link.lost))

    async def _replace(self) -> None:
        """Reconnect unless a turn does so. The new connection gets the history and the audio that no answer took."""
        link = self.link
        try:
            while link.failures < len(DELAYS_S) and not self.is_connected:
                await asyncio.sleep(DELAYS_S[link.failures])
                if self.turns.is_busy:
                    continue
                link.failures += 1
                try:
                    await self.connect()
                except inarch.ProviderError as error:
                    link.refused(error)
                    if not error.retryable:
                        break
                else:
                    self.record("resumed", {"is_same": False})
        finally:
            self._is_replacing = False
        if not self.is_connected:
            self.turns.talk.tell(str(link.lost))

    async def _ready(self, request: inarch.ModelRequest) -> bool:
        """Ensure a connection that has the session's history; return whether it is new."""
        async with self._connecting:
            if self.turns.talk.session.id != self._session_id:
                await self.link.aclose()
            if self.is_connected:
                return False
            self.link.clear()
            self.turns.untaken.clear()  # the request contains it
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
        self._floor.lost()
        connection = await self.provider.connect(setup)
        await self._say_again(connection)
        self._session_id = self.turns.talk.session.id
        self.link.begin(connection)

    async def _say_again(self, connection: LiveConnection) -> None:
        """Send speech again that no answer has taken. The service transcribes it again, too."""
        untaken = self.turns.untaken
        if self._is_speaking or untaken:
            await connection.begin_speech()
        if not untaken:
            return
        self.hearing.clear()
        at = 0
        while at < len(untaken):  # more may arrive meanwhile
            piece = bytes(untaken[at : at + PIECE])
            at += len(piece)
            await connection.send_audio(piece)
        if not self._is_speaking:
            await connection.end_speech()

    async def _tell(self, request: inarch.ModelRequest, is_fresh: bool) -> bool | None:
        """Send what the model does not know yet; return whether results were sent, None if they need no answer."""
        connection = self.link.connection
        if connection is None:
            raise self.link.lost
        new = self._news.of(request.messages, self._floor, prompt_is_known=self.turns.is_spoken)
        if is_fresh:
            return False  # the history contains everything, and the model answers it
        self._news.untold += new.aside
        if new.results is None:
            if new.texts:
                await self._type(connection, [*self._news.take_untold(), *new.texts])
            return False
        known, untold = live_results(new.results), self._news.take_untold()
        batches = self._floor.with_id(known)
        for batch in batches:
            await self.link.answer(batch, spoken_beside(known, untold))
        if new.texts:
            await self._type(connection, new.texts)
        elif all(batch.is_interrupted for batch in batches):
            return None
        return True

    async def _type(self, connection: LiveConnection, texts: list[str]) -> None:
        """Send typed text, which ends the answer that the model is giving."""
        if said := self.hearing.take():
            self.record("heard", {"text": said})
        for piece in self.link.pieces:
            if isinstance(piece, Batch):
                await self.link.answer(piece, {})
        self.link.clear()
        self._is_stale = self.link.is_answering
        if self.link.is_answering:
            self.link.hush()
        await connection.send_text("\n\n".join(texts))


def _limited() -> inarch.ProviderError:
    return inarch.ProviderError(
        "request", "the model went on by itself after a limit had ended its turn, and was left",
        remedy="raise the limit, or speak or type to connect again",
    )  # fmt: skip


def _as_provider_error(error: BaseException) -> inarch.ProviderError:
    if isinstance(error, inarch.ProviderError):
        return error
    return inarch.ProviderError("plugin", f"the live conversation failed: {type(error).__name__}")
