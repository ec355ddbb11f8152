"""What happened between two turns reaches the next one once, also through a break and where old turns are let go."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inarch.contract.beside_events import CommandRan
from inarch.journal.folding import fold
from inarch.sessions.app import App
from inarch.sessions.session import Session
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_testing.scripted import Step

UNDONE = "undone or redone"
OUTPUT = "what the command said"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "root").mkdir()
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    config = {"profiles": {"default": {"context_turns": 2, "approve": "all"}}}
    return {"root": tmp_path / "root", "journal": True, "environ": environ, "config": config}


def opened(options: dict[str, Any], session_id: str | None, steps: list[Step]) -> tuple[App, ScriptedModel, Session]:
    app, model = scripted_app(steps, **options)
    return app, model, app.session(session_id)


def times_told(model: ScriptedModel, text: str) -> list[int]:
    """Return how often the prompt of each request, with what was added to it, has the text."""
    return [str(request.messages[-1]).count(text) for request in model.requests]


@pytest.mark.parametrize("turns", [1, 8])
def test_an_undo_and_a_command_before_a_break_are_told_once_after_it(options: dict[str, Any], turns: int) -> None:
    steps: list[Step] = []
    for number in range(turns):
        write = ("write_file", {"file_path": f"{number}.txt", "content": f"{number}\n"})
        steps += [calls(write), says(f"answer {number}")]
    app, _, session = opened(options, None, steps)

    async def talk() -> None:
        for number in range(turns):
            await session.run(f"prompt {number}")

    asyncio.run(talk())
    assert session.undo().done
    session.state.journal.record(CommandRan("!", "make", OUTPUT))
    session.state.journal.flush()
    live = dict(session.state.seen)
    app.close()

    app, model, session = opened(options, session.id, [says("one"), says("two")])
    assert len(session.state.turns) <= turns
    assert dict(session.state.seen) == live == dict(fold(app.store.load(session.id)).seen)
    assert f"{turns - 1}.txt" not in live  # what was undone is not as the model knows it

    async def go_on() -> None:
        await session.run("first")
        await session.run("second")

    asyncio.run(go_on())
    assert times_told(model, UNDONE) == times_told(model, OUTPUT) == [1, 0]
    app.close()

    app, model, session = opened(options, session.id, [says("three")])
    asyncio.run(session.run("third"))
    assert times_told(model, UNDONE) == times_told(model, OUTPUT) == [0]
    app.close()
