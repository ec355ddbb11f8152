"""A plugin for the tests: a model that runs the command which the prompt names after a colon."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch


class Commanding:
    name = "commanding"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        last = request.messages[-1]
        if last.role == "user" and ":" in last.text:
            command = last.text.partition(":")[2].strip().split("\n")[0]  # what follows is context
            yield inarch.CallDelta(0, "c0", "execute_command", json.dumps({"command": command}))
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta("It ran.")
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words", "runs what it is told")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Commanding()]
