"""Conversion of OpenAI Realtime events to events of the port, without I/O.

A response is one answer. Its calls are one batch, delivered when the response is complete. A response that was cut or
cancelled delivers no calls, because their arguments may be incomplete. `wants_response` says whether to request an
answer then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, field

from inarch import ProviderError
from inarch_live.port import (
    BYTES_PER_SAMPLE,
    AudioDelta,
    CallsRequested,
    History,
    InputTranscript,
    Interrupted,
    LiveCall,
    LiveEvent,
    LiveResult,
    LiveSetup,
    LiveTool,
    LiveUsage,
    OutputTranscript,
    Said,
    ServiceNotice,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.wires.contents import Utterance, decoded, number, part

Message = dict[str, Any]

RATE = 24_000
"""Samples a second in both directions: the only PCM rate of the service."""
_FORMAT = {"type": "audio/pcm", "rate": RATE}


def session_update(setup: LiveSetup, transcription_model: str) -> Message:
    """Return the first message."""
    detection = {"type": "server_vad", "create_response": True, "interrupt_response": True}
    session: Message = {
        "type": "realtime",
        "output_modalities": ["audio"],
        "instructions": setup.instructions,
        "tools": [_tool(tool) for tool in setup.tools],
        "tool_choice": "auto",
        "audio": {
            "input": {
                "format": _FORMAT,
                "transcription": {"model": transcription_model},
                "turn_detection": detection if setup.hearing == "open" else None,
            },
            "output": {"format": _FORMAT, **({"voice": setup.voice} if setup.voice else {})},
        },
    }
    return {"type": "session.update", "session": session}


def history_item(piece: History) -> Message:
    """Return the message that adds a piece of the history."""
    match piece:
        case Said("user", text):
            return user_item(text)
        case Said(_, text):
            return _added({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
        case LiveCall(call_id, name, arguments):
            written = json.dumps(dict(arguments), default=str)
            return _added({"type": "function_call", "call_id": call_id, "name": name, "arguments": written})
        case LiveResult():
            return result_item(piece)


def user_item(text: str) -> Message:
    """Return the message that adds a typed text."""
    return _added({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})


def result_item(result: LiveResult) -> Message:
    """Return the message that adds a result. Its text contains the status, because the service has no field for it."""
    output = json.dumps({"status": result.status, "text": result.text}, ensure_ascii=False)
    return _added({"type": "function_call_output", "call_id": result.id, "output": output})


def _added(item: Message) -> Message:
    return {"type": "conversation.item.create", "item": item}


def _tool(tool: LiveTool) -> Message:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": parameters}


_EXPECTED = (
    "response_cancel_not_active",
    "conversation_already_has_active_response",
    "input_audio_buffer_commit_empty",
)
"""Harmless errors caused by both sides acting at once."""


@define
class Spoken:
    """One spoken item of an answer: its id, content index, and received bytes of audio."""

    item_id: str
    content_index: int
    size: int = 0

    @property
    def milliseconds(self) -> int:
        """Return its duration in milliseconds."""
        return self.size * 1_000 // (RATE * BYTES_PER_SAMPLE)


@define(eq=False)
class Reading:
    """Reads the events of one connection."""

    service: str
    is_responding: bool = field(init=False, default=False)
    wants_response: bool = field(init=False, default=False)
    _spoken: list[Spoken] = field(init=False, factory=list)
    _is_asking: bool = field(init=False, default=False)
    _heard: dict[str, Utterance] = field(init=False, factory=dict)
    _requested: list[LiveCall] = field(init=False, factory=list)
    _has_sounded: bool = field(init=False, default=False)
    _is_cut: bool = field(init=False, default=False)

    def cut(self) -> None:
        """Ignore the rest of the present answer."""
        self._is_cut = self.is_responding
        self._has_sounded = False

    def unheard(self, milliseconds: int) -> list[Spoken]:
        """Return the items of the answer that were not heard completely, each with its heard part."""
        left = milliseconds * RATE // 1_000 * BYTES_PER_SAMPLE
        cut = []
        while self._spoken and left > 0:
            item = self._spoken.pop()
            cut.append(evolve(item, size=max(0, item.size - left)))
            left -= item.size
        self._spoken.clear()
        return cut

    def asks(self) -> None:
        """Note that a response was requested."""
        self.is_responding = self._is_asking = True
        self.wants_response = False

    def read(self, event: Message) -> Iterator[LiveEvent]:
        """Yield the port's events for an event.

        Raises:
            ProviderError: It contains invalid audio.
        """
        match event.get("type"):
            case "input_audio_buffer.speech_started":
                if self._has_sounded or self.is_responding:
                    self._has_sounded = False
                    self._is_cut = self.is_responding
                    yield Interrupted()
                yield SpeechBegan()
            case "response.created":
                self.is_responding, self._is_asking, self._is_cut = True, False, False
                self._requested.clear()
            case "response.output_audio.delta" if not self._is_cut:
                yield from self._sound(event)
            case "response.output_text.delta" if not self._is_cut:
                yield TextDelta(part(event, "delta", str))
            case "response.output_audio_transcript.delta" if not self._is_cut:
                yield OutputTranscript(part(event, "delta", str))
            case "response.output_item.done":
                self._item(part(event, "item", dict))
            case "response.done":
                yield from self._done(part(event, "response", dict))
            case "error":
                yield from self._error(part(event, "error", dict))
            case _:
                yield from self._transcribed(event)

    def _transcribed(self, event: Message) -> Iterator[LiveEvent]:
        item = part(event, "item_id", str)
        match event.get("type"):
            case "conversation.item.input_audio_transcription.delta":
                yield from self._heard.setdefault(item, Utterance()).add(part(event, "delta", str))
            case "conversation.item.input_audio_transcription.completed":
                self._heard.pop(item, None)
                yield InputTranscript(part(event, "transcript", str), True)
                usage = part(event, "usage", dict)
                if usage.get("type") == "tokens":
                    yield UsageReported(usage_of(usage))
            case "conversation.item.input_audio_transcription.failed":
                self._heard.pop(item, None)
                yield ServiceNotice(f"{self.service} could not write down what you said: {_said(event.get('error'))}")

    def _sound(self, event: Message) -> Iterator[LiveEvent]:
        pcm = decoded(part(event, "delta", str), self.service)
        item, index = part(event, "item_id", str), event.get("content_index")
        if not self._has_sounded:
            self._spoken.clear()
        if not self._spoken or self._spoken[-1].item_id != item:
            self._spoken.append(Spoken(item, index if isinstance(index, int) else 0))
        self._spoken[-1].size += len(pcm)
        self._has_sounded = True
        yield AudioDelta(pcm, RATE)

    def _item(self, item: Message) -> None:
        call_id = part(item, "call_id", str)
        if item.get("type") == "function_call" and call_id:
            self._requested.append(_call(call_id, part(item, "name", str), item.get("arguments")))

    def _done(self, response: Message) -> Iterator[LiveEvent]:
        status = response.get("status") or "completed"
        self.is_responding = self._is_asking = self._is_cut = False
        calls = tuple(self._requested) if status == "completed" else ()
        self._requested.clear()
        if calls:
            yield CallsRequested(calls)
        if usage := part(response, "usage", dict):
            yield UsageReported(usage_of(usage))
        details = part(response, "status_details", dict)
        error = self._unanswered(details.get("error")) if status == "failed" else None
        reason = "" if status == "completed" else str(details.get("reason") or status)
        yield TurnEnded(reason, not calls, error)

    def _error(self, error: Message) -> Iterator[LiveEvent]:
        code = error.get("code")
        if code == "conversation_already_has_active_response":
            self.wants_response, self._is_asking = True, False
        elif code not in _EXPECTED:
            if self._is_asking:  # there will be no response
                self.is_responding = self._is_asking = False
                yield TurnEnded(_said(error), error=self._unanswered(error))
            else:
                yield ServiceNotice(f"{self.service} says: {_said(error)}")

    def _unanswered(self, error: Any) -> ProviderError:
        return ProviderError("server", f"{self.service} could not answer: {_said(error)}", remedy="say it again")


def usage_of(told: Message) -> LiveUsage:
    """Return the tokens of a report. Tokens without a breakdown count as text."""
    read, made = part(told, "input_token_details", dict), part(told, "output_token_details", dict)
    cached = part(read, "cached_tokens_details", dict)
    heard, said = number(read, "audio_tokens"), number(made, "audio_tokens")
    cached_audio = number(cached, "audio_tokens")
    return LiveUsage(
        input_text=max(0, number(told, "input_tokens") - heard),
        input_audio=heard,
        cached_text=max(0, number(read, "cached_tokens") - cached_audio),
        cached_audio=cached_audio,
        output_text=max(0, number(told, "output_tokens") - said),
        output_audio=said,
    )


def _call(call_id: str, name: str, written: Any) -> LiveCall:
    """Return a call, parsing the arguments that the model wrote as JSON."""
    try:
        arguments = json.loads(written or "{}") if isinstance(written, str) else written
    except (ValueError, RecursionError):
        return LiveCall(call_id, name, {}, "its arguments are no JSON")
    if not isinstance(arguments, dict):
        return LiveCall(call_id, name, {}, "its arguments are no object")
    return LiveCall(call_id, name, arguments)


def _said(error: Any) -> str:
    return (part(error, "message", str) or str(error or "it doesn't say why"))[:500]
