"""Conversion of OpenAI Realtime events to events of the port, without I/O.

A response is one answer. Its calls are one batch, delivered when the response is complete. A response that was cut or
cancelled delivers no calls, because their arguments may be incomplete. `wants_response` says whether to request an
answer then.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import define, evolve, field

from inarch import ProviderError, token_count
from inarch_live.port import (
    BYTES_PER_SAMPLE,
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
from inarch_live.wires.audio import Samples, Utterance

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


def history_items(history: Iterable[History]) -> Iterator[Message]:
    """Yield the messages that add the history."""
    yield from map(_item, history)


def _item(piece: History) -> Message:
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


def truncation(item_id: str, content_index: int, heard_ms: int) -> Message:
    """Return the message that removes the unheard part of an answer."""
    place = {"item_id": item_id, "content_index": content_index, "audio_end_ms": heard_ms}
    return {"type": "conversation.item.truncate", **place}


def _added(item: Message) -> Message:
    return {"type": "conversation.item.create", "item": item}


def _tool(tool: LiveTool) -> Message:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": parameters}


SCARCE = 0.05
"""Remaining share of a rate limit below which it is reported."""
_MOST_ITEMS = 50
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
    """Reads the events of one connection.

    Args:
        service: The service's name in messages.
    """

    service: str
    is_responding: bool = field(init=False, default=False)
    wants_response: bool = field(init=False, default=False)
    _spoken: deque[Spoken] = field(init=False, factory=lambda: deque(maxlen=_MOST_ITEMS))
    _is_asking: bool = field(init=False, default=False)
    _heard: dict[str, Utterance] = field(init=False, factory=dict)
    _said: Utterance = field(init=False, factory=lambda: Utterance(OutputTranscript))
    _samples: Samples = field(init=False)
    _requested: list[LiveCall] = field(init=False, factory=list)
    _has_sounded: bool = field(init=False, default=False)
    _is_cut: bool = field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        self._samples = Samples(self.service)

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

    def read(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        """Yield the port's events for an event.

        Raises:
            ProviderError: It contains invalid audio.
        """
        reader = _READERS.get(str(event.get("type")))
        if reader is not None:
            yield from reader(self, event)

    def _began(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if self._has_sounded or self.is_responding:
            yield from self._said.end()
            self._has_sounded = False
            self._is_cut = self.is_responding
            yield Interrupted()
        yield SpeechBegan()

    def _transcribing(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        utterance = self._heard.setdefault(_str(event, "item_id"), Utterance(InputTranscript))
        yield from utterance.add(_str(event, "delta"))

    def _transcribed(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        item = _str(event, "item_id")
        yield from self._heard.pop(item, Utterance(InputTranscript)).settle(_str(event, "transcript"))
        usage = event.get("usage")
        if isinstance(usage, Mapping) and usage.get("type") == "tokens":
            yield UsageReported(usage_of(usage))

    def _untranscribed(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        self._heard.pop(_str(event, "item_id"), None)
        yield ServiceNotice(f"{self.service} could not write down what you said: {_said(event.get('error'))}")

    def _created(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        self.is_responding, self._is_asking, self._is_cut = True, False, False
        self._requested.clear()
        yield from ()

    def _sound(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        delta = self._samples.of(_str(event, "delta"), RATE)
        if delta is None or self._is_cut:
            return
        item, index = _str(event, "item_id"), event.get("content_index")
        if not self._has_sounded:
            self._spoken.clear()
        if not self._spoken or self._spoken[-1].item_id != item:
            self._spoken.append(Spoken(item, index if isinstance(index, int) else 0))
        self._spoken[-1].size += len(delta.pcm)
        self._has_sounded = True
        yield delta

    def _text(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        text = _str(event, "delta")
        if text and not self._is_cut:
            yield TextDelta(text)

    def _speaking(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if not self._is_cut:
            yield from self._said.add(_str(event, "delta"))

    def _settled(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if not self._is_cut:
            yield from self._said.settle(_str(event, "transcript"))

    def _item(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        item = event.get("item")
        if isinstance(item, Mapping) and item.get("type") == "function_call":
            call_id = _str(item, "call_id")
            if call_id:
                self._requested.append(_call(call_id, _str(item, "name"), item.get("arguments")))
        yield from ()

    def _done(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        response = event.get("response")
        response = response if isinstance(response, Mapping) else {}
        status = response.get("status") or "completed"
        self.is_responding = self._is_asking = False
        self._samples.reset()
        yield from self._said.end()
        calls = tuple(self._requested) if status == "completed" else ()
        self._requested.clear()
        if calls:
            yield CallsRequested(calls)
        if isinstance(response.get("usage"), Mapping):
            yield UsageReported(usage_of(response["usage"]))
        details = response.get("status_details")
        details = details if isinstance(details, Mapping) else {}
        error = self._unanswered(details.get("error")) if status == "failed" else None
        reason = "" if status == "completed" else str(details.get("reason") or status)
        self._is_cut = False
        yield TurnEnded(reason, not calls, error)

    def _limits(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        limits = event.get("rate_limits")
        for limit in limits if isinstance(limits, list) else ():
            if not isinstance(limit, Mapping):
                continue
            most, left = limit.get("limit"), limit.get("remaining")
            if isinstance(most, int) and isinstance(left, int) and left < SCARCE * most:
                yield ServiceNotice(f"{self.service} has {left} of {most} {limit.get('name')} left a minute")

    def _error(self, event: Mapping[str, Any]) -> Iterator[LiveEvent]:
        error = event.get("error")
        code = _str(error, "code") if isinstance(error, Mapping) else ""
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


_READERS: Mapping[str, Callable[[Reading, Mapping[str, Any]], Iterator[LiveEvent]]] = {
    "input_audio_buffer.speech_started": Reading._began,
    "conversation.item.input_audio_transcription.delta": Reading._transcribing,
    "conversation.item.input_audio_transcription.completed": Reading._transcribed,
    "conversation.item.input_audio_transcription.failed": Reading._untranscribed,
    "response.created": Reading._created,
    "response.output_audio.delta": Reading._sound,
    "response.output_text.delta": Reading._text,
    "response.output_audio_transcript.delta": Reading._speaking,
    "response.output_audio_transcript.done": Reading._settled,
    "response.output_item.done": Reading._item,
    "response.done": Reading._done,
    "rate_limits.updated": Reading._limits,
    "error": Reading._error,
}


def usage_of(told: Mapping[str, Any]) -> LiveUsage:
    """Return the tokens of a report. Tokens without a breakdown count as text."""
    read, made = _object(told, "input_token_details"), _object(told, "output_token_details")
    cached = _object(read, "cached_tokens_details")
    heard, said = _number(read, "audio_tokens"), _number(made, "audio_tokens")
    cached_audio = _number(cached, "audio_tokens")
    return LiveUsage(
        input_text=max(0, _number(told, "input_tokens") - heard),
        input_audio=heard,
        cached_text=max(0, _number(read, "cached_tokens") - cached_audio),
        cached_audio=cached_audio,
        output_text=max(0, _number(told, "output_tokens") - said),
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
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message or "it doesn't say why")[:500]


def _object(message: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = message.get(key)
    return value if isinstance(value, Mapping) else {}


def _number(message: Mapping[str, Any], key: str) -> int:
    return token_count(message.get(key)) or 0


def _str(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key)
    return value if isinstance(value, str) else ""
