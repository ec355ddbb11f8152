"""Turns that were stopped, or ended, while they waited for a service; and a model that was chosen between turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inarch
from inarch import ProviderError
from inarch.contract.other_events import ModelSwitched
from inarch.testing import says

from .recording import assert_same, project, record


def test_a_turn_whose_service_wants_to_be_left_alone_asks_nobody_again(tmp_path: Path) -> None:
    limited = ProviderError("rate_limit", "come back later", status=429, retryable=True, retry_after=900.0)
    recorded = record(project(tmp_path / "proj"), [says("hello"), [limited], says("never")], "one", "two", "three")
    events = recorded.events()
    assert sum(event.kind == "model.requested" for event in events) == 2
    assert "left alone" in [event.data["message"] for event in events if event.kind == "error"][-1]

    assert_same(recorded.replay())


def test_a_model_that_was_chosen_between_turns_is_said_again(tmp_path: Path) -> None:
    async def play(session: inarch.Session, _: inarch.App) -> None:
        await session.run("hello")
        session.state.journal.record(ModelSwitched("scripted/model", "scripted/other", "asked for with /model"))
        await session.run("and now?")

    script: list[Any] = [says("hello"), says("now")]
    assert_same(record(project(tmp_path / "proj"), script, play=play).replay())
