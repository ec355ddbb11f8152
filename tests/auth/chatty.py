"""A plugin of the tests: a provider that asks with the token of the sign-in, as a real one does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch


class Chatty:
    name = "chatty"
    default_model = default_decision_model = "m"

    def __init__(self, context: inarch.PluginContext) -> None:
        authorize = inarch.bearer_of(context.environ, "OPENAI_CHATGPT_TOKEN")
        self.service = inarch.HttpService(
            "chatty", os.environ.get("PLAN_URL", "http://127.0.0.1:9"), authorize=authorize
        )

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        said = await self.service.form("/say", {"words": request.messages[-1].text})
        yield inarch.TextDelta(said["text"])
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return ()

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits(100_000, 1_000)

    def price(self, model: str) -> None:
        return None

    async def close(self) -> None:
        await self.service.close()


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Chatty(context)]
