"""Chunks of streamed chat completions, and what stubs of such services ask of a request."""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen

from inarch.testing import HttpReply, json_reply

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@frozen
class Refused(Exception):
    """A request that the service does not take: its own words, and the member that they are about."""

    message: str
    param: str | None = None

    def reply(self) -> HttpReply:
        """Return the response."""
        error = {"message": self.message, "type": "invalid_request_error", "param": self.param, "code": None}
        return json_reply({"error": error}, 400)


def chunk(model: str, delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a chunk."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "gen-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice], **more}


def call_delta(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the delta of a call that comes in one piece."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}


def wants_call(body: dict[str, Any]) -> bool:
    """Whether the user spoke last and tools are offered: a call comes first, then the answer."""
    return bool(body.get("tools")) and body["messages"][-1]["role"] == "user"
