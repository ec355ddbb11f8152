"""Turns of the whole application over LiteLLM, and Anthropic's wire as the service speaks it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inarch.testing import HttpReply
from inarch_testing.http_server import Answer

from ..chat_completions.wire import Outcome
from ..chat_completions.wire import outcome as chat

OPENAI = "openai/large"
CLAUDE = "anthropic/claude-sonnet-4-5"
SSE = {"content-type": "text/event-stream"}
READ = '{"file_path": "a.txt"}'


def event(kind: str, **members: Any) -> bytes:
    """Return one event of Anthropic's stream."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def begin(**usage: Any) -> bytes:
    """Return the event that begins a reply."""
    counted = {"input_tokens": 10, "output_tokens": 1, **usage}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "c", "usage": counted}
    return event("message_start", message=message)


def block(index: int, first: Mapping[str, Any], *pieces: Mapping[str, Any]) -> bytes:
    """Return the events of one block of content: what it begins with, and its deltas."""
    deltas = b"".join(event("content_block_delta", index=index, delta=piece) for piece in pieces)
    return (
        event("content_block_start", index=index, content_block=first)
        + deltas
        + event("content_block_stop", index=index)
    )


def text(index: int, *pieces: str) -> bytes:
    """Return a block of text."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, signature: str, *pieces: str) -> bytes:
    """Return a block of thoughts and its signature."""
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def use(index: int, call_id: str, name: str, *pieces: str) -> bytes:
    """Return a block that calls a tool, its arguments in pieces."""
    first = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return block(index, first, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def end(reason: str | None, output_tokens: int = 7) -> bytes:
    """Return the events that end a reply."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage={"output_tokens": output_tokens}) + event("message_stop")


def stream(*events: bytes, ending: Any = "whole") -> HttpReply:
    """Return a reply that streams events."""
    return HttpReply([b"".join(events)], 200, SSE, ending)


def claude_says(said: str) -> HttpReply:
    """Return a whole reply of plain text."""
    return stream(begin(), text(0, said), end("end_turn"))


async def outcome(
    root: Path,
    replies: Sequence[Answer],
    prompts: Sequence[str] = ("what is here",),
    model: str = OPENAI,
    settings: Mapping[str, Any] | None = None,
    **flags: Any,
) -> Outcome:
    """Run turns of one session against a server of our own that plays `replies`; the last one is the outcome."""
    path = "" if model.startswith("anthropic/") else "/v1"
    flags = {"strategy": ["native"], **flags}
    return await chat(root, replies, prompts, "litellm", model, None, settings, flags, path, "api_base")


def run(*given: Any, **options: Any) -> Outcome:
    """Do the same as `outcome`, from a test that isn't asynchronous."""
    return asyncio.run(outcome(*given, **options))
