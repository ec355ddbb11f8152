"""The provider `live` keeps the contract of every model, over both services."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from inarch_live.model import LiveModel
from inarch_live.port import LiveCall
from inarch_live.testing import GeminiServer, LiveServer, OpenAIServer, There

import inarch
from inarch.testing import ModelContract

pytest_plugins = ["inarch.testing"]
PRICES = {"voice": {"input_text": 1, "input_audio": 2, "output_text": 3, "output_audio": 4}}


def is_asked(there: There) -> bool:
    """Whether an answer is waited for."""
    said = json.dumps(there.received)
    return '"response.create"' in said or '"turnComplete": true' in said


async def answering(there: There) -> None:
    """Call the tool that there is, else say again what was said."""
    await there.until(is_asked, "that an answer is wanted")
    if "echo" in json.dumps(there.setup.get("tools") or there.setup.get("setup", {}).get("tools", [])):
        await there.call(LiveCall("c1", "echo", {"text": "hello"}))
    else:
        await there.speak(b"\1\0" * 240, f"You said {json.dumps(there.received)[-2000:]}")
        await there.report_usage(20, 30, 4, 5)
    await there.end_turn()


class OnLoopback(ModelContract):
    echoes = True
    kind: ClassVar[type[LiveServer[Any]]]
    server: LiveServer[Any]
    refusing: LiveServer[Any]

    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        """Serve from a loop of its own: each test of the contract has its own, too."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        self.server, self.refusing = self.kind(script=answering), self.kind(refuse=(401, "no such key"))
        both = (self.server, self.refusing)
        try:
            for server in both:
                asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
            yield
            for server in both:
                asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def make(self) -> inarch.ModelProvider:
        return model(self.server)

    def failing(self) -> inarch.ModelProvider:
        return model(self.refusing)


def model(server: LiveServer[Any]) -> LiveModel:
    return LiveModel(lambda name: (server.provider(), "voice"), PRICES, "voice")


class TestGeminiLive(OnLoopback):
    kind = GeminiServer


class TestOpenAIRealtime(OnLoopback):
    kind = OpenAIServer
