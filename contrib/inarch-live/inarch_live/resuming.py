"""A connection that outlives its connections: over the service's limits of time, and over cuts.

What was sent is kept until the service has it in a state that survives (`Resumable`), and is sent again to the next
connection. A service with handles continues from that state; another one begins anew with what was said as text. Calls
are told once by their ids. A service that continues from a state before a call asks for it again, under another id: a
call of the same tool with the same arguments is then answered by the one that has run, and doesn't run twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence

from attrs import define, evolve, field

from inarch import ProviderError
from inarch_live.asked import Asked
from inarch_live.outbox import (
    IN_FLIGHT_S,
    Audio,
    Message,
    Outbox,
    Results,
    SpeechBegins,
    SpeechEnds,
    Typed,
)
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    ConnectionEnded,
    GoingAway,
    InputTranscript,
    LiveConnection,
    LiveEvent,
    LiveProvider,
    LiveResult,
    LiveSetup,
    OutputTranscript,
    Resumable,
    Resumed,
    Scheduling,
    TextDelta,
    TurnEnded,
)
from inarch_live.recording import Record

DELAYS_S = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to connect again; after the last one the conversation has ended."""
LONGEST_KEPT_S = 120.0
REPEAT_S = 2.0
"""Seconds in which a service asks again for a call that it has forgotten; then its result is sent for the first id."""
_OVERLAP_S = 2.0
_FLUSH_S = 1.0
_FINAL = ("auth", "quota")


@define(eq=False, repr=False)
class Resuming:
    """A provider whose connections are replaced when they end.

    Args:
        inner: Connects.
        delays_s: As `DELAYS_S`.
        longest_kept_s: Seconds of audio that are kept for the next connection.
        repeat_s: As `REPEAT_S`.
    """

    _inner: LiveProvider
    _delays_s: Sequence[float] = DELAYS_S
    _longest_kept_s: float = LONGEST_KEPT_S
    _repeat_s: float = REPEAT_S

    @property
    def name(self) -> str:
        """Return the inner provider's name."""
        return self._inner.name

    @property
    def default_model(self) -> str:
        """Return the inner provider's default model."""
        return self._inner.default_model

    async def connect(self, setup: LiveSetup) -> ResumingConnection:
        """Return a connection; the first one is tried once.

        Raises:
            ProviderError: There is none.
        """
        first = await self._inner.connect(setup)
        return ResumingConnection(self._inner, setup, first, self._delays_s, self._longest_kept_s, self._repeat_s)


@define(eq=False, repr=False)
class ResumingConnection:
    """One conversation, over as many connections as it takes. `Resumable` stays here."""

    _provider: LiveProvider
    _setup: LiveSetup
    _link: LiveConnection | None
    _delays_s: Sequence[float]
    _longest_kept_s: float
    _repeat_s: float
    _outbox: Outbox = field(init=False)
    _record: Record = field(init=False)
    _asked: Asked = field(init=False)
    _handle: str = field(init=False)
    _can_resume: bool = field(init=False, default=False)
    _has_had_handle: bool = field(init=False, default=False)
    _is_exact: bool = field(init=False, default=False)
    _is_leaving: bool = field(init=False, default=False)
    _failures: int = field(init=False, default=0)
    _closing: asyncio.Event = field(init=False, factory=asyncio.Event)
    _posted: asyncio.Event = field(init=False, factory=asyncio.Event)
    _flushed: asyncio.Event = field(init=False, factory=asyncio.Event)
    _sender: asyncio.Task[None] = field(init=False)
    _release: asyncio.TimerHandle | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._outbox = Outbox(self._longest_kept_s)
        self._record = Record(self._setup.history)
        self._asked = Asked(self._setup.history)
        self._handle = self._setup.handle
        self._has_had_handle = bool(self._handle)
        self._sender = asyncio.create_task(self._send())

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        """Yield what comes over all connections, to `ConnectionEnded`."""
        link = self._link
        while link is not None:
            ended = ConnectionEnded()
            async for event in link:
                if isinstance(event, ConnectionEnded):
                    ended = event
                    break
                for told in self._told(event):
                    yield told
                if self._is_time_to_leave():
                    break
            if not self._goes_on(ended.error):
                await self.aclose()
                yield ended
                return
            event = await self._replaced(ended.error)
            link = self._link
            yield event

    async def send_audio(self, pcm: bytes) -> None:
        """Send what the microphone hears."""
        self._post(Audio(bytes(pcm)))

    async def begin_speech(self) -> None:
        """Say that the person begins to speak."""
        self._post(SpeechBegins())

    async def end_speech(self) -> None:
        """Say that the person has finished, or that the microphone is off."""
        self._post(SpeechEnds())

    async def send_text(self, text: str) -> None:
        """Send what the person typed."""
        self._post(Typed(text))

    async def send_results(self, results: Sequence[LiveResult], scheduling: Scheduling = "when_idle") -> None:
        """Answer calls; those that the service has forgotten wait until it asks again."""
        due = self._asked.answered(results, scheduling)
        if due:
            self._post(Results(due, scheduling))

    async def interrupt(self, unheard_ms: int) -> None:
        """Stop the present answer."""
        if self._link is not None:
            await self._link.interrupt(unheard_ms)

    async def aclose(self) -> None:
        """End the conversation, when what was given to be sent is sent: calls are answered to the last."""
        self._closing.set()
        if self._release is not None:
            self._release.cancel()
        if self._link is not None and not self._sender.done():
            await _within(_FLUSH_S, self._flushed.wait())
        self._sender.cancel()
        await asyncio.gather(self._sender, return_exceptions=True)
        link, self._link = self._link, None
        if link is not None:
            await link.aclose()

    def _post(self, message: Message, is_new: bool = True) -> None:
        if self._closing.is_set():
            return
        if self._sender.done():
            self._sender.result()  # raises what ended it, which is a fault of ours
        kept = self._outbox.put(message)
        if is_new:
            self._record.sent(kept)
        self._flushed.clear()
        self._posted.set()

    async def _send(self) -> None:
        """Send what is posted, in order, over whichever connection there is."""
        while True:
            link = self._link
            message = None if link is None else self._outbox.take(_now())
            if link is None or message is None:
                self._posted.clear()
                self._flushed.set()
                await self._posted.wait()
                self._flushed.clear()
            else:
                await _sent(link, message)

    def _told(self, event: LiveEvent) -> Iterator[LiveEvent]:
        """Yield what of an event is for the caller, and remember what it means."""
        if isinstance(event, (CallsRequested, TextDelta, InputTranscript, OutputTranscript, TurnEnded)):
            self._failures = 0  # the conversation went on
        if isinstance(event, CallsRequested) or (_is_answer(event) and not self._record.is_answering):
            self._outbox.answered()
        match event:
            case Resumable():
                self._survived(event)
                return
            case GoingAway():
                self._is_leaving = True
            case CallsRequested(calls):
                new, again = self._asked.came(calls)
                for results in again:
                    self._post(results, is_new=False)
                if not new:
                    return
                event = CallsRequested(new)
            case CallsCancelled(ids):
                event = CallsCancelled(self._asked.first_ids(ids))
        self._record.came(event)
        if isinstance(event, TurnEnded) and event.is_idle:
            self._turn_ended()
        yield event

    def _survived(self, state: Resumable) -> None:
        if state.handle:
            self._handle, self._has_had_handle = state.handle, True
            self._asked.kept()
        self._can_resume = bool(state.handle)
        if state.consumed is not None:
            self._is_exact = self._is_exact or not state.handle
            self._outbox.consumed(state.consumed, state.others)
        elif state.handle:
            self._outbox.in_flight_since(_now() - IN_FLIGHT_S)

    def _turn_ended(self) -> None:
        """Where the service says nothing of what survives, the record does, and it has what was answered."""
        self._let_go()
        self._asked.turn_ended()
        if not self._handle and not self._is_exact:
            self._asked.kept()
            self._outbox.in_flight_since(_now() - _OVERLAP_S)

    def _is_time_to_leave(self) -> bool:
        """Return whether the connection ends soon and now is a moment in which nothing is under way."""
        busy = self._record.is_answering or bool(self._asked.waiting)
        return self._is_leaving and self._can_resume and not busy and not self._closing.is_set()

    def _goes_on(self, error: ProviderError | None) -> bool:
        if self._closing.is_set():
            return False
        return self._is_leaving if error is None else error.retryable

    async def _replaced(self, error: ProviderError | None) -> Resumed | ConnectionEnded:
        """Put another connection in the place of the one that has ended; None of them leaves `_link` None."""
        old, self._link = self._link, None
        if old is not None:
            await old.aclose()
        while self._failures < len(self._delays_s) and not self._closing.is_set():
            await self._pause(self._delays_s[self._failures])
            self._failures += 1
            setup = self._next_setup()
            try:
                link = await self._provider.connect(setup)
            except ProviderError as refused:
                error = refused
                if self._handle and not refused.retryable and refused.kind not in _FINAL:
                    self._handle = ""  # it has expired: the conversation begins anew
                elif not refused.retryable:
                    break
                continue
            return await self._linked(link, bool(setup.handle))
        await self.aclose()
        return ConnectionEnded(error)

    async def _linked(self, link: LiveConnection, is_same: bool) -> Resumed | ConnectionEnded:
        if self._closing.is_set():
            await link.aclose()
            return ConnectionEnded()
        repeats, lost_s = self._record.is_answering, self._outbox.lost_s
        self._record.broke()
        self._outbox.lost_s = 0.0
        self._is_leaving = False
        self._link = link
        self._posted.set()
        if self._release is not None:
            self._release.cancel()
        self._release = asyncio.get_running_loop().call_later(self._repeat_s, self._let_go)
        return Resumed(is_same, repeats, lost_s)

    def _next_setup(self) -> LiveSetup:
        """Return what the next connection begins with, and make everything ready to be sent that it needs."""
        self._outbox.begin_anew()
        if self._is_exact or (self._has_had_handle and not self._handle):
            self._asked.begins_anew()
            history = self._record.history(set(self._outbox))
            waits = self._record.awaits_answer and not self._asked.waiting and not _asks(self._outbox)
            return evolve(self._setup, handle="", history=history, awaits_answer=waits)
        self._outbox.remove(lambda kept: self._asked.concerns_forgotten(kept.message))
        open_calls = self._asked.continues(kept.message for kept in self._outbox)
        history = () if self._handle else self._record.history_to_last_turn(set(self._outbox))
        return evolve(self._setup, handle=self._handle, history=(*history, *open_calls), awaits_answer=False)

    def _let_go(self) -> None:
        """Send the results of forgotten calls for which the service doesn't ask again."""
        for results in self._asked.let_go():
            self._post(results, is_new=False)

    async def _pause(self, seconds: float) -> None:
        if seconds:
            await _within(seconds, self._closing.wait())


async def _within(seconds: float, what: Awaitable[object]) -> None:
    """Wait for something, but not for long."""
    try:
        async with asyncio.timeout(seconds):
            await what
    except TimeoutError:
        pass


async def _sent(link: LiveConnection, message: Message) -> None:
    match message:
        case Audio(pcm):
            await link.send_audio(pcm)
        case Typed(text):
            await link.send_text(text)
        case Results(results, scheduling):
            await link.send_results(results, scheduling)
        case SpeechBegins():
            await link.begin_speech()
        case SpeechEnds():
            await link.end_speech()


def _is_answer(event: LiveEvent) -> bool:
    return isinstance(event, (AudioDelta, TextDelta, OutputTranscript))


def _asks(outbox: Outbox) -> bool:
    """Return whether something will be sent that the model answers anyway."""
    return any(isinstance(kept.message, (Typed, Results, SpeechEnds)) for kept in outbox)


def _now() -> float:
    return asyncio.get_running_loop().time()
