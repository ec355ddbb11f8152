"""Ends of turns that plugins hold back: told to the model, bounded, never in the way of what must end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doors import Guarding, Talk, app_with
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inarch
from inarch.testing import calls, says

Having = Callable[..., Talk]


async def always(ending: inarch.Ending) -> str:
    return "the tests fail"


def test_the_model_is_told_why_and_goes_on_once(talk: Having) -> None:
    said = talk([says("one"), says("two"), says("three")], parts=[Guarding(always)], journal=True)
    assert (said.turn.status, said.turn.content, len(said.model.requests)) == ("done", "two", 2)
    assert (
        said.model.requests[1]
        .messages[-1]
        .text.startswith("The plugin shop holds back the end of this turn: the tests")
    )
    assert said.of("turn.held") == [{"plugin": "shop", "guard": "guarding", "reason": "the tests fail"}]
    again = said.app.session(said.session.id)
    assert again.state.earlier_messages() == said.session.state.earlier_messages()
    assert [turn.content for turn in again.turns] == ["two"]


def test_a_guard_sees_the_turn_and_may_let_it_end(talk: Having) -> None:
    seen: list[inarch.Ending] = []

    async def once_there_are_calls(ending: inarch.Ending) -> str | None:
        seen.append(ending)
        return None if ending.calls else "look at a.txt first"

    script = [says("one"), calls(("read_file", {"file_path": "a.txt"})), says("two")]
    said = talk(script, parts=[Guarding(once_there_are_calls)], flags={"max_holds": 5})
    assert said.turn.content == "two"
    assert [(one.answer, one.held, len(one.calls), one.situation.turn.content) for one in seen] == [
        ("one", 0, 0, "go"), ("two", 1, 1, "go"),
    ]  # fmt: skip


@given(most=st.integers(0, 4), guards=st.lists(st.integers(0, 3), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ends_cant_be_held_back_for_ever(root: Path, most: int, guards: list[int]) -> None:
    def wanting(times: int) -> Guarding:
        left = times

        async def hold(ending: inarch.Ending) -> str | None:
            nonlocal left
            left -= 1
            return "go on" if left >= 0 else None

        return Guarding(hold, f"wants{times}")

    script = [says(str(number)) for number in range(10)]
    said = Talk(root, script, parts=[wanting(one) for one in guards], flags={"max_holds": most, "max_iterations": 20})
    held = min(most, sum(guards))
    assert len(said.of("turn.held")) == held
    assert (said.turn.status, said.turn.content) == ("done", str(held))
    said.close()


@pytest.mark.parametrize("own", [0, 3])
def test_a_guard_with_its_own_limit_leaves_the_shared_one_to_others(talk: Having, own: int) -> None:
    parts = [Guarding(always, "own", most_holds=own), Guarding(always, "shared")]
    said = talk([says(str(n)) for n in range(9)], parts=parts, flags={"max_holds": 2, "max_iterations": 4})
    assert [held["guard"] for held in said.of("turn.held")] == ["own"] * own + ["shared"] * 2
    assert (said.turn.status, said.turn.content) == ("done", str(own + 2))


def test_a_guard_calls_tools_and_ends_the_turn_as_it_likes(talk: Having) -> None:
    results: list[inarch.ToolResult] = []

    async def fails(ending: inarch.Ending) -> None:
        results.append(await ending.call("read_file", {"file_path": "a.txt"}))
        results.append(await ending.call("no_such_tool", {}))
        results.append(await ending.call("execute_command", {"command": "no-such-program"}))
        ending.conclude("failed", "not good")

    said = talk([says("one")], parts=[Guarding(fails), Guarding(always, "never asked")], journal=True)
    assert (said.turn.status, said.turn.content, said.turn.error, said.turn.limit) == (
        "failed", "one", "not good", "guarding",
    )  # fmt: skip
    assert [one.error and one.error.code for one in results] == [None, "not_found", "denied"]
    assert [call.origin for call in said.turn.calls] == ["guard"] * 3
    again = said.app.session(said.session.id)
    assert again.state.earlier_messages() == said.session.state.earlier_messages()


def test_a_cancel_ends_it_while_a_guard_thinks(root: Path) -> None:
    async def cancelled() -> inarch.Turn:
        started = asyncio.Event()

        async def thinking(ending: inarch.Ending) -> str:
            started.set()
            await asyncio.Event().wait()
            return "never"

        app, _ = app_with(root, [says("one")], [Guarding(thinking)])
        session = app.session()
        task = asyncio.ensure_future(session.run("go"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await app.aclose()
        return session.turns[-1]

    assert asyncio.run(cancelled()).status == "cancelled"


async def _hangs(ending: inarch.Ending) -> str:
    await asyncio.Event().wait()
    return "never"


async def _raises(ending: inarch.Ending) -> str:
    raise RuntimeError("no")


async def _late(ending: inarch.Ending) -> str:
    raise TimeoutError("its own")


async def _number(ending: inarch.Ending) -> Any:
    return 7


def _plain(ending: inarch.Ending) -> Any:
    return "no coroutine"


@pytest.mark.parametrize(
    ("hold", "words"),
    [
        (_hangs, "did not answer within 0.2 s"),
        (_raises, "RuntimeError: no"),
        (_late, "TimeoutError: its own"),
        (_number, "did not return a reason as text but 7"),
        (_plain, "TypeError"),
    ],
)
def test_one_that_fails_is_reported_and_the_turn_ends(talk: Having, hold: Any, words: str) -> None:
    said = talk([says("one"), says("two")], parts=[Guarding(hold, timeout_s=0.2)])
    assert (said.turn.status, said.turn.content) == ("done", "one")
    (error,) = said.of("error")
    assert words in error["message"] and error["message"].startswith("end guard 'guarding' was skipped: ")
