"""A plugin for the tests: a model that thinks, calls, and answers in Markdown; it waits until a file is there."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch

FIRST = "# Apples\n\nAn *apple* weighs **150"
REST = """ g** by `weigh`.

- red
- green

```python
def weigh(apples: int) -> int:
    return apples * 150
```

| name | weight |
|------|-------:|
| apple | 150 |

See [the shop](https://shop.example/apples).
"""
EDIT = {
    "file_path": "shop/basket.py",
    "search": "    return apples * 150\n",
    "replace": "    # heavier now\n    return apples * 160\n",
}


def call(index: int, name: str, **arguments: object) -> inarch.CallDelta:
    return inarch.CallDelta(index, f"c{index}", name, json.dumps(arguments))


async def told(name: str) -> None:
    while not os.path.exists(name):  # noqa: ASYNC240 - a look takes no time
        await asyncio.sleep(0.02)


class Talkative:
    name = "talkative"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        asked = max(i for i, message in enumerate(request.messages) if message.role == "user")
        step = sum(message.role == "assistant" for message in request.messages[asked:])
        if "think" in request.messages[asked].text and not step:
            yield inarch.ReasoningDelta("First I look at the basket")
            await told("thought")
        if "edit" in request.messages[asked].text and step < 2:
            name = ["read_file", "patch_source_file"][step]
            yield call(0, name, **({"file_path": EDIT["file_path"]} if step == 0 else EDIT))
            yield inarch.Finish("calls")
            return
        for character in FIRST:
            yield inarch.TextDelta(character)
        if "slowly" in request.messages[asked].text:
            await told("go")
        for character in REST:
            yield inarch.TextDelta(character)
        yield inarch.UsageDelta(inarch.Usage(1200, 34))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words", "talks")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Talkative()]
