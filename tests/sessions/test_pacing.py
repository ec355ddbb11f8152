"""The sessions of an application share what is known of a service's limits."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpServer, json_reply, sse_reply

NAME = "openai-compatible/small"
GOOD = sse_reply([{"choices": [{"index": 0, "delta": {"content": "well"}, "finish_reason": "stop"}]}])


def compose(root: Path, server: HttpServer, settings: dict[str, Any], **profile: Any) -> inarch.App:
    config = {
        "profiles": {"default": {"model": NAME, **profile}},
        "plugins": {"openai-compatible": {"base_url": f"{server.url}/v1", **settings}},
    }
    return inarch.compose(root=root, config=config, journal=False, environ={"XDG_STATE_HOME": str(root / "state")})


async def first(events: Any, kind: str) -> dict[str, Any]:
    """Return the data of the first event of a kind, and leave the turn."""
    async with aclosing(events):
        async for event in events:
            if event.kind == kind:
                return dict(event.data)
    raise AssertionError(f"no {kind}")


def test_a_session_waits_for_the_requests_of_another(tmp_path: Path) -> None:
    async def go(app: inarch.App) -> dict[str, Any]:
        try:
            turn = await app.session().run("one")
            assert turn.content == "well"
            return await first(app.session().stream("two"), "limit.wait")
        finally:
            await app.aclose()

    with HttpServer([GOOD]) as server:
        wait = asyncio.run(go(compose(tmp_path, server, {"requests_per_minute": 1})))
        assert len(server.requests) == 1
    assert wait["model"] == NAME and wait["reason"] == "no more than 1 request a minute"


def test_a_model_that_asked_for_a_long_wait_is_not_asked_by_the_next_turn(tmp_path: Path) -> None:
    async def go(app: inarch.App) -> list[str]:
        try:
            switched = []
            for _ in range(2):
                events = app.session().stream("hello")
                switched.append((await first(events, "model.switched"))["reason"])
            return switched
        finally:
            await app.aclose()

    busy = json_reply({"error": {"message": "slow down"}}, 429, retry_after="900")
    with HttpServer([busy, GOOD]) as server:
        app = compose(tmp_path, server, {}, fallback=["offline/extractive"])
        one, two = asyncio.run(go(app))
        assert len(server.requests) == 1
    assert "slow down" in one
    assert "it can be asked again at" in two


def test_the_limit_of_time_ends_a_wait(tmp_path: Path) -> None:
    async def go(app: inarch.App) -> inarch.Turn:
        try:
            await app.session().run("one")
            return await app.session().run("two")
        finally:
            await app.aclose()

    for seconds in (2, 30):  # more if the machine stood still in the first turn
        with HttpServer([GOOD]) as server:
            turn = asyncio.run(go(compose(tmp_path, server, {"requests_per_minute": 1}, max_seconds=seconds)))
            requests = len(server.requests)
        if requests == 1 and "request a minute" in turn.content:
            break
    assert requests == 1
    assert (turn.status, turn.limit) == ("limited", "max_seconds")
    assert "no more than 1 request a minute" in turn.content
