"""The sessions of an application share what is known of a service's limits."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpServer, sse_reply

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
