"""A plugin for the tests: a model that makes the calls of its prompt, a JSON list of pairs, one after the other."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch


class Obeying:
    name = "obeying"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        first = max(i for i, one in enumerate(request.messages) if one.role == "user" and one.text.startswith("["))
        calls, _ = json.JSONDecoder().raw_decode(request.messages[first].text)
        step = sum(one.role == "assistant" for one in request.messages[first:])
        if step < len(calls):
            name, arguments = calls[step]
            yield inarch.CallDelta(0, f"c{step}", name, json.dumps(arguments))
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta("Done.")
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Obeying()]
