"""What an isolated plugin offers passes the suites that every plugin's does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any

import pytest
from isolated_apps import make

import inarch
from inarch.testing import (
    ChildContract,
    InboxContract,
    ModelContract,
    StoreContract,
    StrategyContract,
    ToolContract,
    TracerContract,
)

PLUGIN = '''
import asyncio
from typing import Literal

import inarch


@inarch.tool(effects=inarch.Effects())
async def repeat(text: str, context: inarch.ToolContext, times: int = 1, when: Literal["now", "never"] = "now") -> dict:
    """Repeat a text.

    Args:
        text: What to repeat.
        times: How often.
        when: When to answer.
    """
    context.emit(text)
    await asyncio.sleep(600 if when == "never" else 0)
    if times < 0:
        raise inarch.ToolFailed("validation", "times must be 0 or more", "give 0 or more")
    return {"text": text * min(times, 100)}


@inarch.tool(effects=inarch.Effects(), timeout_s=0.0)
async def ask(prompt: str, context: inarch.ToolContext) -> str:
    """Have somebody else answer.

    Args:
        prompt: What is asked.
    """
    done = await context.child(inarch.ChildTask("helper", prompt))
    if done.turn.status != "done":
        raise inarch.ToolFailed("execution", "there is no answer", "ask again")
    return done.turn.content


@inarch.tool(effects=inarch.Effects())
def remind(text: str, context: inarch.ToolContext) -> str:
    """Say something to the model.

    Args:
        text: What to say.
    """
    context.inbox.say(f"remember: {text[:500]}")
    return "said"


class Parrot:
    """Says back what was said."""

    name, default_model, default_decision_model = "parrot", "grey", "grey"

    async def answer(self, request):
        said = request.messages[-1].text if request.messages else ""
        yield inarch.TextDelta(said or "...")
        yield inarch.UsageDelta(inarch.Usage(1, 1))
        yield inarch.Finish("stop")

    async def models(self):
        return [inarch.ModelInfo("grey")]

    def limits(self, model):
        return inarch.Limits()

    def price(self, model):
        return None

    async def close(self):
        pass


class LookFirst:
    """Lists files first."""

    name = "look-first"

    async def decide(self, situation):
        known = {tool.name for tool in situation.tools}
        if "list_files" not in known or not situation.turn.content.strip():
            return None
        return inarch.Decision("call_tools", (inarch.PlannedCall("list_files", {}),), strategy="look-first")


class Counter:
    """Counts results."""

    name = "counting"

    def __init__(self):
        self.counts = {}

    def saw(self, event):
        if event.kind == "call.result":
            self.counts[event.turn_id] = self.counts.get(event.turn_id, 0) + 1

    def summary(self, turn_id):
        count = self.counts.pop(turn_id, 0)
        return f"{count} calls" if count else None

    def close(self):
        pass


@inarch.hookimpl
def inarch_models(context):
    return [Parrot()]


@inarch.hookimpl
def inarch_strategies(context):
    return [LookFirst()]


@inarch.hookimpl
def inarch_tracers(context):
    return [Counter() for _ in range(100)]


@inarch.hookimpl
def inarch_stores(context):
    return [inarch.StoreSpec("remembering", lambda path: inarch.open_store("memory", path))]
'''
_OPEN: list[inarch.App] = []


@cache
def app() -> inarch.App:
    folder = Path(mkdtemp(prefix="inarch-suites-"))
    file = folder / "suited.py"
    file.write_text(PLUGIN)
    _OPEN.append(make(folder, files=(str(file),), children=True))
    assert _OPEN[0].composition.refused == ()
    return _OPEN[0]


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    import shutil

    for one in _OPEN:
        asyncio.run(one.aclose())
        shutil.rmtree(Path(one.config.root).parent, ignore_errors=True)
    _OPEN.clear()
    app.cache_clear()


class TestIsolatedTool(ToolContract):
    valid = ({"text": "a"}, {"text": "ü", "times": 2})
    failing = ({"text": "a", "times": -1},)
    slow: Any = MappingProxyType({"text": "a", "when": "never"})
    repeatable = True

    def make(self) -> Any:
        return app().composition.tools["repeat"].value


class TestIsolatedParent(ChildContract):
    arguments = MappingProxyType({"prompt": "How is the moon?"})

    def make(self) -> Any:
        return app().composition.tools["ask"].value


class TestIsolatedInbox(InboxContract):
    arguments = MappingProxyType({"text": "the tea is ready"})

    def make(self) -> Any:
        return app().composition.tools["remind"].value


class TestIsolatedModel(ModelContract):
    calls_tools = False

    def make(self) -> Any:
        return app().composition.models["parrot"].value


class TestIsolatedStrategy(StrategyContract):
    def make(self) -> Any:
        return app().composition.strategies["look-first"].value


class TestIsolatedTracer(TracerContract):
    taken = 0

    def make(self) -> Any:
        type(self).taken += 1
        return app().composition.tracers[-type(self).taken].value


class TestIsolatedStore(StoreContract):
    def make(self, path: str) -> Any:
        return app().composition.stores["remembering"].value.open(path)
