"""Every provider keeps the contract over its own wire, with a service that answers to what it was asked."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from inarch import ModelProvider
from inarch.sessions.app import App
from inarch.testing import HttpReply, HttpRequest, HttpServer, ModelContract

from ..openai.wire import WIRE as OPENAI
from .wires import EACH, KEY, Calls, Refused, Says, Wire

pytest_plugins = ["inarch.testing"]
pytestmark = [  # LiteLLM's own
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*was never awaited"),  # of a request that is cancelled before it was sent
]


def served(wire: Wire) -> Callable[[HttpRequest], HttpReply]:
    """A service that repeats what it was asked last, and calls a tool where the request demands it."""

    def reply(request: HttpRequest) -> HttpReply:
        text = request.body.decode()
        demanded = json.dumps(request.json.get("tool_choice", ""))
        if '"required"' in demanded or '"any"' in demanded or '"ANY"' in text:
            return wire.render(Calls([("echo", {"text": "a"}), ("echo", {"text": "b"})]))
        return wire.render(Says(["You said: ", last_text(request.json)]))

    return reply


def last_text(body: Any) -> str:
    """The last text anywhere in a request's messages."""
    found = [""]

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                if key in ("text", "content") and isinstance(item, str):
                    found.append(item)
                else:
                    look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    look(body.get("messages") or body.get("contents") or body.get("input"))
    return found[-1]


@pytest.mark.parametrize("wire", [*EACH, pytest.param(OPENAI, id="openai")])
class TestProviders(ModelContract):
    echoes = True
    grace_s = 300.0  # importing LiteLLM takes long on a busy machine
    wire: Wire
    stack: ExitStack
    composition: Callable[..., App]

    @pytest.fixture(autouse=True)
    def service(self, wire: Wire, composition: Callable[..., App], request: pytest.FixtureRequest) -> Iterator[None]:
        self.wire, self.composition, self.model = wire, composition, wire.model
        if wire.provider == "anthropic":
            self.model = "claude-haiku-4-5"  # of later models no call can be demanded
        with ExitStack() as self.stack:
            yield
        if wire.provider == "litellm" and "cancelled" in request.node.name:
            gc.collect()  # what it left unawaited is told here, where it is expected

    def make(self) -> ModelProvider:
        return self.provider(served(self.wire))

    def failing(self) -> ModelProvider:
        return self.provider(lambda request: self.wire.render(Refused()))

    def provider(self, reply: Callable[[HttpRequest], HttpReply]) -> ModelProvider:
        wire, server = self.wire, self.stack.enter_context(HttpServer([reply]))
        settings = {wire.address: f"{server.url}{wire.path}", **wire.settings}
        app = self.composition(
            [wire.provider],
            {"plugins": {wire.provider: settings}},
            environ={"HOME": "/nowhere", wire.variable: KEY},
        )
        return app.composition.models[wire.provider].value
