"""What a conversation of OpenAI Realtime begins with, and how its messages to the service look. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from inarch_live.port import History, LiveCall, LiveResult, LiveSetup, LiveTool, Said

Message = dict[str, Any]

RATE = 24_000
"""Samples a second, both ways: the only rate of PCM that the service takes."""
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
    """Yield the messages that add what went before."""
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
    """Return the message that adds what the person typed."""
    return _added({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})


def result_item(result: LiveResult) -> Message:
    """Return the message that adds a result; the status is part of its text, since the service has no place for it."""
    output = json.dumps({"status": result.status, "text": result.text}, ensure_ascii=False)
    return _added({"type": "function_call_output", "call_id": result.id, "output": output})


def truncation(item_id: str, content_index: int, heard_ms: int) -> Message:
    """Return the message that takes out of an answer what was not heard."""
    place = {"item_id": item_id, "content_index": content_index, "audio_end_ms": heard_ms}
    return {"type": "conversation.item.truncate", **place}


def _added(item: Message) -> Message:
    return {"type": "conversation.item.create", "item": item}


def _tool(tool: LiveTool) -> Message:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": parameters}
