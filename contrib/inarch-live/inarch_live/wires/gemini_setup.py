"""What a conversation of Gemini Live begins with, and how its messages to the service look. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from inarch_lib.schemas.openapi import openapi_parameters
from inarch_live.port import History, LiveCall, LiveResult, LiveSetup, LiveTool, Said

Message = dict[str, Any]

GO_ON = "Please go on where you were."
"""Said in the person's place where a conversation begins anew and its last question is unanswered."""


def setup_message(setup: LiveSetup, model: str) -> Message:
    """Return the first message.

    Args:
        setup: What the caller wants.
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
    """Return what went before, which the service only takes in before anything else, and doesn't answer."""
    turns = [{"role": role, "parts": [{"text": text}]} for role, text in map(_told, history) if text]
    return {"clientContent": {"turns": turns, "turnComplete": True}}


def text_message(text: str, model: str) -> Message:
    """Return typed text; models of the second generation take it as a turn, later ones only while they listen."""
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
    if "gemini-3.1" not in model:  # which knows no other behaviour than waiting, and refuses the word
        declaration["behavior"] = "BLOCKING" if waits(tool, model) else "NON_BLOCKING"
    return declaration


def _voice(name: str) -> Message:
    return {"speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": name}}}} if name else {}


def _told(piece: History) -> tuple[str, str]:
    """Return a piece of history as somebody's words: calls can't be part of it."""
    match piece:
        case Said(role, text):
            return ("user" if role == "user" else "model"), text
        case LiveCall(_, name, arguments):
            return "model", f"(called {name} with {_json(arguments)})"
        case LiveResult(_, name, status, text):
            return "user", f"(result of {name}, {status}: {text})"


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)
