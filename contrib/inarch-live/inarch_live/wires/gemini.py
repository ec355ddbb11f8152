"""Gemini Live: BidiGenerateContent over a WebSocket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

from attrs import define

from inarch import HttpService, ProviderError
from inarch_live.port import (
    INPUT_RATE,
    KEYS,
    ConnectionEnded,
    LiveEvent,
    LiveResult,
    LiveSetup,
    Scheduling,
)
from inarch_live.wires.contents import encoded
from inarch_live.wires.gemini_events import (
    GO_ON,
    Message,
    Reading,
    history_message,
    result_entry,
    setup_message,
    text_message,
    waits,
)
from inarch_live.wires.sockets import Socket

BASE_URL = "https://generativelanguage.googleapis.com"
KEY = KEYS["gemini"]
NAME = "gemini-live"
_PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
_MIME = f"audio/pcm;rate={INPUT_RATE}"


@define(eq=False, repr=False)
class GeminiLive:
    """The provider."""

    _key: str
    _base_url: str = BASE_URL

    async def connect(self, setup: LiveSetup) -> GeminiConnection:
        """Return a connection on which the service has accepted `setup`.

        Raises:
            ProviderError: It did not.
        """
        service = HttpService(NAME, self._base_url, {"x-goog-api-key": self._key})
        socket = await Socket.open(service, _PATH, KEY)
        try:
            return await _accepted(socket, setup, setup.model)
        except BaseException:
            await socket.aclose()
            raise


async def _accepted(socket: Socket, setup: LiveSetup, model: str) -> GeminiConnection:
    """Send the setup, wait until the service accepts it, and send the history."""
    await socket.send(setup_message(setup, model))
    messages = socket.messages()
    first = await socket.answer_to_setup(messages)
    if "setupComplete" not in first:
        raise socket.error(first)
    if setup.history:
        await socket.send(history_message(setup.history))
        if setup.awaits_answer:
            await socket.send(text_message(GO_ON, model))
    unwaited = {tool.name for tool in setup.tools if not waits(tool, model)}
    reading = Reading(socket.service.name)
    return GeminiConnection(socket, model, setup.hearing == "push", reading, messages, first, unwaited)


@define(eq=False, repr=False)
class GeminiConnection:
    """One conversation over Gemini Live."""

    _socket: Socket
    _model: str
    _is_pushed: bool
    _reading: Reading
    _messages: AsyncGenerator[dict[str, Any]]
    _first: Message
    _unwaited: set[str]

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        """Yield events up to `ConnectionEnded`."""
        ended = ConnectionEnded()
        try:
            for event in self._reading.read(self._first):
                yield event
            async for message in self._messages:
                for event in self._reading.read(message):
                    yield event
        except ProviderError as error:
            ended = ConnectionEnded(error)
        await self.aclose()
        yield ended

    async def send_audio(self, pcm: bytes) -> None:
        """Send samples."""
        await self._input({"audio": {"data": encoded(pcm), "mimeType": _MIME}})

    async def begin_speech(self) -> None:
        """Report that the person begins to speak, but not to a service that detects speech by itself."""
        if self._is_pushed:
            await self._input({"activityStart": {}})

    async def end_speech(self) -> None:
        """Report that the person has finished, or that the microphone is off."""
        await self._input({"activityEnd": {}} if self._is_pushed else {"audioStreamEnd": True})

    async def send_text(self, text: str) -> None:
        """Send typed text."""
        await self._socket.send(text_message(text, self._model))

    async def send_results(self, results: Sequence[LiveResult], scheduling: Scheduling = "when_idle") -> None:
        """Send results of calls."""
        entries = [result_entry(result, scheduling if result.name in self._unwaited else None) for result in results]
        await self._socket.send({"toolResponse": {"functionResponses": entries}})

    async def interrupt(self, unheard_ms: int) -> None:
        """Ignore the rest of the present answer. The service stops only when it hears speech."""
        self._reading.cut()

    async def aclose(self) -> None:
        """Close the connection."""
        await self._socket.aclose()

    async def _input(self, what: Message) -> None:
        await self._socket.send({"realtimeInput": what})
