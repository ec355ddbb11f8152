"""Conversation in the form of Claude Code's transcripts, as scripts of hooks read it: a JSON object a line.

Source: the hooks of github.com/anthropics/claude-code, plugins `ralph-wiggum` and `hookify`, August 2026.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import inarch


def lines_of(situation: inarch.Situation, answer: str, root: str) -> str:
    """Return the transcript of a conversation."""
    common = {"sessionId": situation.turn.session_id, "cwd": root, "isSidechain": False}
    messages = list(situation.messages)
    if answer and not (messages and messages[-1].role == "assistant" and messages[-1].text == answer):
        messages.append(inarch.Message("assistant", (inarch.Text(answer),)))
    lines = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if blocks := list(_blocks(message)):
            line = {"type": role, "message": {"role": role, "content": blocks}, **common}
            lines.append(json.dumps(line, separators=(",", ":")))  # scripts search for "role":"assistant"
    return "".join(f"{line}\n" for line in lines)


def _blocks(message: inarch.Message) -> Iterator[dict[str, Any]]:
    for part in message.parts:
        if isinstance(part, inarch.Text):
            yield {"type": "text", "text": part.text}
        elif isinstance(part, inarch.CallPart):
            yield {"type": "tool_use", "id": part.id, "name": part.name, "input": inarch.to_data(part.arguments)}
        elif isinstance(part, inarch.ResultPart):
            result = {"tool_use_id": part.call_id, "content": inarch.result_text(part.result)}
            yield {"type": "tool_result", **result, "is_error": not part.result.success}
