"""Whatever happens in a session, each request to a service is a continuation of the last one, or an event says why not.

The model of these tests binds each thought to all that came before it, as services do, and keeps an account of every
thought that comes back behind something else.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch import Message, ModelRequest, Reasoning, tool
from inarch.plugins.registration import Bound
from inarch.sessions.fork import fork_session
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch.turns.session_prefix import system_text

KEY = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
LONG = "many words of a file that is read\n" * 300


class Thinker(ScriptedModel):
    """Thinks before each reply, and calls a tool as often as the prompt says; `window` is that of its service."""

    def __init__(self, name: str, window: int | None = None) -> None:
        super().__init__([], name=name)
        self.window = window
        self.bound: list[str] = []

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits(self.window)

    async def answer(self, request: ModelRequest) -> AsyncIterator[inarch.Delta]:
        self.requests.append(request)
        for place, message in enumerate(request.messages):
            for number, part in enumerate(message.parts):
                own = (part.provider_data or {}).get(self.name)
                if isinstance(part, Reasoning) and own and own["sign"] != self.sign(request, place):
                    self.bound.append(f"message {place}, part {number} of request {len(self.requests)}")
        said = _last_words(request)
        done = sum(message.role == "tool" for message in _since(request, said))
        yield inarch.ReasoningDelta(f"thought {len(self.requests)}")
        yield inarch.PartData(inarch.REASONING_INDEX, {"sign": self.sign(request, len(request.messages))})
        if request.purpose == "turn" and request.tool_choice != "none" and done < said.count("call"):
            path = "missing.txt" if "missing" in said else "a.txt"
            name = "present_plan" if "plan" in said else "read_file"
            broken = "malformed" in said and "could not be used" not in request.messages[-1].text
            arguments = '{"file_path": ' if broken else f'{{"file_path": "{path}"}}'
            yield inarch.CallDelta(0, f"id{len(self.requests)}", name, arguments)
            yield inarch.Finish("calls")
        else:
            yield inarch.TextDelta(f"answer {len(self.requests)}")
            yield inarch.Finish("stop")

    def sign(self, request: ModelRequest, place: int) -> str:
        seen = (request.system, request.tools, request.messages[:place])
        return hashlib.sha256(repr(seen).encode()).hexdigest()


def _last_words(request: ModelRequest) -> str:
    return next((one.text for one in reversed(request.messages) if one.text.startswith("prompt")), "")


def _since(request: ModelRequest, said: str) -> list[Message]:
    place = max(place for place, one in enumerate(request.messages) if one.text == said) if said else 0
    return list(request.messages[place:])


class Talk:
    """One conversation through any number of openings; forks go on with it."""

    def __init__(self, root: Path, window: int | None) -> None:
        self.root = root
        self.models = [Thinker("one", window), Thinker("two", window)]
        self.without: list[str] = []
        self.count = 0
        self.id: str | None = None
        self.events: list[inarch.Event] = []
        self.open()

    def open(self) -> None:
        options: dict[str, Any] = {
            "config": {"profiles": {"default": {"approve": "all", "context_turns": 2}}},
            "environ": {"XDG_STATE_HOME": str(self.root / "state"), "XDG_CACHE_HOME": str(self.root / "cache")},
            "without": self.without,
            "journal": True,
        }
        self.app, _ = scripted_app(self.models[0], self.root / "root", **options)
        second = self.models[1]
        bound: Bound[inarch.ModelProvider] = Bound(second.name, second, inarch.PluginContext(second.name, ""))
        self.app.composition = evolve(self.app.composition, models={**self.app.composition.models, "two": bound})
        self.session = self.app.session(self.id)
        self.id = self.session.id
        self.session.state.journal.listeners.append(self.events.append)

    async def turn(self, words: str) -> None:
        self.count += 1
        with contextlib.suppress(inarch.InarchError):
            await self.session.run(f"prompt {self.count}: {words}")

    async def do(self, step: str) -> None:
        kind, _, rest = step.partition(" ")
        if kind == "turn":
            await self.turn(rest)
        elif kind == "mode":
            self.session.set_approve(rest)
        elif kind == "limit":
            self.session.change({"max_iterations": 1})
            await self.turn("call call")
            self.session.change({"max_iterations": 50})
        elif kind == "schema":
            self.session.change({"output_schema": {"type": "object"}})
            await self.turn("schema")
            self.session.change({"output_schema": None})
        elif kind == "steer":
            self.session.say("and mind the tests")
            await self.turn("call")
        elif kind == "compact":
            self.session.compact()
        elif kind == "model":
            await self.session.set_model(rest)
        elif kind == "secret":
            self.session.state.journal.redactor.learn_values([("KEY", KEY)])
        elif kind == "resume":
            await self.app.aclose()
            self.without = ["git"] if rest else []
            self.open()
        elif kind == "fork" and self.session.turns:
            self.id = fork_session(self.app.store, self.id or "")
            await self.app.aclose()
            self.open()

    def broken(self) -> Iterator[tuple[str, str]]:
        """Yield the reason and the model of each request that does not continue the last one, as the events say."""
        yield from ((one.data["reason"], one.data["model"]) for one in self.events if one.kind == "context.broken")


STEPS = st.sampled_from([
    "turn", "turn call", "turn call call missing", "turn call malformed", "turn plan call", f"turn {KEY} call", "limit",
    "steer", "schema", "mode plan", "mode all", "compact", "model two/script", "model one/script", "secret", "resume",
    "resume without", "fork",
])  # fmt: skip


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=9), st.sampled_from([None, 16_000]))
def test_each_request_goes_on_from_the_last_one_or_an_event_says_why(steps: list[str], window: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "root").mkdir()
        (root / "root" / "a.txt").write_text(LONG)
        asyncio.run(_check(root, ["turn", *steps, "turn call"], window))


async def _check(root: Path, steps: list[str], window: int | None) -> None:
    talk = Talk(root, window)
    for step in steps:
        await talk.do(step)
    await talk.app.aclose()
    assert [one for model in talk.models for one in model.bound] == []
    reasons = [reason for reason, _ in talk.broken()]
    assert not {"older", "resumed"}.intersection(reasons)
    if "secret" not in reasons and "compaction" not in reasons:
        for model in talk.models:
            own = [request for request in model.requests if request.purpose == "turn"]
            for was, now in pairwise(own):
                assert (now.system, now.tools) == (was.system, was.tools)
                assert now.messages[: len(was.messages)] == was.messages
    may = {"service": any(step.startswith("model") for step in steps), "secret": "secret" in steps}
    may["compaction"] = window is not None or "compact" in steps
    assert all(may[reason] for reason in reasons)


class Found:
    """Brings one tool, once it is told to."""

    name = "found"

    def __init__(self) -> None:
        self.waiting: list[inarch.Tool] = []

    def new_tools(self) -> list[inarch.Tool]:
        waiting, self.waiting = self.waiting, []
        return waiting


@tool(effects=inarch.Effects())
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


def test_a_tool_that_comes_late_is_told_in_a_message_and_called_through_the_gateway(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    script = [says("first"), calls(("call_tool", {"name": "shout", "arguments": {"text": "hi"}})), says("second")]
    found, model = Found(), ScriptedModel(script)
    options: dict[str, Any] = {"journal": True, "environ": {"XDG_STATE_HOME": str(tmp_path / "state")}}
    app, _ = scripted_app(model, tmp_path / "root", **options)
    bound: Bound[inarch.LateTools] = Bound("found", found, inarch.PluginContext("found", ""))
    app.composition = evolve(app.composition, late_tools=(bound,))

    async def go() -> inarch.Session:
        session = app.session()
        await session.run("one")
        found.waiting.append(shout)
        turn = await session.run("two")
        assert [(call.name, call.status) for call in turn.calls] == [("shout", "success")]
        return session

    session = asyncio.run(go())
    first, *_, last = model.requests
    assert first.tools == last.tools and "shout" not in {spec.name for spec in first.tools}
    assert "- shout: Say it louder." in last.messages[2].text
    (result,) = last.messages[-1].parts
    assert isinstance(result, inarch.ResultPart) and (result.name, result.result.data) == ("call_tool", "HI")
    again, _ = scripted_app([], tmp_path / "root", **options)
    assert again.session(session.id).state.earlier_messages() == session.state.earlier_messages()
    asyncio.run(app.aclose())
    asyncio.run(again.aclose())


@pytest.mark.parametrize(("window", "offered"), [(None, "large"), (50_000, "large"), (49_999, "small")])
def test_a_tool_may_be_for_little_room_or_for_much(tmp_path: Path, window: int | None, offered: str) -> None:
    class Small:
        name, below_window = "small", 50_000

        def __getattr__(self, name: str) -> Any:
            return getattr(shout, name)

    large = tool(name="large", effects=inarch.Effects(), least_window=50_000)(shout.function)
    app, _ = scripted_app([], tmp_path)
    for one in (large, Small()):
        app.composition = app.composition.adding("tools", one, inarch.PluginContext("own", str(tmp_path)))
    specs = app.session().state.tools.for_model("scripted/script", window)
    assert {"large", "small"} & {spec.name for spec in specs} == {offered}
    asyncio.run(app.aclose())


def test_instructions_that_changed_are_reported_in_a_message(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    options: dict[str, Any] = {"journal": True, "environ": {"XDG_STATE_HOME": str(tmp_path / "state")}}
    kept = ""
    requests: list[ModelRequest] = []
    for instructions in ("Use tabs.", "Use spaces.", "Use spaces.", ""):
        app, model = scripted_app([says("yes")], tmp_path / "root", **options)
        session = app.session(kept or None)
        kept, session.state.instructions = session.id, instructions
        asyncio.run(session.run("go"))
        requests += model.requests
        asyncio.run(app.aclose())
    assert {request.system for request in requests} == {system_text("Use tabs.")}
    told = [request.messages[-1].text.partition("\n\n")[2] for request in requests]
    assert [("spaces" in text, "taken away" in text) for text in told] == [
        (False, False), (True, False), (False, False), (False, True),
    ]  # fmt: skip
