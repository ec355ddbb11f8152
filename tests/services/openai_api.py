"""OpenAI's API as far as Inarch uses it, with a memory.

Its replies follow simple rules on the last text of the user:
- `call N`: a call of a read-only tool in N rounds, then an answer; `both N`: two calls in each round
- `commentary`: an answer of two messages; `refuse`: a refusal; `cut`: an end at the limit of output
- else an answer
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from typing import Any

from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, json_reply, sse_reply

from .openai_events import response, stream
from .openai_rules import Memory, Refused, check_chat, version

KEY = "sk-proj-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
MODELS = ("gpt-6.2-sol", "gpt-6.1-sol", "gpt-6-luna", "gpt-5.6", "gpt-5.4", "gpt-5", "gpt-4.1")
CHARACTERS_A_TOKEN = 4
CACHE_STEP, LEAST_CACHED = 128, 1_024
"""Tokens (OpenAI's page on prompt caching, seen Nov 2026)."""


@define(eq=False)
class OpenAIService:
    """The service; `reply` answers one request.

    Attributes:
        tool: The tool that it calls, and with which arguments.
        bodies: Bodies of answered requests for responses.
        refusals: What was refused, in order.
        removed: Transformations of inputs.
        tokens: Input tokens and cached ones of each answered request.
    """

    tool: tuple[str, dict[str, Any]] = ("read_file", {"file_path": "a.txt"})
    bodies: list[dict[str, Any]] = field(factory=list)
    events: list[dict[str, Any]] = field(factory=list)
    refusals: list[str] = field(factory=list)
    removed: list[dict[str, str]] = field(factory=list)
    tokens: list[tuple[int, int]] = field(factory=list)
    paths: list[str] = field(factory=list)
    _memory: Memory = field(factory=Memory)
    _prompts: list[str] = field(factory=list)
    _count: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of input tokens that came from the cache."""
        return sum(cached for _, cached in self.tokens) / sum(tokens for tokens, _ in self.tokens)

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer a request."""
        path = request.path.removeprefix("/v1")
        self.paths.append(path)
        try:
            if request.headers.get("authorization") != f"Bearer {KEY}":
                message = "Incorrect API key provided. You can find your API key at https://platform.openai.com."
                raise Refused(message, None, 401, "invalid_api_key")
            if path == "/models":
                return json_reply({"object": "list", "data": [{"id": name, "object": "model"} for name in MODELS]})
            body = request.json
            if body["model"] not in MODELS:
                raise Refused(f"The model `{body['model']}` does not exist or you do not have access to it.", None, 404,
                              "model_not_found")  # fmt: skip
            reply = self._chat(body) if path == "/chat/completions" else self._response(body)
        except Refused as error:
            self.refusals.append(str(error))
            return json_reply(error.body, error.status)
        return reply

    def _chat(self, body: dict[str, Any]) -> HttpReply:
        check_chat(body)
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        delta = {"role": "assistant", "content": "Answer by chat."}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return sse_reply([
            {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {**head, "choices": [], "usage": usage},
        ])  # fmt: skip

    def _response(self, body: dict[str, Any]) -> HttpReply:
        removed = self._memory.check(body)
        self.removed += removed
        self._count += 1
        items = self._items(body)
        self._memory.gave(body, items)
        self.bodies.append(body)
        more: dict[str, Any] = {"usage": self._usage(body, items)}
        if removed:
            more["input_transformations"] = removed
        if _last_text(body).startswith("cut"):
            more |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        events = stream(response(self._count, f"{body['model']}-2026-11-17", items, **more))
        self.events += events
        return sse_reply([f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events], done=False)

    def _items(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the items of a reply, by the rules on the user's text."""
        number, text = self._count, _last_text(body)
        items = [_thought(number)] if version(body["model"]) >= (5, 0) else []
        if (body.get("text") or {}).get("format", {}).get("type") == "json_schema":
            return [*items, _message(number, 0, json.dumps({"requires_tool_call": False}))]
        wanted = re.search(r"\b(call|both) (\d+)\b", text)
        if wanted and _rounds(body) < int(wanted[2]) and body.get("tool_choice") != "none":
            count = 2 if wanted[1] == "both" else 1
            return [*items, *(_call(number, at, *self.tool) for at in range(count))]
        if "refuse" in text:
            return [*items, _message(number, 0, "I can't help with that.", kind="refusal")]
        if "commentary" in text:
            commentary = _message(number, 0, "First I look.", phase="commentary")
            return [*items, commentary, _message(number, 1, f"Answer {number}.", phase="final_answer")]
        return [*items, _message(number, 0, f"Answer {number}.", phase="final_answer")]

    def _usage(self, body: dict[str, Any], items: list[dict[str, Any]]) -> dict[str, Any]:
        """Count what the cache has of the input: the longest beginning that an earlier request had, in steps."""
        prompt = json.dumps([body["model"], body.get("tools"), body["input"]]).removesuffix("]]")
        tokens = len(prompt) // CHARACTERS_A_TOKEN
        common = max((_common(prompt, one) for one in self._prompts), default=0)
        cached = common // CHARACTERS_A_TOKEN // CACHE_STEP * CACHE_STEP
        cached = cached if cached >= LEAST_CACHED else 0
        self._prompts.append(prompt)
        self.tokens.append((tokens, cached))
        made = len(json.dumps(items)) // CHARACTERS_A_TOKEN
        return {
            "input_tokens": tokens, "output_tokens": made, "total_tokens": tokens + made,
            "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": tokens - cached},
            "output_tokens_details": {"reasoning_tokens": made // 2},
        }  # fmt: skip


def _thought(number: int) -> dict[str, Any]:
    """Return a thought with no, one or two sections of summary."""
    summary = [{"type": "summary_text", "text": f"**Step {number}.{at}**\n\nI look."} for at in range(number % 3)]
    secret = hashlib.sha256(str(number).encode()).hexdigest()
    return {"id": f"rs_{number}", "type": "reasoning", "summary": summary, "encrypted_content": f"gAAA{secret}"}


def _message(number: int, at: int, text: str, kind: str = "text", phase: str | None = None) -> dict[str, Any]:
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": text}
    content = part if kind == "text" else {"type": "refusal", "refusal": text}
    item = {"id": f"msg_{number}_{at}", "type": "message", "status": "completed", "role": "assistant"}
    return {**item, "content": [content], **({"phase": phase} if phase else {})}


def _call(number: int, at: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a call; the text of its arguments has blanks in every second one."""
    text = json.dumps(arguments, separators=(", ", ": ") if number % 2 else (",", ":"))
    names = {"id": f"fc_{number}_{at}", "call_id": f"call_{number}_{at}", "name": name}
    return {"type": "function_call", "status": "completed", **names, "arguments": text}


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with together."""
    longest = min(len(one), len(other))
    return bisect_left(range(1, longest + 1), True, key=lambda size: not one.startswith(other[:size]))


def _last_text(body: dict[str, Any]) -> str:
    """Return the last text of the user."""
    texts = [item["content"] for item in body["input"] if item.get("role") == "user"]
    last = texts[-1] if texts else ""
    return last if isinstance(last, str) else " ".join(part.get("text", "") for part in last)


def _rounds(body: dict[str, Any]) -> int:
    """Return in how many rounds calls were made since the user's last text."""
    items = body["input"]
    start = max((at for at, item in enumerate(items) if item.get("role") == "user"), default=0)
    made = {item["call_id"].split("_")[1] for item in items[start:] if item.get("type") == "function_call"}
    return len(made)
