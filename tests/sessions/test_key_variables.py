"""A key is a secret whatever its variable is called, once a plugin's setting names the variable."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import inarch
from inarch.testing import HttpServer, sse_reply

KEY = "plain looking words of a key 42"
CHUNKS = [
    {"choices": [{"index": 0, "delta": {"content": f"it was {KEY}"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


def compose(root: Path, base_url: str, environ: Mapping[str, str]) -> inarch.App:
    settings = {"base_url": base_url, "api_key_env": "COMPANY_GATEWAY"}
    return inarch.compose(
        root=root,
        config={"plugins": {"openai-compatible": settings}},
        flags={"model": "openai-compatible/m"},
        environ={"HOME": str(root), **environ},
        journal=False,
    )


async def turn_of(app: inarch.App, prompt: str) -> tuple[inarch.Turn, str]:
    try:
        session = app.session()
        events = [event.line async for event in session.stream(prompt)]
        return session.turns[-1], "\n".join(events)
    finally:
        await app.aclose()


def test_its_value_is_neither_recorded_nor_sent_nor_shown(tmp_path: Path) -> None:
    with HttpServer([sse_reply(CHUNKS)]) as server:
        app = compose(tmp_path, server.url, {"COMPANY_GATEWAY": KEY})
        turn, lines = asyncio.run(turn_of(app, f"is {KEY} good?"))
        (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in request.body and "‹secret:COMPANY_GATEWAY›".encode() in request.body
    assert turn.content == "it was ‹secret:COMPANY_GATEWAY›"
    assert KEY not in lines


def test_a_variable_that_is_not_set_or_not_named_is_no_secret(tmp_path: Path) -> None:
    app = compose(tmp_path, "http://127.0.0.1:1", {"OTHER_GATEWAY": KEY})
    assert app.redactor.text(KEY) == KEY
    app.close()
