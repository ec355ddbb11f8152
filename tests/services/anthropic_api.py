"""Anthropic's Messages API on loopback: it refuses what the service refuses, and knows what it has signed and kept.

A prompt with `call 3` makes it think and call `read_file` three times, one call a reply, before it answers; `call 2x25`
makes two replies of 25 calls each. Anything else is answered at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply

from .anthropic_rules import (
    BINDING,
    MODELS,
    Checked,
    Refused,
    blocks,
    chained,
    check,
    digest_of,
    signature,
    units,
    unmarked,
)

KEY = "sk-ant-api03-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
LEAST_KEPT = 512
LOOKS_BACK = 20
_CALLS = re.compile(r"\bcall (\d+)(?:x(\d+))?")


@define(eq=False)
class AnthropicApi:
    """The service; a context manager. `rows` say what came: its body, what was refused or dropped, and its tokens."""

    rows: list[dict[str, Any]] = field(factory=list)
    _written: dict[str, int] = field(factory=dict)
    _server: HttpServer | None = None

    def __enter__(self) -> AnthropicApi:
        self._server = HttpServer([self.reply]).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._server is not None:
            self._server.__exit__(*error)

    @property
    def url(self) -> str:
        assert self._server is not None
        return self._server.url

    @property
    def refused(self) -> list[str]:
        return [row["refused"] for row in self.rows if row["refused"]]

    @property
    def dropped(self) -> list[Any]:
        return [one for row in self.rows for one in row["dropped"]]

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer one request."""
        if request.method == "GET" and request.path.startswith("/v1/models"):
            return json_reply({"data": [_listed(name) for name in MODELS], "has_more": False})
        row: dict[str, Any] = {"path": request.path, "refused": "", "dropped": [], "thoughts": 0, "usage": {}}
        self.rows.append(row)
        try:
            row["body"] = request.json
            row["headers"] = dict(request.headers)
            if request.path != "/v1/messages":
                raise Refused("Not found", 404, "not_found_error")
            checked = check(request.json, request.headers)
            row.update(dropped=checked.dropped, thoughts=checked.thoughts)
            row["usage"] = self._usage(checked.body)
            return self._said(checked, row["usage"], BINDING in request.headers.get("anthropic-beta", ""))
        except Refused as refused:
            row["refused"] = refused.message
            error = {"type": refused.kind, "message": refused.message}
            return json_reply({"type": "error", "error": error, "request_id": "req_1"}, refused.status)

    def _usage(self, body: Any) -> dict[str, int]:
        """Count what the cache has of a request and what it takes, as the service does: at marks, looking back."""
        options = json.dumps([body.get("thinking"), body.get("tool_choice")], sort_keys=True)
        digest, total, read, seen, marks = body["model"], 0, 0, list[str](), dict[str, int]()
        for role, block in units(body):
            digest = chained(digest, (role if role in ("tools", "system") else role + options, block))
            seen.append(digest)
            total += tokens((role, block))
            if "cache_control" in block:
                read = max([read, *(self._written.get(one, 0) for one in seen[-LOOKS_BACK - 1 :])])
                marks |= {digest: total} if total >= LEAST_KEPT else {}
        self._written |= marks
        marked = max(marks.values(), default=0)
        return {
            "input_tokens": total - max(marked, read) or 1,
            "cache_creation_input_tokens": max(marked - read, 0),
            "cache_read_input_tokens": read,
        }

    def _said(self, checked: Checked, usage: dict[str, int], reports: bool) -> HttpReply:
        body = checked.body
        content, reason = self._content(body)
        made = sum(map(tokens, (("assistant", block) for block in content)))
        usage = {**usage, "output_tokens": made}
        message = {"id": f"msg_{len(self.rows)}", "type": "message", "role": "assistant", "model": body["model"],
                   "content": [], "stop_reason": None, "stop_sequence": None,
                   "usage": {**usage, "output_tokens": 1}}  # fmt: skip
        if reports:
            message["input_transformations"] = checked.dropped
        delta = {"stop_reason": reason, "stop_sequence": None}
        events = [
            {"type": "message_start", "message": message},
            {"type": "ping"},
            *(event for index, block in enumerate(content) for event in streamed(index, block)),
            {"type": "message_delta", "delta": delta, "usage": usage},
            {"type": "message_stop"},
        ]
        return reply_of(events)

    def _content(self, body: Any) -> tuple[list[Any], str]:
        """Think, then call or answer, as the last prompt and what was done since then say."""
        number, digest, content = len(self.rows), digest_of(units(body)), list[Any]()
        prompt, rounds = asked(body)
        thinking = body.get("thinking") or {}
        if thinking.get("type") in ("adaptive", "enabled"):
            if number % 3 == 0:
                content.append({"type": "redacted_thinking", "data": signature(body["model"], digest, "")})
                digest = chained(digest, ("assistant", content[-1]))
            words = f"Thought {number}: what was asked?" if thinking.get("display") == "summarized" else ""
            content.append(
                {"type": "thinking", "thinking": words, "signature": signature(body["model"], digest, words)}
            )
        found = _CALLS.search(prompt)
        may_call = body.get("tools") and body.get("tool_choice", {}).get("type") != "none"
        if found and may_call and rounds < int(found[1]):
            content.append({"type": "text", "text": "I look. "})
            for place in range(int(found[2] or 1)):
                line = rounds * 100 + place + 1
                content.append({"type": "tool_use", "id": f"toolu_{number}_{place}", "name": "read_file",
                                "input": {"file_path": "a.txt", "start_line": line, "end_line": line}})  # fmt: skip
            return content, "tool_use"
        plain = '{"requires_tool_call": false}' if "format" in body.get("output_config", {}) else f"Answer {number}."
        return [*content, {"type": "text", "text": plain}], "end_turn"


def asked(body: Any) -> tuple[str, int]:
    """Return the last prompt, and how many rounds of results have come since then."""
    rounds = 0
    for message in reversed(body["messages"]):
        given = [block["type"] for block in blocks(message)]
        if message["role"] == "user" and "tool_result" in given:
            rounds += 1
        elif message["role"] == "user":
            text = "\n".join(block.get("text", "") for block in blocks(message))
            if _CALLS.search(text) or not rounds:
                return text, rounds
    return "", rounds


def tokens(unit: tuple[str, Any]) -> int:
    return len(json.dumps(unmarked(unit[1]))) // 4


def streamed(index: int, block: Any) -> Iterator[dict[str, Any]]:
    """Yield the events of one block, its text in two pieces."""
    match block["type"]:
        case "text":
            empty, deltas = {**block, "text": ""}, [("text_delta", "text", piece) for piece in halves(block["text"])]
        case "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            deltas = [("thinking_delta", "thinking", piece) for piece in halves(block["thinking"])]
            deltas.append(("signature_delta", "signature", block["signature"]))
        case "tool_use":
            empty, written = {**block, "input": {}}, json.dumps(block["input"])
            deltas = [("input_json_delta", "partial_json", piece) for piece in ("", *halves(written))]
        case _:
            empty, deltas = block, []
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for kind, name, piece in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}}
    yield {"type": "content_block_stop", "index": index}


def reply_of(events: list[dict[str, Any]], **more: Any) -> HttpReply:
    """Return a stream of events, each with its name."""
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    return sse_reply(lines, done=False, **more)


def halves(text: str) -> list[str]:
    return [piece for piece in (text[: len(text) // 2], text[len(text) // 2 :]) if piece]


def _listed(name: str) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name.title(), "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active", "retires_at": None, "max_input_tokens": 1_000_000,
            "max_tokens": MODELS[name][1]}  # fmt: skip
