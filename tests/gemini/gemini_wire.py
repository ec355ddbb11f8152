"""A scripted server in the place of the API, and the whole application in front of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpReply, HttpServer, sse_reply

KEY = "AIzaSyTHISISNOKEY0123456789abcdefghijkl"
STREAM = "/v1beta/models/gemini-flash-latest:streamGenerateContent?alt=sse"
PLUGINS = ["sandbox-fs", "sqlite-store", "gemini"]


def candidate(*parts: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a chunk with these parts; a plain text is a part of text."""
    said = [{"text": part} if isinstance(part, str) else part for part in parts]
    content: dict[str, Any] = {"content": {"parts": said, "role": "model"}} if said else {}
    ending = {"finishReason": finish} if finish else {}
    return {"candidates": [{**content, **ending, "index": 0, **more}]}


def call(name: str, arguments: Any = None, signature: str = "", **more: Any) -> dict[str, Any]:
    """Return a part that calls a function."""
    part: dict[str, Any] = {"functionCall": {"name": name, "args": arguments or {}, **more}}
    return {**part, "thoughtSignature": signature} if signature else part


def reply(*parts: Any, finish: str = "STOP", usage: dict[str, int] | None = None) -> HttpReply:
    """Return a reply of one chunk."""
    return sse_reply([{**candidate(*parts, finish=finish), "usageMetadata": usage or {}}], done=False)


class Talk:
    """One session with the service as `server` plays it."""

    def __init__(self, server: HttpServer, root: Path, settings: dict[str, Any], profile: dict[str, Any]) -> None:
        self.server = server
        self.root = root
        table = {"base_url": f"{server.url}/v1beta", "silence_s": 0.4, **settings}
        self.config = {
            "profiles": {"default": {"plugins": PLUGINS, "model": "gemini", "approve": "all", **profile}},
            "plugins": {"gemini": table},
        }
        self.events: list[inarch.Event] = []
        self.shown = ""

    def run(self, *prompts: str, session: str | None = None) -> list[inarch.Turn]:
        """Run turns in one session and return them."""
        return asyncio.run(self._run(prompts, session))

    async def _run(self, prompts: Sequence[str], session_id: str | None) -> list[inarch.Turn]:
        app = inarch.compose(root=self.root, config=self.config)
        assert app.composition.refused == (), app.composition.refused
        session = app.session(session_id)
        self.session_id = session.id
        turns = []
        for prompt in prompts:
            async for event in session.stream(prompt):
                self.events.append(event)
            turns.append(session.turns[-1])
        self.shown = "\n".join(event.line for event in self.events) + repr(turns) + repr(app.composition)
        await app.aclose()
        return turns

    def bodies(self) -> list[Any]:
        """Return what was posted."""
        return [json.loads(request.body) for request in self.server.requests if request.method == "POST"]


Talks = Callable[..., Talk]
"""`talk(*replies, routes=, settings=, **profile)`."""
