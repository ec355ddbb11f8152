"""A conversation that is too long for a service: it says so on the wire, and is asked once more with less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpRequest, json_reply, sse_reply
from inarch_testing.http_server import Answer, HttpReply

from .wire import call, calls, run, says

REFUSALS = [
    {
        "message": "This model's maximum context length is 9000 tokens. However, you requested 12345 tokens.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    },
    {
        "code": 400,
        "message": "the request exceeds the available context size (9000 tokens), try increasing it",
        "type": "exceed_context_size_error",
    },
]
MOST = 45_000
"""Characters of a request that the server takes."""


def served(refusal: dict[str, Any], seen: list[int]) -> Answer:
    """Refuse long requests as services do; otherwise ask for file after file, then answer."""

    def answer(request: HttpRequest) -> HttpReply:
        seen.append(len(request.body))
        if len(request.body) > MOST:
            return json_reply({"error": refusal}, 400)
        steps = sum(size <= MOST for size in seen) - 1
        if steps == 5:
            return sse_reply(says("all read"))
        arguments = json.dumps({"file_path": f"{steps}.txt"})
        return sse_reply(calls(call(0, f"c{steps}", "read_file", arguments)))

    return answer


def paired(messages: list[dict[str, Any]]) -> None:
    called = [one["id"] for message in messages for one in message.get("tool_calls") or ()]
    assert called == [message["tool_call_id"] for message in messages if message["role"] == "tool"]


@pytest.mark.parametrize("refusal", REFUSALS, ids=["openai", "llama.cpp"])
@pytest.mark.parametrize("known", [False, True], ids=["window unknown", "window known"])
def test_a_turn_outlives_the_window(tmp_path: Path, refusal: dict[str, Any], known: bool) -> None:
    root = tmp_path / "w"
    root.mkdir()
    for number in range(6):
        (root / f"{number}.txt").write_text(f"{number}: " + "a word and another. " * 500)
    seen: list[int] = []
    found = run(
        root,
        [served(refusal, seen)] * 20,
        provider="openai-compatible",
        settings={"context_tokens": 12_000} if known else {},
        path="/v1",
    )
    assert (found.turn.status, found.turn.content) == ("done", "all read")
    for body in found.bodies:
        paired(body["messages"])
    assert sum(size > MOST for size in seen) == (0 if known else 1)
    reasons = {event.data["reason"] for event in found.events if event.kind == "context.dropped"}
    assert reasons >= ({"window"} if known else {"refused"})
    said = [str(message["content"]) for body in found.bodies for message in body["messages"]]
    assert any("the whole is output_ref" in text or "left out for lack of room" in text for text in said)
