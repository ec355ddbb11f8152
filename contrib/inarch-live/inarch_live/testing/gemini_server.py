"""Gemini Live server for tests."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from attrs import define, field
from websockets.asyncio.server import ServerConnection

from inarch_live.port import LiveCall
from inarch_live.testing.servers import LiveServer, Message, SentResult, There, text_of
from inarch_live.wires.gemini import GeminiLive


@define
class Heard:
    """Everything received in a conversation, in order, across connections."""

    pieces: list[tuple[str, Any]] = field(factory=list)
    """`("audio", samples)`, `("text", words)`, `("result", SentResult)`, `("begin", None)` and `("end", None)`."""


@define(eq=False)
class GeminiThere(There):
    """One connection of Gemini Live."""

    handles: dict[str, Heard] = field(factory=dict)
    heard: Heard = field(init=False, factory=Heard)

    async def took(self, message: Message) -> None:
        """Store the content of a message."""
        if "setup" in message:
            handle = message["setup"].get("sessionResumption", {}).get("handle")
            if handle:
                self.heard = self.handles[handle]
            await self.send({"setupComplete": {}})
        if "realtimeInput" in message:
            self._input(message["realtimeInput"])
        if "clientContent" in message:
            for turn in message["clientContent"]["turns"]:
                self._typed(text_of(turn["parts"]))
        if "toolResponse" in message:
            self.answers += 1
            for response in message["toolResponse"]["functionResponses"]:
                self._answered(response)

    async def speak(self, pcm: bytes, text: str = "", rate: int = 24_000) -> None:
        """Say something by voice."""
        blob = {"mimeType": f"audio/pcm;rate={rate}", "data": base64.b64encode(pcm).decode()}
        content: Message = {"modelTurn": {"parts": [{"inlineData": blob}]}}
        if text:
            content["outputTranscription"] = {"text": text}
        await self.send({"serverContent": content})

    async def write(self, text: str) -> None:
        """Answer in text."""
        await self.send({"serverContent": {"modelTurn": {"parts": [{"text": text}]}}})

    async def hear(self, text: str) -> None:
        """Send a transcript of the person."""
        await self.send({"serverContent": {"inputTranscription": {"text": text, "finished": True}}})

    async def call(self, *calls: LiveCall) -> None:
        """Request calls."""
        told = [{"id": call.id, "name": call.name, "args": dict(call.arguments)} for call in calls]
        await self.send({"toolCall": {"functionCalls": told}})

    async def cancel(self, *ids: str) -> None:
        """Cancel calls."""
        await self.send({"toolCallCancellation": {"ids": list(ids)}})

    async def interrupt(self) -> None:
        """Report that the person interrupts the answer."""
        await self.send({"serverContent": {"interrupted": True}})

    async def end_turn(self, status: str = "IDLE") -> None:
        """End the answer."""
        await self.send({"serverContent": {"turnComplete": True, "interactionStatus": status}})

    async def report_usage(self, input_audio: int, output_audio: int, input_text: int, output_text: int) -> None:
        """Report tokens."""
        read = {"promptTokenCount": input_audio + input_text, "promptTokensDetails": _details(input_audio, input_text)}
        said = {
            "responseTokenCount": output_audio + output_text,
            "responseTokensDetails": _details(output_audio, output_text),
        }
        await self.send({"usageMetadata": {**read, **said}})

    async def go_away(self, seconds: float) -> None:
        """Announce the end of the connection."""
        await self.send({"goAway": {"timeLeft": f"{seconds:g}s"}})

    async def hand_over(self, resumable: bool = True) -> str:
        """Send and return a handle of the present conversation, or report that there is none."""
        if not resumable:
            await self.send({"sessionResumptionUpdate": {"resumable": False}})
            return ""
        handle = f"handle-{len(self.handles) + 1}"
        self.handles[handle] = self.heard
        await self.send({"sessionResumptionUpdate": {"newHandle": handle, "resumable": True}})
        return handle

    def _input(self, given: Mapping[str, Any]) -> None:
        if "audio" in given:
            pcm = base64.b64decode(given["audio"]["data"])
            self.audio += pcm
            self.heard.pieces.append(("audio", pcm))
        if "text" in given:
            self._typed(given["text"])
        if "activityStart" in given:
            self.heard.pieces.append(("begin", None))
        if "activityEnd" in given or "audioStreamEnd" in given:
            self.heard.pieces.append(("end", None))

    def _typed(self, text: str) -> None:
        self.texts.append(text)
        self.heard.pieces.append(("text", text))

    def _answered(self, response: Mapping[str, Any]) -> None:
        said = response["response"]
        text = said.get("output", said.get("error", ""))
        result = SentResult(response.get("id", ""), said["status"], text, response.get("scheduling", ""))
        self.results.append(result)
        self.heard.pieces.append(("result", result))


@define(eq=False)
class GeminiServer(LiveServer[GeminiThere]):
    """The service."""

    handles: dict[str, Heard] = field(init=False, factory=dict)

    def provider(self, key: str = "a-key-of-tests") -> GeminiLive:
        """Return a provider that connects to this server."""
        return GeminiLive(key, self.url)

    def there(self, socket: ServerConnection, path: str, headers: dict[str, str]) -> GeminiThere:
        """Return the service's side of a new connection."""
        return GeminiThere(socket, path, headers, self.handles)

    async def greet(self, there: GeminiThere) -> None:
        """Send nothing, because the client begins."""


def _details(audio: int, text: int) -> list[Message]:
    return [{"modality": "AUDIO", "tokenCount": audio}, {"modality": "TEXT", "tokenCount": text}]
