"""The doors are the same in a process of its own and in a replay, and are shown where sessions are shown."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_plugins.replay import replay

FILE = str(Path(__file__).parent / "every_door.py")
SCRIPT = (
    calls(
        ("write_file", {"file_path": "old.txt", "content": "text\n"}),
        ("read_file", {"file_path": "a.txt"}),
        ("read_file", {"file_path": "forbidden.txt"}),
        ("read_file", {"file_path": "wrong.txt"}),
    ),
    says("I am done."),
    says("thank you"),
)
MODES = [
    "in-process",
    pytest.param("process", marks=[pytest.mark.needs("confinement"), pytest.mark.once]),
]


@frozen
class Had:
    """A session that was had."""

    id: str
    root: Path
    options: dict[str, Any]
    events: list[inarch.Event]
    seen: list[str]
    content: str

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of all events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]


def have(root: Path, mode: str, script: Sequence[Step] = SCRIPT) -> Had:
    places = {name: value for name, value in os.environ.items() if name == "HOME" or name.startswith("XDG_")}
    config = {"isolation": {"every_door": {"mode": mode}}, "profiles": {"default": {"approve": "all"}}}
    options: dict[str, Any] = {"root": root, "config": config, "environ": places, "files": [FILE]}

    async def go() -> Had:
        app, model = scripted_app(ScriptedModel(script), journal=True, **options)
        assert app.composition.refused == ()
        session = app.session()
        turn = await session.run("go")
        events = list(app.store.load(session.id))
        parts = (part for message in model.requests[-1].messages for part in message.parts)
        seen = [inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart)]
        seen.append(model.requests[-1].messages[-1].text)
        again = app.session(session.id)
        assert again.state.earlier_messages() == session.state.earlier_messages()
        await app.aclose()
        return Had(session.id, root, options, events, seen, turn.content)

    return asyncio.run(go())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("arguments", "reason", "kind"),
    [
        ({"file_path": "halt.txt"}, "halt", "call.rewritten"),
        ({"file_path": "a.txt", "end_line": 1}, "enough", "call.reviewed"),
    ],
)
def test_a_turn_is_stopped_wherever_the_plugin_runs_and_in_a_replay_without_it(
    root: Path, mode: str, arguments: dict[str, Any], reason: str, kind: str
) -> None:
    had = have(root, mode, [calls(("read_file", arguments)), says("never said")])
    assert had.content == f"stopped by every_door: {reason}" and len(had.of(kind)) == 1
    report = asyncio.run(replay(had.id, **{**had.options, "root": str(had.root)}))
    assert report.same, report.first_difference


@pytest.mark.parametrize("mode", MODES)
def test_a_plugin_does_the_same_wherever_it_runs_and_a_replay_without_it(root: Path, mode: str) -> None:
    had = have(root, mode)
    assert had.content == "thank you"
    assert (root / "new.txt").read_text() == "text\nmended\n"
    wrote, read, denied, wrong, held = had.seen
    assert "The plugin every_door changed the arguments" in wrote and wrote.endswith(
        "\n\nAdded by every_door:\ntee ended with 0"
    )
    assert read.endswith("\n\nAdded by every_door:\na.txt has 14 bytes")
    assert "read_file is denied: every_door: read_file must not touch forbidden.txt" in denied
    assert "rewriter 'moving' could not judge this call" in wrong
    assert "every_door holds back the end of this turn: after 4 calls say thank you" in held
    assert sorted(event["text"] for event in had.of("every_door.seen"))[:3] == [
        "0 4 I am done.",
        "a.txt, 0",
        "new.txt, 1",
    ]
    (failed,) = had.of("error")
    assert "RuntimeError: never seen such a path" in failed["message"]
    report = asyncio.run(replay(had.id, **had.options))
    assert report.same, report.first_difference
    assert report.notes[-1].endswith("was steered by plugins or a service, so its changes were copied and not run")
    assert report.replayed_tree == report.tree and report.replayed_digest == report.digest
