"""Work trees from the command line: processes that are killed, little room, replay and undo."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from .test_command_line import Place, _events, calls, says, task
from .test_trees import BUILDER, git

NO_GIT = pytest.mark.needs("git")
NEW = ("write_file", {"file_path": "new.txt", "content": "new\n"})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.config / "agents" / "builder.md").write_text(BUILDER)
    git(made.root, "init", "-q", "-b", "main")
    git(made.root, "add", ".")
    git(made.root, "commit", "-qm", "first")
    return made


def own(place: Place) -> Path:
    return place.config.parent.parent / "state/inarch/plugins/agents"


def change_of(events: list[Any]) -> str:
    results = [event["data"]["result"]["data"] for event in events if event["kind"] == "call.result"]
    return next(str(data["change"]) for data in results if isinstance(data, dict) and data.get("change"))


def in_trees(place: Place) -> list[Path]:
    return list((own(place) / "trees").iterdir())


@NO_GIT
def test_a_kill_loses_no_change_that_was_finished_and_the_next_start_takes_up_what_was_not(place: Place) -> None:
    second = ("write_file", {"file_path": "second.txt", "content": "second\n"})
    place.scripts = {
        "parent": [calls(task("builder", "child")), calls(task("builder", "second"))],
        "child": [calls(NEW), says("made it")],
        "second": [calls(second), ["stuck"]],
        "next": [says("on")],
    }
    with place.serving():
        process = place.start("parent", "--approve", "all", "--output", "jsonl")
        assert place.stuck.wait(60)
        assert len(in_trees(place)) == 1 and git(place.root, "worktree", "list").count("\n") == 2
        os.kill(process.pid, signal.SIGKILL)
        first = change_of(_events(process.communicate()[0]))
        again = _events(place.run("next", "--output", "jsonl"))
        notes = [event["data"]["text"] for event in again if event["kind"] == "note"]
        changes = {
            path.name: json.loads((path / "change.json").read_text()) for path in (own(place) / "changes").iterdir()
        }
        assert [*changes[first]["files"]] == ["new.txt"]
        (second_change,) = changes.keys() - {first}
        assert [*changes[second_change]["files"]] == ["second.txt"]
        assert any(second_change in note for note in notes) and not in_trees(place)
        assert git(place.root, "worktree", "list").count("\n") == 1
        merging = [("merge_task", {"change": one}) for one in (first, second_change)]
        place.scripts["merge"] = [calls(*merging), says("merged")]
        place.run("merge", "--approve", "all")
    assert (place.root / "new.txt").read_text() == "new\n" and (place.root / "second.txt").read_text() == "second\n"
