"""What was said while a turn ran comes again at the same place; what a prompt began with is part of that prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inarch
from inarch import ModelRequest
from inarch.testing import Step, calls, says

from .recording import assert_same, project, record

READ = ("read_file", {"file_path": "shop/basket.py"})
LIST = ("list_files", {"pattern": "**/*.py"})


def test_a_session_with_words_said_meanwhile_replays(tmp_path: Path) -> None:
    root, open_ones = project(tmp_path / "proj"), list[inarch.Session]()

    def say(*texts: str, then: Step) -> Any:
        def step(request: ModelRequest) -> Step:
            for text in texts:
                open_ones[0].say(text)
            return then

        return step

    async def play(session: inarch.Session, app: inarch.App) -> None:
        open_ones.append(session)
        session.say("said before any turn")
        await session.run("look")
        await session.run()

    script = [
        say("one", "two", then=calls(READ, LIST)),
        say("three", then=calls(READ)),
        say("late", then=says("That is all.")),
        says("And that."),
    ]
    recorded = record(root, script, play=play)
    report = recorded.replay()

    assert_same(report)
    ended = [event.data for event in recorded.events() if event.kind == "input.ended"]
    assert [(one["text"], one["outcome"]) for one in ended] == [
        ("said before any turn", "prompt"), ("one", "added"), ("two", "added"), ("three", "added"), ("late", "prompt"),
    ]  # fmt: skip
