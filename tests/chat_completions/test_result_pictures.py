"""A picture that a tool shows goes out in a message of the user, and a service that refuses it is asked without."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

GIF = b"GIF89a\1\0\1\0"
REFUSAL = "messages[4]: unknown variant `image_url`, expected `text`"  # DeepSeek, jcode issue 310, June 2026


def streamed(delta: dict[str, Any], end: str) -> HttpReply:
    chunks = [
        {"choices": [{"index": 0, "delta": delta}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
    ]
    said = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks)
    return HttpReply([f"{said}data: [DONE]\n\n".encode()], headers={"content-type": "text/event-stream"})


def answer(request: HttpRequest) -> HttpReply:
    if b"image_url" in request.body:
        return json_reply({"error": {"message": REFUSAL, "type": "invalid_request_error"}}, 400)
    if any(message["role"] == "tool" for message in request.json["messages"]):
        return streamed({"role": "assistant", "content": "I can't see it."}, "stop")
    function = {"name": "read_file", "arguments": '{"file_path": "a.gif"}'}
    return streamed({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}, "tool_calls")


def test_the_picture_follows_the_result_and_a_refusal_is_not_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(GIF)
    with HttpServer([answer]) as server:
        settings = {"base_url": f"{server.url}/v1"}
        profile = {"plugins": ["sandbox-fs", "openai-compatible"], "model": "openai-compatible/blind"}
        config = {"profiles": {"default": profile}, "plugins": {"openai-compatible": settings}}

        async def go() -> inarch.Turn:
            async with inarch.compose(root=tmp_path, journal=False, environ={}, config=config) as app:
                return await app.session().run("look")

        turn = asyncio.run(go())
    assert (turn.status, turn.content) == ("done", "I can't see it.")
    shown, without = (request.json["messages"] for request in server.requests[-2:])
    assert [message["role"] for message in shown[-2:]] == ["tool", "user"]
    assert [part["type"] for part in shown[-1]["content"]] == ["text", "image_url"]
    assert without[-1]["role"] == "tool" and "does not take it" in without[-1]["content"]
