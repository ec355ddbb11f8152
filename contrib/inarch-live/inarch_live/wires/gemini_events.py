"""Conversion of Gemini Live messages to events of the port, without I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from attrs import define, field

from inarch import ProviderError, token_count
from inarch_lib.schemas.openapi import openapi_parameters
from inarch_live.port import (
    CallsCancelled,
    CallsRequested,
    GoingAway,
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
    Resumable,
    Said,
    ServiceNotice,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.wires.audio import Samples, Utterance, rate_of

Message = dict[str, Any]

GO_ON = "Please go on where you were."
"""Prompt for a new connection if the last question is still unanswered."""


def setup_message(setup: LiveSetup, model: str) -> Message:
    """Return the first message.

    Args:
        setup: The caller's setup.
        model: The model, without a prefix.
    """
    body: Message = {
        "model": model if "/" in model else f"models/{model}",
        "generationConfig": {"responseModalities": ["AUDIO"], **_voice(setup.voice)},
        "realtimeInputConfig": {"automaticActivityDetection": {"disabled": setup.hearing == "push"}},
        "sessionResumption": {"handle": setup.handle} if setup.handle else {},
        "contextWindowCompression": {"slidingWindow": {}},
        "inputAudioTranscription": {},
        "outputAudioTranscription": {},
    }
    if setup.instructions:
        body["systemInstruction"] = {"parts": [{"text": setup.instructions}]}
    if setup.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool, model) for tool in setup.tools]}]
    if setup.history and not setup.handle:
        body["historyConfig"] = {"initialHistoryInClientContent": True}
    return {"setup": body}


def history_message(history: Iterable[History]) -> Message:
    """Return the history, which the service accepts only at the start and does not answer."""
    turns = [{"role": role, "parts": [{"text": text}]} for role, text in map(_told, history) if text]
    return {"clientContent": {"turns": turns, "turnComplete": True}}


def text_message(text: str, model: str) -> Message:
    """Return typed text: as a turn for second-generation models, as real-time input for later ones."""
    if "gemini-2." in model:
        return {"clientContent": {"turns": [{"role": "user", "parts": [{"text": text}]}], "turnComplete": True}}
    return {"realtimeInput": {"text": text}}


def result_entry(result: LiveResult, scheduling: str | None, has_id: bool) -> Message:
    """Return one result; `scheduling` is None for a tool that the model waits for."""
    said = "output" if result.status == "success" else "error"
    entry: Message = {"name": result.name, "response": {"status": result.status, said: result.text}}
    if has_id:
        entry["id"] = result.id
    if scheduling is not None:
        entry["scheduling"] = scheduling.upper()
    return entry


def waits(tool: LiveTool, model: str) -> bool:
    """Return whether the model waits for this tool's result."""
    return "extended-thinking" not in model and (tool.blocking or "gemini-3.1" in model)


def _declaration(tool: LiveTool, model: str) -> Message:
    declaration: Message = {"name": tool.name, "description": tool.description or tool.name}
    parameters = openapi_parameters(tool.parameters)
    if parameters is not None:
        declaration["parameters"] = parameters
    if "gemini-3.1" not in model:  # 3.1 always waits and rejects this key
        declaration["behavior"] = "BLOCKING" if waits(tool, model) else "NON_BLOCKING"
    return declaration


def _voice(name: str) -> Message:
    return {"speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": name}}}} if name else {}


def _told(piece: History) -> tuple[str, str]:
    """Return a piece of history as role and text, because history cannot contain calls."""
    match piece:
        case Said(role, text):
            return ("user" if role == "user" else "model"), text
        case LiveCall(_, name, arguments):
            return "model", f"(called {name} with {_json(arguments)})"
        case LiveResult(_, name, status, text):
            return "user", f"(result of {name}, {status}: {text})"


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)


USUAL_RATE = 24_000
OWN_ID = "call-"
"""Prefix of ids for calls without one. The service then matches results by name."""


@define(eq=False)
class Reading:
    """Reads the messages of one connection.

    Args:
        service: The service's name in messages.
    """

    service: str
    _heard: Utterance = field(init=False, factory=lambda: Utterance(InputTranscript))
    _said: Utterance = field(init=False, factory=lambda: Utterance(OutputTranscript))
    _samples: Samples = field(init=False)
    _unplayable: set[str] = field(init=False, factory=set)
    _is_answering: bool = field(init=False, default=False)
    _is_cut: bool = field(init=False, default=False)
    _is_interrupted: bool = field(init=False, default=False)
    _own_ids: Iterator[int] = field(init=False, factory=lambda: count(1))

    def __attrs_post_init__(self) -> None:
        self._samples = Samples(self.service)

    def cut(self) -> None:
        """Ignore the rest of the present answer."""
        self._is_cut = self._is_answering

    def read(self, message: Mapping[str, Any]) -> Iterator[LiveEvent]:
        """Yield the events of a message in the port's order.

        Raises:
            ProviderError: It contains invalid audio.
        """
        content = _object(message, "serverContent")
        ids = tuple(one for one in _list(_object(message, "toolCallCancellation"), "ids") if isinstance(one, str))
        if ids:
            yield CallsCancelled(ids)
        yield from self._interruption(content)
        if _object(message, "voiceActivity").get("voiceActivityType") == "ACTIVITY_START":
            yield SpeechBegan()
        heard = _object(content, "inputTranscription")
        yield from self._heard.add(_text(heard), heard.get("finished") is True)
        yield from self._answer(content)
        yield from self._requested(_list(_object(message, "toolCall"), "functionCalls"))
        if isinstance(message.get("usageMetadata"), Mapping):
            yield UsageReported(usage_of(message["usageMetadata"]))
        yield from self._trouble(message.get("error"))
        yield from self._end(content)
        yield from self._resumption(message.get("sessionResumptionUpdate"))
        if isinstance(message.get("goAway"), Mapping):
            yield GoingAway()

    def _interruption(self, content: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if content.get("interrupted") is True:
            yield from self._said.end()
            self._samples.reset()
            self._is_answering = self._is_cut = False
            self._is_interrupted = True
            yield Interrupted()

    def _answer(self, content: Mapping[str, Any]) -> Iterator[LiveEvent]:
        said = _object(content, "outputTranscription")
        parts = _list(_object(content, "modelTurn"), "parts")
        self._is_answering = self._is_answering or bool(parts or said)
        if self._is_cut:
            return
        for part in parts:
            if isinstance(part, Mapping) and part.get("thought") is not True:
                yield from self._part(part)
        yield from self._said.add(_text(said), said.get("finished") is True)

    def _part(self, part: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if _text(part):
            yield TextDelta(_text(part))
        blob = _object(part, "inlineData")
        data, mime = blob.get("data"), str(blob.get("mimeType", "audio/pcm"))
        if not isinstance(data, str):
            return
        rate = rate_of(mime, USUAL_RATE)
        if rate is None:
            if mime not in self._unplayable and len(self._unplayable) < 10:
                self._unplayable.add(mime)
                yield ServiceNotice(f"{self.service} sent {mime[:80]!r}, which can't be played: PCM is expected")
            return
        delta = self._samples.of(data, rate)
        if delta is not None:
            yield delta

    def _requested(self, calls: Iterable[Any]) -> Iterator[LiveEvent]:
        read = tuple(self._call(call) for call in calls if isinstance(call, Mapping))
        if read:
            yield CallsRequested(read)

    def _call(self, call: Mapping[str, Any]) -> LiveCall:
        given, arguments = call.get("id"), call.get("args")
        name = call.get("name")
        return LiveCall(
            given if isinstance(given, str) and given else f"{OWN_ID}{next(self._own_ids)}",
            name if isinstance(name, str) else "",
            arguments if isinstance(arguments, dict) else {},
            "" if isinstance(arguments, dict) or arguments is None else "its arguments are no object",
        )

    def _trouble(self, told: Any) -> Iterator[LiveEvent]:
        """Report an error that ends the answer but not the connection."""
        if told is not None:
            said = str(told.get("message", told) if isinstance(told, Mapping) else told)[:500]
            error = ProviderError("server", f"{self.service} could not answer: {said}", remedy="say it again")
            yield TurnEnded(said, error=error)

    def _end(self, content: Mapping[str, Any]) -> Iterator[LiveEvent]:
        if content.get("turnComplete") is not True:
            return
        if not self._is_interrupted:  # otherwise the person is speaking
            yield from self._heard.end()
        yield from self._said.end()
        self._samples.reset()
        self._is_answering = self._is_cut = self._is_interrupted = False
        reason = str(content.get("turnCompleteReason") or "")
        is_usual = reason in ("", "TURN_COMPLETE_REASON_UNSPECIFIED")
        yield TurnEnded("" if is_usual else reason, content.get("interactionStatus") != "IN_PROGRESS")

    def _resumption(self, update: Any) -> Iterator[LiveEvent]:
        if not isinstance(update, Mapping):
            return
        handle = update.get("newHandle")
        yield Resumable(handle if update.get("resumable") is True and isinstance(handle, str) else "")


def usage_of(told: Mapping[str, Any]) -> LiveUsage:
    """Return the tokens of a report. Tokens without a breakdown count as text."""
    read = _by_modality(told, "promptTokensDetails", "promptTokenCount")
    used = _by_modality(told, "toolUsePromptTokensDetails", "toolUsePromptTokenCount")
    made = _by_modality(told, "responseTokensDetails", "responseTokenCount")
    cached = _by_modality(told, "cacheTokensDetails", "cachedContentTokenCount")
    return LiveUsage(
        input_text=read[0] + used[0],
        input_audio=read[1] + used[1],
        cached_text=cached[0],
        cached_audio=cached[1],
        output_text=made[0],
        output_audio=made[1],
        reasoning=_number(told.get("thoughtsTokenCount")),
    )


def _by_modality(told: Mapping[str, Any], details: str, total: str) -> tuple[int, int]:
    """Return tokens of text (or anything else) and of audio."""
    entries = [entry for entry in _list(told, details) if isinstance(entry, Mapping)]
    audio = sum(_number(entry.get("tokenCount")) for entry in entries if entry.get("modality") == "AUDIO")
    every = sum(_number(entry.get("tokenCount")) for entry in entries)
    return max(every, _number(told.get(total))) - audio, audio


def _number(value: Any) -> int:
    return token_count(value) or 0


def _object(message: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = message.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(message: Mapping[str, Any], key: str) -> list[Any]:
    value = message.get(key)
    return value if isinstance(value, list) else []


def _text(message: Mapping[str, Any]) -> str:
    value = message.get("text")
    return value if isinstance(value, str) else ""
