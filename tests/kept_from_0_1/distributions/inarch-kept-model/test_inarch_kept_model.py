"""Tests of kept-model: what every model provider has to do, and what this one does."""

import asyncio

import inarch
from inarch.testing import ModelContract
from inarch_kept_model import KeptModel


class TestKeptModel(ModelContract):
    calls_tools = False
    echoes = True

    def make(self) -> inarch.ModelProvider:
        return KeptModel()


def test_it_says_again_what_was_asked() -> None:
    request = inarch.ModelRequest("plain", "", (inarch.Message("user", (inarch.Text("hello there"),)),))

    async def words() -> list[str]:
        return [delta.text async for delta in KeptModel().answer(request) if isinstance(delta, inarch.TextDelta)]

    assert asyncio.run(words()) == ["hello ", "there"]
