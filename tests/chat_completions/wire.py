"""The wire as services speak it, and turns of the whole application over it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

import inarch
from inarch.testing import HttpRequest, HttpServer
from inarch_testing.http_server import Answer

KEY = "sk-or-v1-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
KEYS = ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")
MODEL = "acme/large"


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a chunk of a streamed reply; `more` goes to its top level."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"id": "gen-1", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice], **more}


def says(text: str) -> list[Any]:
    """Return the chunks of a reply of plain text."""
    return [chunk({"role": "assistant", "content": ""}), chunk({"content": text}), chunk({}, "stop")]


def call(index: Any, id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    """Return the delta of a fragment of a call; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    members = (("index", index), ("id", id), ("type", "function"), ("function", function))
    return {"tool_calls": [{key: value for key, value in members if value is not None}]}


def calls(*deltas: Any) -> list[Any]:
    """Return the chunks of a reply whose fragments of calls are these."""
    return [*(chunk(delta) for delta in deltas), chunk({}, "tool_calls")]


def whole(message: Any, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """Return a reply that isn't streamed."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "gen-1", "object": "chat.completion", "model": MODEL, "choices": [choice], **more}


@frozen
class Outcome:
    """What a turn came to."""

    turn: inarch.Turn
    events: Sequence[inarch.Event] = field(repr=False)
    requests: Sequence[HttpRequest] = field(repr=False)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of the requests for completions."""
        return [request.json for request in self.requests if request.method == "POST"]


async def outcome(
    root: Path,
    replies: Sequence[Answer],
    prompts: Sequence[str] = ("what is here",),
    provider: str = "openrouter",
    model: str = MODEL,
    routes: Mapping[str, Answer] | None = None,
    settings: Mapping[str, Any] | None = None,
    profile: Mapping[str, Any] | None = None,
    path: str = "/v1",
    address: str = "base_url",
) -> Outcome:
    """Run turns of one session against a server of our own that plays `replies`; the last one is the outcome."""
    with HttpServer(replies, routes or {}) as server:
        app = compose(root, server.url + path, provider, model, settings, profile, address)
        try:
            session = app.session()
            events = [event for prompt in prompts for event in [e async for e in session.stream(prompt)]]
        finally:
            await app.aclose()
    return Outcome(session.turns[-1], events, server.requests)


def compose(
    root: Path,
    base_url: str,
    provider: str = "openrouter",
    model: str = MODEL,
    settings: Mapping[str, Any] | None = None,
    profile: Mapping[str, Any] | None = None,
    address: str = "base_url",
) -> inarch.App:
    """Compose the application for a server at an address, whose setting is `address`, with keys in the environment."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "a.txt").write_text("one\ntwo\n", "utf-8")
    home = root.parent / f"{root.name}-home"
    return inarch.compose(
        root=root,
        config={"plugins": {provider: {address: base_url, **(settings or {})}}},
        flags={"model": f"{provider}/{model}" if model else provider, **(profile or {})},
        environ={"HOME": str(home), **dict.fromkeys(KEYS, KEY)},
        journal=False,
    )


def run(*given: Any, **options: Any) -> Outcome:
    """Do the same as `outcome`, from a test that isn't asynchronous."""
    return asyncio.run(outcome(*given, **options))
