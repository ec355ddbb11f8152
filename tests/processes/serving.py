"""A plugin for the tests: a model that starts what follows `start:`, and says what it was told."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch


class Serving:
    name = "serving"
    default_model = default_decision_model = "starts"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        last = request.messages[-1]
        texts = [part.text for part in last.parts if isinstance(part, inarch.Text)]
        words = texts[0] if texts else ""
        if last.role == "user" and words.startswith("start: "):
            command, _, slow = words.removeprefix("start: ").partition(" then ")
            yield inarch.CallDelta(0, "c0", "start_process", json.dumps({"command": command}))
            if slow:
                yield inarch.CallDelta(1, "c1", "execute_command", json.dumps({"command": slow}))
            yield inarch.Finish("calls")
            return
        for text in texts:
            yield inarch.TextDelta(f"was told {' '.join(text.split())}\n\n")
        yield inarch.TextDelta("so it is")
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("starts", "starts processes")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Serving()]
