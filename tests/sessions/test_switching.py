"""Another model or another way to approve for the rest of a session, through the session itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import calls, says, scripted_app


def test_another_model_answers_from_the_next_turn_on_and_it_is_recorded(tmp_path: Path) -> None:
    app, model = scripted_app([says("one"), says("two")], tmp_path)
    with app:
        session = app.session()

        async def talk() -> list[str]:
            first = await session.run("hello")
            assert await session.set_model("scripted/other") == "scripted/other"
            assert await session.set_model("scripted/other") == "scripted/other"
            return [first.model, (await session.run("again")).model]

        assert asyncio.run(talk()) == ["scripted/script", "scripted/other"]
        switched = [event.data for event in app.store.load(session.id) if event.kind == "model.switched"]
    assert [(one["old"], one["new"]) for one in switched] == [("scripted/script", "scripted/other")]
    assert model.requests[1].model.endswith("other")


def test_a_model_that_nobody_provides_leaves_everything_as_it_was(tmp_path: Path) -> None:
    app, _ = scripted_app([says("one")], tmp_path)
    with app:
        session = app.session()
        with pytest.raises(inarch.ConfigError, match="absent"):
            asyncio.run(session.set_model("absent/model"))
        assert asyncio.run(session.run("hello")).model == "scripted/script"


@pytest.mark.parametrize(("level", "runs"), [("ask", False), ("edits", True), ("all", True), ("none", False)])
def test_what_runs_without_a_question_can_change_between_two_turns(tmp_path: Path, level: str, runs: bool) -> None:
    made = calls(("create_file", {"file_path": "new.txt", "content": "x"}))
    app, _ = scripted_app([says("first"), made, says("done")], tmp_path)
    with app:
        session = app.session()

        async def talk() -> inarch.Turn:
            await session.run("hello")
            session.set_approve(level)
            return await session.run("make it")

        turn = asyncio.run(talk())
    assert (tmp_path / "new.txt").exists() is runs
    assert turn.calls[0].status == ("success" if runs else "error")


def test_keys_of_the_profile_change_between_two_turns_and_stand_in_the_record(tmp_path: Path) -> None:
    app, _ = scripted_app([says("one"), says("two")], tmp_path)
    with app:
        session = app.session()
        asyncio.run(session.run("hello"))
        session.change({"max_iterations": 3, "max_cost_usd": "0.50", "strategy": [], "context_turns": 0})
        asyncio.run(session.run("again"))
        session.state.journal.flush()
        kept = [one.data["settings"] for one in app.store.load(session.id) if one.data.get("settings")]
    said = [(one["max_iterations"], one["max_cost_usd"], one["strategy"]) for one in kept]
    assert said == [(50, None, ["native"]), (3, "0.50", [])]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"max_iteration": 3}, "'max_iteration' can't be changed in a session (did you mean 'max_iterations'?)"),
        ({"store": "memory"}, "'store' can't be changed in a session"),
        ({"max_iterations": 0}, "max_iterations must be 1 or more, not 0"),
        ({"max_iterations": 3, "strategy": ["absent"]}, "no plugin provides the strategy 'absent'"),
    ],
)
def test_a_change_that_makes_no_sense_changes_nothing(tmp_path: Path, settings: Any, complaint: str) -> None:
    app, _ = scripted_app([says("one")], tmp_path)
    with app:
        session = app.session()
        before = session.state.config
        with pytest.raises(inarch.InarchError) as error:
            session.change(settings)
        assert complaint in str(error.value)
        assert session.state.config is before
