"""What a long conversation holds in memory: what the model is sent, and nothing of the turns before that."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import Counter
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, sse_reply
from inarch_sdk.message_cache import SLACK

SHORT, LONG = 80, 240
"""Turns after which is counted; by the first of them all is imported, and the first snapshots are made."""
CYCLE = 60
"""Turns in which the conversation is made shorter at least once: the most that is held in so many counts."""


def answer(request: HttpRequest) -> HttpReply:
    """Answer as a service: a write for each prompt, and a text for each result."""
    messages = request.json["messages"]
    delta: dict[str, Any] = {"content": f"it is written, {len(messages)}"}
    done = "stop"
    if messages[-1]["role"] != "tool":
        arguments = json.dumps({"file_path": "a.txt", "content": messages[-1]["content"]})
        function = {"name": "write_file", "arguments": arguments}
        delta, done = (
            {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]},
            "tool_calls",
        )
    return sse_reply([{"choices": [{"index": 0, "delta": delta}]},
                      {"choices": [{"index": 0, "delta": {}, "finish_reason": done}]}])  # fmt: skip


def held() -> Counter[str]:
    """Count the living objects of our own classes."""
    gc.collect()
    kinds = (type(one) for one in gc.get_objects())
    # Of a class whose `__slots__` name it, `__module__` is no text.
    return Counter(kind.__qualname__ for kind in kinds if str(kind.__module__).startswith("inarch"))


def test_a_long_conversation_holds_what_a_shorter_one_does(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    counts: list[Counter[str]] = []

    async def talk(url: str) -> None:
        config = {
            "profiles": {"default": {"model": "openai-compatible/m", "approve": "all", "context_turns": 2}},
            "plugins": {"openai-compatible": {"base_url": f"{url}/v1", "model": "m", "context_tokens": 11_000}},
        }
        app = inarch.compose(root=tmp_path / "project", config=config)
        session, number = app.session(), 0
        app.parts.pacer.clock = lambda: 60.0 * number  # it remembers the requests of a minute
        for number in range(1, LONG + 1):
            turn = await session.run(f"prompt {number}")
            assert turn.status == "done"
            assert [call.status for call in turn.calls] == ["success"]
            server.requests.clear()
            if number == SHORT:
                gc.collect()
                gc.freeze()  # what is there by now is not looked at a hundred times
            if number in (SHORT + 1, LONG - CYCLE + 1):
                counts.append(Counter())
            if (counts and number <= SHORT + CYCLE) or number > LONG - CYCLE:
                counts[-1] |= held()
        talk = session.state
        assert talk.gone + len(talk.history) == len(session.turns) == LONG
        assert len(talk.turns) <= len(talk.history) + 1 < CYCLE + 12
        await app.aclose()

    try:
        with HttpServer([answer]) as server:
            asyncio.run(talk(server.url))
    finally:
        gc.unfreeze()
    before, after = counts
    grown = {name: after[name] - before[name] for name in after if after[name] > before[name]}
    assert max(grown.values(), default=0) <= 2 * SLACK, grown  # of messages that are remembered some go at a time
