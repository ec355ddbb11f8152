"""OpenAI Realtime server for tests."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from attrs import define, field
from websockets.asyncio.server import ServerConnection

from inarch_live.port import LiveCall
from inarch_live.testing.servers import LiveServer, Message, SentResult, There, text_of
from inarch_live.wires.openai_realtime import OpenAIRealtime

RATE = 24_000


@define(eq=False)
class OpenAIThere(There):
    """One connection of OpenAI Realtime."""

    items: list[Message] = field(init=False, factory=list)
    truncations: list[Message] = field(init=False, factory=list)
    requests: int = field(init=False, default=0)
    """The number of requested answers."""
    commits: int = field(init=False, default=0)
    response: str = field(init=False, default="")
    """The id of the answer in progress; empty between answers."""
    _item: str = field(init=False, default="")
    _calls: list[LiveCall] = field(init=False, factory=list)
    _ids: count[int] = field(init=False, factory=lambda: count(1))
    _has_results: bool = field(init=False, default=False)

    @property
    def setup(self) -> Message:
        """Return the session that the client requested."""
        return dict(self.received[0]["session"])

    async def took(self, message: Message) -> None:
        """Store the content of a message."""
        match message["type"]:
            case "session.update":
                await self.tell("session.updated", session=message["session"])
            case "input_audio_buffer.append":
                self.audio += base64.b64decode(message["audio"])
            case "input_audio_buffer.commit":
                self.commits += 1
                await self.tell("input_audio_buffer.committed", item_id=f"item_{next(self._ids)}")
            case "conversation.item.create":
                await self._added(message["item"])
            case "conversation.item.truncate":
                self.truncations.append(message)
                await self.tell(
                    "conversation.item.truncated", **{key: message[key] for key in message if key != "type"}
                )
            case "response.create" if self.response:
                await self.fail("conversation_already_has_active_response", "A response is in progress.")
            case "response.create":
                self.requests += 1
                self.answers += self._has_results
                self._has_results = False
                await self.begin_response()
            case "response.cancel" if self.response:
                await self.end_turn("cancelled", "client_cancelled")
            case "response.cancel":
                await self.fail("response_cancel_not_active", "There is no response to cancel.")

    async def tell(self, kind: str, **fields: Any) -> None:
        """Send an event."""
        await self.send({"type": kind, "event_id": f"event_{next(self._ids)}", **fields})

    async def fail(self, code: str, message: str) -> None:
        """Send an error event."""
        await self.tell("error", error={"type": "invalid_request_error", "code": code, "message": message})

    async def begin_response(self) -> None:
        """Begin an answer."""
        if not self.response:
            self.response, self._item = f"resp_{next(self._ids)}", f"item_{next(self._ids)}"
            await self.tell("response.created", response={"id": self.response, "status": "in_progress"})

    async def speak(self, pcm: bytes, text: str = "") -> None:
        """Say something by voice."""
        await self.begin_response()
        place = self._place()
        await self.tell("response.output_audio.delta", delta=base64.b64encode(pcm).decode(), **place)
        if text:
            await self.tell("response.output_audio_transcript.delta", delta=text, **place)

    async def write(self, text: str) -> None:
        """Answer in text."""
        await self.begin_response()
        await self.tell("response.output_text.delta", delta=text, **self._place())

    async def hear(self, text: str) -> None:
        """Detect the end of the person's speech in all audio so far, and send its transcript."""
        item = await self.end_of_speech()
        await self.transcribe(item, text)

    async def end_of_speech(self) -> str:
        """Detect the end of the person's speech, and return the id of its item."""
        item = f"item_{next(self._ids)}"
        end = len(self.audio) * 1_000 // (2 * RATE)
        await self.tell("input_audio_buffer.speech_stopped", audio_end_ms=end, item_id=item)
        await self.tell("input_audio_buffer.committed", item_id=item)
        return item

    async def transcribe(self, item: str, text: str) -> None:
        """Send the transcript of an item."""
        kind, place = "conversation.item.input_audio_transcription", {"item_id": item, "content_index": 0}
        half = len(text) // 2
        await self.tell(f"{kind}.delta", delta=text[:half], **place)
        usage: Message = {"type": "tokens", "input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
        usage["input_token_details"] = {"audio_tokens": 9, "text_tokens": 0}
        await self.tell(f"{kind}.completed", transcript=text, usage=usage, **place)

    async def call(self, *calls: LiveCall) -> None:
        """Request calls, which ends the answer."""
        await self.begin_response()
        for index, call in enumerate(calls):
            item = {
                "id": f"item_{next(self._ids)}", "type": "function_call", "status": "completed", "call_id": call.id,
                "name": call.name, "arguments": json.dumps(dict(call.arguments)),
            }  # fmt: skip
            place = {"response_id": self.response, "item_id": item["id"], "output_index": index}
            written = {"call_id": call.id, "name": call.name, "arguments": item["arguments"]}
            await self.tell("response.function_call_arguments.done", **written, **place)
            await self.tell("response.output_item.done", item=item, response_id=self.response, output_index=index)
        await self.end_turn()

    async def interrupt(self) -> None:
        """Report that the person speaks, which cancels the answer."""
        start = len(self.audio) * 1_000 // (2 * RATE)
        await self.tell("input_audio_buffer.speech_started", audio_start_ms=start, item_id=f"item_{next(self._ids)}")
        if self.response:
            await self.end_turn("cancelled", "turn_detected")

    async def end_turn(self, status: str = "completed", reason: str = "", usage: Message | None = None) -> None:
        """End the answer."""
        details = {"type": status, "reason": reason} if reason else None
        response = {"id": self.response, "status": status, "status_details": details, "usage": usage}
        self.response = ""
        await self.tell("response.done", response=response)

    async def report_usage(self, input_audio: int, output_audio: int, input_text: int, output_text: int) -> None:
        """Report tokens, with the end of the answer."""
        await self.begin_response()
        usage = {
            "input_tokens": input_audio + input_text, "output_tokens": output_audio + output_text,
            "input_token_details": {"audio_tokens": input_audio, "text_tokens": input_text},
            "output_token_details": {"audio_tokens": output_audio, "text_tokens": output_text},
        }  # fmt: skip
        await self.end_turn(usage=usage)

    def _place(self) -> Message:
        return {"response_id": self.response, "item_id": self._item, "output_index": 0, "content_index": 0}

    async def _added(self, item: Mapping[str, Any]) -> None:
        self.items.append(dict(item))
        if item["type"] == "message" and item["role"] == "user":
            self.texts.append(text_of(item["content"]))
        elif item["type"] == "function_call_output":
            said = json.loads(item["output"])
            self.results.append(SentResult(item["call_id"], said["status"], said["text"]))
            self._has_results = True
        given = item.get("id") or f"item_{next(self._ids)}"
        await self.tell("conversation.item.added", item={**item, "id": given})
        await self.tell("conversation.item.done", item={**item, "id": given})


@define(eq=False)
class OpenAIServer(LiveServer[OpenAIThere]):
    """The service."""

    def provider(self, key: str = "a-key-of-tests") -> OpenAIRealtime:
        """Return a provider that connects to this server."""
        return OpenAIRealtime(key, f"{self.url}/v1")

    def there(self, socket: ServerConnection, path: str, headers: dict[str, str]) -> OpenAIThere:
        """Return the service's side of a new connection."""
        return OpenAIThere(socket, path, headers)

    async def greet(self, there: OpenAIThere) -> None:
        """Report that the session exists."""
        await there.tell("session.created", session={"type": "realtime"})
