"""A careless server of chat completions, with a memory.

It refuses members one after the other, as different servers do, and what it answers is sloppy: a BOM before the first
event, thoughts in tags, wrong names of tools, arguments with raw line breaks under another index, no finish reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, json_reply, sse_reply

from .chat_events import Refused, chunk, wants_call

REFUSALS: Mapping[str, str] = {
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'"
    " instead.",
    "stream_options": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not"
    " permitted'}]",
    "parallel_tool_calls": "Unrecognized request argument supplied: parallel_tool_calls",
    "temperature": "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value"
    " is supported.",
    "reasoning_effort": "Unknown parameter: 'reasoning_effort'.",
    "tool_choice": 'Only "auto" is supported for tool_choice',
    "response_format": "This response_format type is unavailable now",
    "seed": "seed: Extra inputs are not permitted",
    "store": "property 'store' is unsupported",
    "prompt_cache_key": "Extra fields not permitted: prompt_cache_key",
}
NAMES = ("functions.create_file", "create_file<|channel|>commentary", "default_api:Create-File")
"""How it calls a tool."""
ROLE = "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.0.role'"


@define(eq=False)
class PoorServer:
    """The server; `reply` answers one request.

    Attributes:
        refuses: Members that it does not take, in the order in which it notices them.
        bodies: Bodies of answered requests.
        refusals: What was refused, in order.
    """

    refuses: tuple[str, ...] = ("max_tokens", "stream_options", "parallel_tool_calls")
    bodies: list[dict[str, Any]] = field(factory=list)
    refusals: list[str] = field(factory=list)

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer a request."""
        if request.path.endswith("/models"):
            return json_reply({"object": "list", "data": [{"id": "m", "object": "model"}]})
        body, refused = request.json, next((name for name in self.refuses if name in request.json), None)
        if any(message["role"] == "developer" for message in body["messages"]):
            refused = "role"
        if refused is not None:
            self.refusals.append(refused)
            return Refused(REFUSALS.get(refused, ROLE), refused).reply()
        self.bodies.append(body)
        number = len(self.bodies)
        return self._call(number) if wants_call(body) else self._answer(number)

    def _call(self, number: int) -> HttpReply:
        wrong = ("functions.create_file", "create_file<|channel|>commentary", "default_api:Create-File")[
            number // 2 % 3
        ]
        begun = {"index": 2, "id": f"c{number}", "type": "function", "function": {"name": wrong, "arguments": ""}}
        rest = {"index": 1, "function": {"arguments": f'{{"file_path": "n{number}.txt", "content": "one\ntwo\t."}}'}}
        deltas = [{"role": "assistant", "content": "<think>I must write."}, {"content": "</think>\n"}]
        return _sloppy([*deltas, {"tool_calls": [begun]}, {"tool_calls": [rest]}])

    def _answer(self, number: int) -> HttpReply:
        thoughts = ("<thi", "nk>\nSo it ", "is.\n</think>\n\n") if number % 4 else ("So it is.", "\n</think>", "\n\n")
        return _sloppy([{"content": text} for text in (*thoughts, f"Answer {number}.", "<|end|>")])


def _sloppy(deltas: list[dict[str, Any]]) -> HttpReply:
    first, *rest = (chunk("m", delta) for delta in deltas)
    return sse_reply([b"\xef\xbb\xbfdata:" + json.dumps(first).encode() + b"\n\n", *rest])
