"""Bodies are what OpenAI's own types take, but for the thoughts of services that sent some."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpServer, sse_reply

from ..services.deepseek_api import DeepSeekApi
from ..services.typed import wrong
from .wire import call, calls, compose, says

completion_create_params = pytest.importorskip("openai.types.chat.completion_create_params")
PROFILE = {
    "strategy": ["structured", "native"], "decision_model": "openai-compatible/small", "approve": "all",
    "effort": "high", "max_cost_usd": 1.0,
}  # fmt: skip
PRICES = {"input_price": 1, "output_price": 1}


def bodies(root: Path, server: HttpServer, model: str) -> list[Any]:
    async def go() -> None:
        async with compose(root, f"{server.url}/v1", "openai-compatible", model, PRICES, PROFILE) as app:
            session = app.session()
            for prompt in ("read it", "and again"):
                assert (await session.run(prompt)).status == "done"

    asyncio.run(go())
    return [request.json for request in server.requests if request.method == "POST"]


def test_bodies_have_no_member_that_openai_does_not_know(tmp_path: Path) -> None:
    replies = [
        sse_reply(says("no JSON")), sse_reply(calls(call(0, "c", "read_file", '{"file_path": "a.txt"}'))),
        sse_reply(says("well")),
    ]  # fmt: skip
    with HttpServer(replies) as server:
        sent = bodies(tmp_path / "w", server, "m")
    assert [body["model"] for body in sent] == ["small", "m", "m", "small", "m"]
    for body in sent:
        assert wrong(body, completion_create_params.CompletionCreateParamsStreaming) == []


def test_thoughts_are_the_only_other_member_where_they_came(tmp_path: Path) -> None:
    with HttpServer([DeepSeekApi().reply]) as server:
        sent = bodies(tmp_path / "w", server, "deepseek-flash")
    lines = [line for body in sent for line in wrong(body, completion_create_params.CompletionCreateParamsStreaming)]
    assert lines and all("reasoning_content: unknown member" in line for line in lines), lines
