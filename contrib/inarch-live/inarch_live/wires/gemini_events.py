"""Conversion of Gemini Live messages to events of the port, without I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from attrs import define, field

from inarch import ProviderError
from inarch_lib.schemas.openapi import openapi_parameters
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    GoingAway,
    History,
    Interrupted,
    LiveCall,
    LiveEvent,
    LiveResult,
    LiveSetup,
    LiveTool,
    LiveUsage,
    OutputTranscript,
    Said,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.wires.contents import Utterance, decoded, number, part

Message = dict[str, Any]

GO_ON = "Please go on where you were."
"""Prompt for a new connection if the last question is still unanswered."""


def setup_message(setup: LiveSetup, model: str) -> Message:
    """Return the first message."""
    body: Message = {
        "model": model if "/" in model else f"models/{model}",
        "generationConfig": {"responseModalities": ["AUDIO"], **_voice(setup.voice)},
        "realtimeInputConfig": {"automaticActivityDetection": {"disabled": setup.hearing == "push"}},
        "contextWindowCompression": {"slidingWindow": {}},
        "inputAudioTranscription": {},
        "outputAudioTranscription": {},
    }
    if setup.instructions:
        body["systemInstruction"] = {"parts": [{"text": setup.instructions}]}
    if setup.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool, model) for tool in setup.tools]}]
    if setup.history:
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


def result_entry(result: LiveResult, scheduling: str | None) -> Message:
    """Return one result; `scheduling` is None for a tool that the model waits for."""
    said = "output" if result.status == "success" else "error"
    entry: Message = {"name": result.name, "response": {"status": result.status, said: result.text}}
    if not result.id.startswith(OWN_ID):
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
    """Reads the messages of one connection."""

    service: str
    _heard: Utterance = field(init=False, factory=Utterance)
    _is_answering: bool = field(init=False, default=False)
    _is_cut: bool = field(init=False, default=False)
    _is_interrupted: bool = field(init=False, default=False)
    _own_ids: Iterator[int] = field(init=False, factory=lambda: count(1))

    def cut(self) -> None:
        """Ignore the rest of the present answer."""
        self._is_cut = self._is_answering

    def read(self, message: Message) -> Iterator[LiveEvent]:
        """Yield the events of a message in the port's order.

        Raises:
            ProviderError: It contains invalid audio.
        """
        content = part(message, "serverContent", dict)
        ids = tuple(one for one in part(message.get("toolCallCancellation"), "ids", list) if isinstance(one, str))
        if ids:
            yield CallsCancelled(ids)
        if content.get("interrupted") is True:
            self._is_answering = self._is_cut = False
            self._is_interrupted = True
            yield Interrupted()
        if part(message, "voiceActivity", dict).get("voiceActivityType") == "ACTIVITY_START":
            yield SpeechBegan()
        heard = part(content, "inputTranscription", dict)
        yield from self._heard.add(part(heard, "text", str), heard.get("finished") is True)
        yield from self._answer(content)
        calls = part(message.get("toolCall"), "functionCalls", list)
        if read := tuple(self._call(call) for call in calls if isinstance(call, dict)):
            yield CallsRequested(read)
        if isinstance(message.get("usageMetadata"), dict):
            yield UsageReported(usage_of(message["usageMetadata"]))
        if (trouble := message.get("error")) is not None:  # ends the answer but not the connection
            said = (part(trouble, "message", str) or str(trouble))[:500]
            error = ProviderError("server", f"{self.service} could not answer: {said}", remedy="say it again")
            yield TurnEnded(said, error=error)
        yield from self._end(content)
        if isinstance(message.get("goAway"), dict):
            yield GoingAway()

    def _answer(self, content: Message) -> Iterator[LiveEvent]:
        said = part(content.get("outputTranscription"), "text", str)
        parts = part(content.get("modelTurn"), "parts", list)
        self._is_answering = self._is_answering or bool(parts or said)
        if self._is_cut:
            return
        for one in parts:
            if isinstance(one, dict) and one.get("thought") is not True:
                yield from self._part(one)
        if said:
            yield OutputTranscript(said)

    def _part(self, one: Message) -> Iterator[LiveEvent]:
        if text := part(one, "text", str):
            yield TextDelta(text)
        blob = part(one, "inlineData", dict)
        mime, data = str(blob.get("mimeType", "audio/pcm")), part(blob, "data", str)
        if data and mime.startswith("audio/pcm"):
            rate = re.search(r"rate=(\d+)", mime)
            yield AudioDelta(decoded(data, self.service), int(rate[1]) if rate else USUAL_RATE)

    def _call(self, call: Message) -> LiveCall:
        arguments = call.get("args")
        return LiveCall(
            part(call, "id", str) or f"{OWN_ID}{next(self._own_ids)}",
            part(call, "name", str),
            part(call, "args", dict),
            "" if isinstance(arguments, dict) or arguments is None else "its arguments are no object",
        )

    def _end(self, content: Message) -> Iterator[LiveEvent]:
        if content.get("turnComplete") is not True:
            return
        if not self._is_interrupted:  # otherwise the person is speaking
            yield from self._heard.add("", is_final=True)
        self._is_answering = self._is_cut = self._is_interrupted = False
        reason = str(content.get("turnCompleteReason") or "")
        is_usual = reason in ("", "TURN_COMPLETE_REASON_UNSPECIFIED")
        yield TurnEnded("" if is_usual else reason, content.get("interactionStatus") != "IN_PROGRESS")


def usage_of(told: Message) -> LiveUsage:
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
        reasoning=number(told, "thoughtsTokenCount"),
    )


def _by_modality(told: Message, details: str, total: str) -> tuple[int, int]:
    """Return tokens of text (or anything else) and of audio."""
    entries = [entry for entry in part(told, details, list) if isinstance(entry, dict)]
    audio = sum(number(entry, "tokenCount") for entry in entries if entry.get("modality") == "AUDIO")
    every = sum(number(entry, "tokenCount") for entry in entries)
    return max(every, number(told, total)) - audio, audio
