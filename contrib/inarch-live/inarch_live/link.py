"""Events of the service: voice plays as it arrives, words, calls and ends are queued for turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, evolve, field

import inarch
from inarch_live.live_prices import Rates, usage_of
from inarch_live.pieces import Batch, Ended, Floor, Piece, Pieces, Sounding, Used, Words
from inarch_live.playback import Playback
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    ConnectionEnded,
    GoingAway,
    InputTranscript,
    Interrupted,
    LiveConnection,
    LiveEvent,
    LiveResult,
    OutputTranscript,
    ServiceNotice,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.turns import Tasks, Turns


@define(eq=False, repr=False)
class Link:
    """The current connection of a conversation, if any, and what arrived over it."""

    turns: Turns
    floor: Floor
    playback: Playback
    tasks: Tasks
    rates: Rates | None
    record: Callable[[str, Mapping[str, Any]], object]
    heard_voice: Callable[[AudioDelta], object]
    lost_it: Callable[[bool], object]
    """Called when the connection ends, with whether a turn fails with the reason."""
    pieces: Pieces = field(init=False, factory=Pieces)
    connection: LiveConnection | None = field(init=False, default=None)
    is_answering: bool = field(init=False, default=False)
    failures: int = field(init=False, default=0)
    """Attempts to reconnect in a row without anything received since."""
    _is_leaving: bool = field(init=False, default=False)
    _end: Ended | None = field(init=False, default=None)
    _is_cut: bool = field(init=False, default=False)
    _error: inarch.ProviderError | None = field(init=False, default=None)

    @property
    def lost(self) -> inarch.ProviderError:
        """The reason why there is no connection."""
        return self._error or inarch.ProviderError(
            "network", "the live connection has ended", retryable=True, remedy="speak or type to connect again"
        )

    @property
    def is_replaceable(self) -> bool:
        """Whether an automatic reconnect can help."""
        return self._is_leaving if self._error is None else self._error.retryable

    def refused(self, error: inarch.ProviderError) -> None:
        """Note why a reconnect failed."""
        self._error = error

    def begin(self, connection: LiveConnection) -> None:
        """Begin to listen to a connection."""
        self.connection, self._error, self._is_leaving = connection, None, False
        self.tasks.start(self._listen(connection))
        self.turns.talk.changed()

    def over(self, error: inarch.ProviderError | None) -> None:
        """Drop a connection that has ended or cannot be used any more."""
        connection, self.connection = self.connection, None
        if connection is not None:
            self.tasks.start(connection.aclose())
        was_answered = self._end is not None
        self.silence()
        self._error = error
        ends_turn = self.turns.is_running and not was_answered
        if ends_turn:
            self._put(Ended(error=self.lost), is_answer=False)
        self.lost_it(ends_turn)

    def leave_if_idle(self) -> None:
        """Leave a connection that the service will end soon, if nothing is in progress."""
        is_idle = not (self.is_answering or self.turns.is_busy or self.turns.is_asked or self.floor.waiting)
        if self._is_leaving and is_idle:
            self.over(None)

    async def aclose(self) -> None:
        """Close the connection."""
        connection, self.connection = self.connection, None
        if connection is not None:
            await connection.aclose()

    def hush(self) -> None:
        """Stop the voice at once, and report to the service how much was heard."""
        was_sounding, unheard = self.is_answering or self.playback.is_sounding, self.silence()
        if was_sounding and self.connection is not None:
            self.tasks.start(self.connection.interrupt(unheard))

    def silence(self) -> int:
        """Stop the voice locally, and return how many milliseconds of it were not heard.

        The unheard words are not part of the answer.
        """
        heard = self.playback.heard_words()
        self._is_cut = self.playback.has_words
        unheard, self.is_answering = self.playback.drop(), False
        if heard:
            self.pieces.put(Words(heard))
        if self._end is not None:
            self._ended(self._end)
        return unheard

    def heard(self) -> None:
        """Queue the words that were heard and, after the last of them, the end of the answer."""
        if words := self.playback.heard_words(is_whole=self._end is not None):
            self.pieces.put(Words(words))
        if self._end is not None and not self.playback.has_words:
            self.pieces.put(self._end)
            self._end = None

    def clear(self) -> None:
        """Drop pieces that no turn needs any more."""
        self._end, self._is_cut = None, False
        self.pieces.clear()

    async def answer(self, batch: Batch, known: Mapping[str, LiveResult]) -> None:
        """Send the results of a batch, unless they were sent before."""
        results = self.floor.answer(batch, known)
        if results and self.connection is not None:
            await self.connection.send_results(results, batch.scheduling)
        self.turns.talk.changed()

    async def _listen(self, connection: LiveConnection) -> None:
        async for event in connection:
            if self.connection is not connection:
                return
            self._saw(event)

    def _saw(self, event: LiveEvent) -> None:
        if isinstance(event, (CallsRequested, TextDelta, InputTranscript, OutputTranscript, TurnEnded)):
            self.failures = 0
        match event:
            case AudioDelta():
                self._sounds(event)
            case OutputTranscript():
                self._captioned(event.text)
            case TextDelta():
                if event.text:
                    self._put(Words(event.text))
            case InputTranscript():
                if late := self.turns.heard(event):
                    self.record("heard", {"text": late})
            case SpeechBegan():
                self.turns.hearing.begin()
            case CallsRequested():
                self._asked(event)
            case CallsCancelled():
                self._called_off(event)
            case Interrupted():
                self._spoken_into()
            case TurnEnded():
                self.is_answering = self.is_answering and not event.is_idle
                if event.is_idle:
                    self._ended(Ended(reason=event.reason, error=event.error))
            case UsageReported(usage) if usage.input_text or usage.input_audio:  # other reports are wrong
                self._put(Used(usage_of(event.usage, self.rates)), is_answer=False)
            case GoingAway():
                self._is_leaving = True
            case ServiceNotice():
                self.turns.talk.tell(event.text)
            case ConnectionEnded():
                self.over(event.error)
        self.heard()
        self.leave_if_idle()
        self.turns.talk.changed()

    def _sounds(self, delta: AudioDelta) -> None:
        if not self.is_answering:
            self.playback.begin_answer()
        self._put(Sounding(delta.seconds))
        if not self.floor.is_held:
            self.playback.put(delta.pcm, delta.rate)
            self.heard_voice(delta)

    def _captioned(self, text: str) -> None:
        if text and not (self.floor.is_held and self.playback.has_device):
            self.playback.caption(text)
            self.is_answering = True
            self.turns.begin()

    def _ended(self, end: Ended) -> None:
        """Take the end of an answer. If the service failed to answer speech, this begins a turn, too."""
        if end.error is not None and not self.turns.is_busy:
            if not self.turns.is_asked:
                self.turns.talk.tell(str(end.error))
                return
            self.turns.begin()
        self._end, self._is_cut = evolve(end, is_interrupted=end.is_interrupted or self._is_cut), False
        self.heard()

    def _asked(self, event: CallsRequested) -> None:
        batch = self.floor.take(event)
        if batch is None:
            return
        if self.floor.is_held:
            self.silence()
            self._is_cut = False
        self._put(batch)

    def _called_off(self, event: CallsCancelled) -> None:
        batches = self.floor.with_id(event.ids)
        for batch in batches:
            batch.is_interrupted = True
        if any(batch.is_claimed for batch in batches):
            self.turns.talk.cancel()  # ends its calls like Esc; their results are sent when the turn ends
        for batch in batches:
            if not batch.is_claimed:
                self.tasks.start(self.answer(batch, {}))

    def _spoken_into(self) -> None:
        was_answering, was_sounding = self.is_answering, self.playback.is_sounding
        unheard = self.silence()
        self.floor.interrupted()
        self.turns.hearing.begin()
        if self.connection is not None:
            self.tasks.start(self.connection.interrupt(unheard))
        if was_answering or was_sounding:
            self.record("interrupted", {"heard_ms": self.playback.heard_ms})
        if was_answering:
            self._ended(Ended(is_interrupted=True))

    def _put(self, piece: Piece, *, is_answer: bool = True) -> None:
        self.pieces.put(piece)
        if is_answer:
            self.is_answering = True
            self.turns.begin()
