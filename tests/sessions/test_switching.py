"""Another model or another way to approve for the rest of a session, through the session itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

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


def test_a_level_that_is_none_is_refused(tmp_path: Path) -> None:
    app, _ = scripted_app([says("one")], tmp_path)
    with app, pytest.raises(inarch.UsageError, match="no way to approve"):
        app.session().set_approve("sometimes")
