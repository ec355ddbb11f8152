"""The plugin `openai` keeps the contract, and a conversation over its wire is the one over any other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from inarch import ModelProvider
from inarch.sessions.app import App
from inarch.testing import HttpReply, HttpRequest, HttpServer, ModelContract

from ..providers.test_same_conversation import conversation, normal
from ..providers.wires import KEY, WIRES, Calls, Refused, Says
from .wire import WIRE

pytest_plugins = ["inarch.testing"]


def repeated(request: HttpRequest) -> HttpReply:
    """Repeat what was asked last, or call a tool if the request demands it."""
    if request.json.get("tool_choice") == "required":
        return WIRE.render(Calls([("echo", {"text": "a"}), ("echo", {"text": "b"})]))
    return WIRE.render(Says(["You said: ", json.dumps(request.json["input"][-1]["content"])]))


class TestOpenAI(ModelContract):
    echoes = True
    model = WIRE.model

    @pytest.fixture(autouse=True)
    def service(self, composition: Callable[..., App]) -> Iterator[None]:
        self.composition = composition
        with ExitStack() as self.stack:
            yield

    def make(self) -> ModelProvider:
        return self.provider(repeated)

    def failing(self) -> ModelProvider:
        return self.provider(lambda request: WIRE.render(Refused()))

    def provider(self, reply: Callable[[HttpRequest], HttpReply]) -> ModelProvider:
        server = self.stack.enter_context(HttpServer([reply]))
        settings = {"plugins": {"openai": {"base_url": server.url}}}
        app = self.composition(["openai"], settings, environ={"HOME": "/nowhere", WIRE.variable: KEY})
        found: ModelProvider = app.composition.models["openai"].value
        return found


def test_a_conversation_has_the_same_events_as_over_chat_completions(tmp_path: Path) -> None:
    led = []
    for wire in (WIRES[0], WIRE):
        root = tmp_path / wire.provider / "work"
        root.mkdir(parents=True)
        for name, text in (("a.txt", "ALPHA\n"), ("b.txt", "BETA\n")):
            (root / name).write_text(text, "utf-8")
        events, _ = asyncio.run(conversation(wire, root))
        led.append([(kind, {**data, "answered_by": ""}) for kind, data in normal(events, wire)])
    assert led[1] == led[0]
