"""Gemini's generateContent as far as Inarch uses it, with a memory.

Its replies follow simple rules on the last text of the user:
- `call N`: a call of a read-only tool in N rounds, then an answer; `both N`: two calls in each round
- `safety`, `continuation`, `blocked`: a reply that is withheld, cut or never begun
- else an answer of two parts, the second of which is signed; the signature of every second one is an empty part
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from typing import Any

from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, json_reply, sse_reply

from .gemini_rules import (
    ALIASES,
    MODELS,
    SKIP,
    Memory,
    Refused,
    calls_in,
    check_order,
    check_thinking,
    turn_start,
    version,
)

KEY = "AIzaSyTHISISNOKEY0123456789abcdefghijkl"
CHARACTERS_A_TOKEN = 4
LEAST_CACHED = 4_096
"""Tokens (ai.google.dev, page on caching, seen Nov 2026)."""


@define(eq=False)
class GeminiService:
    """The service; `reply` answers one request.

    Attributes:
        tool: The tool that it calls, and with which arguments.
        bodies: Bodies of answered requests.
        chunks: What was streamed.
        refusals: What was refused, in order.
        ignored: Members that a model takes no notice of, or answers worse with.
        skipped: How many signatures the last request asked to be taken on trust.
        breaks: The numbers of answered requests that do not begin with the one before.
        tokens: Input tokens and cached ones of each answered request.
    """

    tool: tuple[str, dict[str, Any]] = ("read_file", {"file_path": "a.txt"})
    bodies: list[dict[str, Any]] = field(factory=list)
    chunks: list[dict[str, Any]] = field(factory=list)
    refusals: list[str] = field(factory=list)
    ignored: list[str] = field(factory=list)
    skipped: int = 0
    breaks: list[int] = field(factory=list)
    tokens: list[tuple[int, int]] = field(factory=list)
    _memory: Memory = field(factory=Memory)
    _prompts: list[str] = field(factory=list)

    @property
    def hit_rate(self) -> float:
        """The share of input tokens that came from the cache."""
        return sum(cached for _, cached in self.tokens) / sum(tokens for tokens, _ in self.tokens)

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer a request."""
        try:
            if request.headers.get("x-goog-api-key") != KEY:
                raise Refused("API key not valid. Please pass a valid API key.")
            if request.method == "GET":
                rows = [{"name": f"models/{one}", "supportedGenerationMethods": ["generateContent"]} for one in MODELS]
                return json_reply({"models": rows})
            found = re.fullmatch(r".*/models/([^:]+):(generateContent|streamGenerateContent\?alt=sse)", request.path)
            if found is None or found[1] not in MODELS:
                what = f"models/{found and found[1]} is not found for API version v1beta"
                raise Refused(what, 404, "NOT_FOUND")
            reply = self._content(ALIASES.get(found[1], found[1]), request.json, found[2] == "generateContent")
        except Refused as error:
            self.refusals.append(error.message)
            return json_reply(
                {"error": {"code": error.status, "message": error.message, "status": error.word}}, error.status
            )
        return reply

    def _content(self, model: str, body: dict[str, Any], is_whole: bool) -> HttpReply:
        contents, config = body["contents"], body.get("generationConfig", {})
        check_order(contents)
        check_thinking(model, config)
        self._memory.check(model, contents)
        if version(model) >= (3, 0):
            self.ignored += sorted({"temperature", "topP", "topK"} & config.keys())
        signatures = [part.get("thoughtSignature") for content in contents for part in content["parts"]]
        self.skipped = signatures.count(SKIP)
        self._look_for_a_break(body)
        self.bodies.append(body)
        parts, finish = self._parts(model, body)
        for part in parts:
            self._memory.gave(model, part)
        chunks = self._chunks(model, body, parts, finish)
        self.chunks += chunks
        if is_whole:
            return json_reply({**chunks[-1], "candidates": [_candidate(parts, finish)]})
        return sse_reply(chunks, done=False)

    def _parts(self, model: str, body: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
        """Return the parts of a reply and its end, by the rules on the user's text."""
        contents, number = body["contents"], len(self.bodies)
        if "responseJsonSchema" in body.get("generationConfig", {}):
            return [{"text": json.dumps({"requires_tool_call": False})}], "STOP"
        start = turn_start(contents)
        text = " ".join(part.get("text", "") for part in contents[start]["parts"])
        thinks = body.get("generationConfig", {}).get("thinkingConfig", {}).get("includeThoughts")
        thought = [{"text": f"**Step {number}**\n\nI look.", "thought": True}] if thinks else []
        made = sum(1 for content in contents[start:] if calls_in(content))
        wanted = re.search(r"\b(call|both) (\d+)\b", text)
        mode = body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")
        if wanted and made < int(wanted[2]) and mode != "NONE":
            name, arguments = self.tool
            is_new = version(model) >= (3, 0)
            calls: list[dict[str, Any]] = [
                {"functionCall": {"name": name, "args": arguments, **({"id": f"call-{number}-{at}"} if is_new else {})}}
                for at in range(2 if wanted[1] == "both" else 1)
            ]
            if is_new:
                calls[0]["thoughtSignature"] = _signature(model, number)
            return [*thought, *calls], "STOP"
        for word in ("safety", "continuation"):
            if word in text:
                return [*thought, {"text": "The first half"}], word.upper()
        signed = {"text": "" if number % 2 else f"Answer {number}.", "thoughtSignature": _signature(model, number)}
        return [*thought, {"text": f"I say {number}. "}, signed], "STOP"

    def _chunks(
        self, model: str, body: dict[str, Any], parts: list[dict[str, Any]], finish: str
    ) -> list[dict[str, Any]]:
        head = {"modelVersion": model, "responseId": f"r{len(self.bodies)}", "usageMetadata": self._usage(body, parts)}
        if "blocked" in json.dumps(body["contents"][-1]):
            return [{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **head}]
        pieces = [piece for part in parts for piece in _halves(part)]
        ends = ["" for _ in pieces[1:]] + [finish]
        return [{"candidates": [_candidate([one], end)], **head} for one, end in zip(pieces, ends, strict=True)]

    def _usage(self, body: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, int]:
        """Count what the cache has of the input: the longest beginning that an earlier request had."""
        prompt = json.dumps([body.get("systemInstruction"), body.get("tools"), body["contents"]]).removesuffix("]}]]")
        tokens = len(prompt) // CHARACTERS_A_TOKEN
        common = max((_common(prompt, one) for one in self._prompts), default=0) // CHARACTERS_A_TOKEN
        self._prompts.append(prompt)
        self.tokens.append((tokens, common if common >= LEAST_CACHED else 0))
        made = len(json.dumps(parts)) // CHARACTERS_A_TOKEN
        return {
            "promptTokenCount": tokens, "cachedContentTokenCount": self.tokens[-1][1], "candidatesTokenCount": made,
            "thoughtsTokenCount": made, "totalTokenCount": tokens + 2 * made,
        }  # fmt: skip

    def _look_for_a_break(self, body: dict[str, Any]) -> None:
        if not self.bodies or "responseJsonSchema" in body.get("generationConfig", {}):
            return
        before = self.bodies[-1]
        old, new = [_flat(one) for one in (before, body)]
        if new[: len(old)] != old:
            self.breaks.append(len(self.bodies))


def _flat(body: dict[str, Any]) -> list[Any]:
    """Return what a request begins with, and its parts, each with its side."""
    parts = [(content["role"], part) for content in body["contents"] for part in content["parts"]]
    return [body.get("systemInstruction"), body.get("tools"), *parts]


def _halves(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a part as it is streamed: an unsigned text comes in two pieces."""
    half = len(part.get("text", "")) // 2
    if not half or "thoughtSignature" in part:
        return [part]
    return [{**part, "text": part["text"][:half]}, {**part, "text": part["text"][half:]}]


def _candidate(parts: list[dict[str, Any]], finish: str) -> dict[str, Any]:
    ending = {"finishReason": finish} if finish else {}
    return {"content": {"parts": parts, "role": "model"}, "index": 0, **ending}


def _signature(model: str, number: int) -> str:
    return b64encode(hashlib.sha256(f"{model} {number}".encode()).digest()).decode()


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with together."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
