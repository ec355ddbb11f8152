"""Gemini Live server for tests."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from attrs import define
from websockets.asyncio.server import ServerConnection

from inarch_live.port import LiveCall
from inarch_live.testing.servers import LiveServer, Message, SentResult, There, text_of
from inarch_live.wires.gemini import GeminiLive


@define(eq=False)
class GeminiThere(There):
    """One connection of Gemini Live."""

    async def took(self, message: Message) -> None:
        """Store the content of a message."""
        if "setup" in message:
            await self.send({"setupComplete": {}})
        if "realtimeInput" in message:
            given = message["realtimeInput"]
            self.audio += base64.b64decode(given.get("audio", {}).get("data", ""))
            self.texts += [given["text"]] if "text" in given else []
        if "clientContent" in message:
            self.texts += [text_of(turn["parts"]) for turn in message["clientContent"]["turns"]]
        if "toolResponse" in message:
            self.answers += 1
            self.results += map(_result, message["toolResponse"]["functionResponses"])

    async def speak(self, pcm: bytes, text: str = "") -> None:
        """Say something by voice."""
        blob = {"mimeType": "audio/pcm;rate=24000", "data": base64.b64encode(pcm).decode()}
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


@define(eq=False)
class GeminiServer(LiveServer[GeminiThere]):
    """The service."""

    def provider(self, key: str = "a-key-of-tests") -> GeminiLive:
        """Return a provider that connects to this server."""
        return GeminiLive(key, self.url)

    def there(self, socket: ServerConnection, path: str, headers: dict[str, str]) -> GeminiThere:
        """Return the service's side of a new connection."""
        return GeminiThere(socket, path, headers)


def _details(audio: int, text: int) -> list[Message]:
    return [{"modality": "AUDIO", "tokenCount": audio}, {"modality": "TEXT", "tokenCount": text}]


def _result(response: Mapping[str, Any]) -> SentResult:
    said = response["response"]
    text = said.get("output", said.get("error", ""))
    return SentResult(response.get("id", ""), said["status"], text, response.get("scheduling", ""))
