"""OpenAI Realtime: /v1/realtime over a WebSocket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote

from attrs import define, field

from inarch import HttpService, ProviderError
from inarch_live.port import (
    BYTES_PER_SAMPLE,
    INPUT_RATE,
    KEYS,
    ConnectionEnded,
    LiveEvent,
    LiveResult,
    LiveSetup,
    Scheduling,
)
from inarch_live.samples import Resampler
from inarch_live.wires.contents import encoded, part
from inarch_live.wires.openai_events import (
    RATE,
    Message,
    Reading,
    history_item,
    result_item,
    session_update,
    user_item,
)
from inarch_live.wires.sockets import Socket

BASE_URL = "https://api.openai.com/v1"
KEY = KEYS["openai"]
TRANSCRIPTION_MODEL = "gpt-transcribe"
NAME = "openai-realtime"
PAUSE_MS = 700
"""Milliseconds of silence that end an utterance, sent when the microphone is off."""
_EXPIRED = "session_expired"


@define(eq=False, repr=False)
class OpenAIRealtime:
    """The provider."""

    _key: str
    _base_url: str = BASE_URL
    _transcription_model: str = TRANSCRIPTION_MODEL

    async def connect(self, setup: LiveSetup) -> OpenAIConnection:
        """Return a connection on which the service has accepted `setup`.

        Raises:
            ProviderError: It did not.
        """
        service = HttpService(NAME, self._base_url, {"authorization": f"Bearer {self._key}"})
        model = quote(setup.model, safe="")
        socket = await Socket.open(service, f"/realtime?model={model}", KEY)
        try:
            messages = socket.messages()
            await _accepted(socket, messages, session_update(setup, self._transcription_model))
            for piece in setup.history:
                await socket.send(history_item(piece))
        except BaseException:
            await socket.aclose()
            raise
        reading = Reading(NAME)
        connection = OpenAIConnection(socket, setup.hearing == "push", reading, messages)
        if setup.awaits_answer:
            await connection.respond()
        return connection


async def _accepted(socket: Socket, messages: AsyncIterator[dict[str, Any]], update: Message) -> None:
    """Wait for the session, send the setup, and wait until the service accepts it."""
    while True:
        event = await socket.answer_to_setup(messages)
        match event.get("type"):
            case "session.created":
                await socket.send(update)
            case "session.updated":
                return
            case "error":
                raise socket.error(event)


@define(eq=False, repr=False)
class OpenAIConnection:
    """One conversation over OpenAI Realtime."""

    _socket: Socket
    _is_pushed: bool
    _reading: Reading
    _messages: AsyncGenerator[dict[str, Any]]
    _resampler: Resampler = field(init=False, factory=lambda: Resampler(INPUT_RATE, RATE))
    _has_input: bool = field(init=False, default=False)

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        """Yield events up to `ConnectionEnded`."""
        ended = ConnectionEnded()
        try:
            async for message in self._messages:
                for event in self._reading.read(message):
                    yield event
                if self._reading.wants_response and not self._reading.is_responding:
                    await self.respond()
                if part(message.get("error"), "code", str) == _EXPIRED:  # the normal end of the connection
                    words = f"{self._socket.service.name} has held this conversation for as long as it may"
                    ended = ConnectionEnded(ProviderError("server", words, retryable=True))
        except ProviderError as error:
            ended = ConnectionEnded(error)
        await self.aclose()
        yield ended

    async def send_audio(self, pcm: bytes) -> None:
        """Send samples, resampled to the service's rate."""
        await self._append(self._resampler.add(pcm))

    async def begin_speech(self) -> None:
        """Drop earlier microphone audio and cancel the present response, if `hearing` is `push`."""
        if not self._is_pushed:
            return
        self._has_input = False
        await self._socket.send({"type": "input_audio_buffer.clear"})
        if self._reading.is_responding:
            await self._socket.send({"type": "response.cancel"})

    async def end_speech(self) -> None:
        """Request an answer to the speech (`push`), or send the pause that the service waits for (`open`)."""
        if not self._is_pushed:
            await self._append(bytes(PAUSE_MS * RATE // 1_000 * BYTES_PER_SAMPLE))
            return
        await self._append(self._resampler.flush())
        if self._has_input:
            self._has_input = False
            await self._socket.send({"type": "input_audio_buffer.commit"})
            await self.respond()

    async def send_text(self, text: str) -> None:
        """Send typed text, which interrupts an answer."""
        await self._socket.send(user_item(text))
        await self.respond(now=True)

    async def send_results(self, results: Sequence[LiveResult], scheduling: Scheduling = "when_idle") -> None:
        """Send results of calls."""
        for result in results:
            await self._socket.send(result_item(result))
        if scheduling != "silent":
            await self.respond()

    async def interrupt(self, unheard_ms: int) -> None:
        """Stop the answer, and remove its unheard part from the conversation."""
        if self._reading.is_responding:
            await self._socket.send({"type": "response.cancel"})
        self._reading.cut()
        for item in self._reading.unheard(unheard_ms):
            place = {"item_id": item.item_id, "content_index": item.content_index}
            await self._socket.send({"type": "conversation.item.truncate", **place, "audio_end_ms": item.milliseconds})

    async def respond(self, now: bool = False) -> None:
        """Request an answer after the present one. With `now`, stop the present one first."""
        if not self._reading.is_responding:
            self._reading.asks()
            await self._socket.send({"type": "response.create"})
            return
        self._reading.wants_response = True
        if now:
            await self._socket.send({"type": "response.cancel"})

    async def aclose(self) -> None:
        """Close the connection."""
        await self._socket.aclose()

    async def _append(self, pcm: bytes) -> None:
        if pcm:
            self._has_input = True
            await self._socket.send({"type": "input_audio_buffer.append", "audio": encoded(pcm)})
