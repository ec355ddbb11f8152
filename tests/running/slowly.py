"""A plugin for the tests: a model whose answers depend on one word of the prompt."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

import inarch


def call(index: int, name: str, **arguments: Any) -> inarch.CallDelta:
    return inarch.CallDelta(index, f"c{index}", name, json.dumps(arguments))


CALLS = {
    "write": [call(0, "write_file", file_path="new.txt", content="one\ntwo\n")],
    "both": [
        call(0, "write_file", file_path="one.txt", content="1"),
        call(1, "write_file", file_path="two.txt", content="2"),
    ],
    "read": [call(0, "read_file", file_path="README.md"), call(1, "read_file", file_path="nowhere/to/be/found.md")],
}


class Slowly:
    name = "slowly"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        turn = request.messages[max(i for i, m in enumerate(request.messages) if m.role == "user") :]
        asked = turn[0].text.lower()
        if "fail" in asked:
            raise inarch.ProviderError("auth", "the key was refused", remedy="set another")
        wanted = next((calls for word, calls in CALLS.items() if word in asked and len(turn) == 1), [])
        if "circle" in request.messages[0].text and request.tool_choice != "none":
            wanted = [call(0, "list_directory")]
        for delta in wanted:
            yield delta
        if wanted:
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta("The ans")
        if "sleep" in asked:
            await asyncio.sleep(60)
        if "stuck" in asked:
            Path("stuck").touch()  # noqa: ASYNC240 - from here on nothing is awaited
            time.sleep(60)  # noqa: ASYNC251 - holds up the event loop on purpose
        yield inarch.TextDelta("wer" + ("\x1b[2J\u202e" if "control" in asked else "") + ".")
        if "long" in asked:
            yield inarch.TextDelta("\nmore" * 20_000)
        yield inarch.UsageDelta(inarch.Usage(1200, 34))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words", "answers by word")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Slowly()]
