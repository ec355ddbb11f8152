"""Rarer sessions replay, too: killed ones, long outputs, pictures, other models that took over, lasting approvals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch import Approval, PluginContext, ProviderError
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, calls, says

from .recording import assert_same, project, record, resume

READ = ("read_file", {"file_path": "shop/basket.py"})
PATCH = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 15", "replace": "* 150"})
ALL = {"approve": "all"}


def test_long_outputs_and_what_is_read_of_them_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    (root / "long.txt").write_text("".join(f"line {number} of many\n" for number in range(9_000)))
    (root / "count.py").write_text("for n in range(20_000):\n    print('number', n)\n")
    argv = [sys.executable, "count.py"]
    run = ("execute_command", {"command": " ".join(argv)})

    def read_more(request: inarch.ModelRequest) -> Any:
        results = [part.result for message in request.messages for part in message.parts if hasattr(part, "result")]
        refs = [result.metadata["output_ref"] for result in results if result.metadata.get("output_ref")]
        return calls(*(("read_output", {"output_ref": ref, "offset": 1000, "limit": 100}) for ref in refs))

    script = [calls(("read_file", {"file_path": "long.txt"}), run), read_more, says("done")]
    recorded = record(root, script, "look", flags=ALL, config={"commands": {"count": {"argv": argv}}})
    more = [call for call in recorded.turns[0].calls if call.name == "read_output"]
    assert more
    assert all(call.status == "success" for call in more), more

    assert_same(recorded.replay())


def test_a_command_that_prints_the_workspace_and_leaves_a_cache_replays(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    (root / "where.py").write_text("import shop.basket\nprint(shop.basket.__file__)\n")
    argv = [sys.executable, "where.py"]
    script = [calls(("execute_command", {"command": " ".join(argv)})), says("done")]
    recorded = record(root, script, "look", flags=ALL, config={"commands": {"where": {"argv": argv}}})
    (result,) = [event.data["result"] for event in recorded.events() if event.kind == "call.result"]
    assert str(root) in result["data"]["output"]
    assert any("__pycache__" in event.data["path"] for event in recorded.events() if event.kind == "file.changed")

    assert_same(recorded.replay())


def test_pictures_that_were_mentioned_or_read_are_seen_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    picture = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c6360606060000000050001"
        "a5f645400000000049454e44ae426082".replace(" ", "")
    )
    (root / "shot.png").write_bytes(picture)
    script = [calls(("read_file", {"file_path": "shot.png"})), says("A dot.")]
    recorded = record(root, script, "what is in @shot.png?")
    assert any(event.data["images"] for event in recorded.events() if event.kind == "context.added")
    (result,) = [event.data["result"] for event in recorded.events() if event.kind == "call.result"]
    assert len(result["metadata"]["images"]) == 1 and "images" not in result

    assert_same(recorded.replay())


def test_another_model_that_took_over_takes_over_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    standby = ScriptedModel([calls(READ), says("It stands by.")], name="standby")

    async def play(session: inarch.Session, app: inarch.App) -> None:
        bound: Bound[inarch.ModelProvider] = Bound("standby", standby, PluginContext("standby", app.config.root))
        talk = session.state
        talk.parts = evolve(talk.parts, models={**talk.parts.models, "standby": bound})
        talk.config = evolve(talk.config, profile=evolve(talk.config.profile, fallback=("nobody/x", "standby/script")))
        await session.run("ask")

    script = [[ProviderError("quota", "the money is gone", status=402, remedy="pay")]]
    recorded = record(root, script, play=play)
    assert recorded.turns[0].content == "It stands by."

    assert_same(recorded.replay())


class Lasting:
    """Approves with a scope, once; whatever is asked later is denied."""

    name = "lasting"

    def __init__(self, scope: Any) -> None:
        self.scope = scope
        self.asked = 0

    def show(self, event: inarch.Event) -> None:
        """Show nothing."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[Approval]:
        """Approve the first batch."""
        self.asked += 1
        outcome: Any = "approve" if self.asked == 1 else "deny"
        return [Approval(request.call.id, outcome, self.scope if outcome == "approve" else "once") for request in batch]

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize("scope", ["shape", "tool", "session", "project"])
def test_lasting_approvals_last_as_long_as_they_did(tmp_path: Path, scope: str) -> None:
    root = project(tmp_path / "proj")
    back = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 150", "replace": "* 15"})
    other = ("create_file", {"file_path": "x", "content": "x"})
    script = [calls(READ, PATCH), calls(back, other), says("done")]
    recorded = record(root, script, "go", front_end=Lasting(scope))
    resume(recorded, [calls(PATCH), calls(back), says("done")], "again", front_end=Lasting(scope))

    assert_same(recorded.replay())


def test_the_older_records_without_settings_replay(tmp_path: Path) -> None:
    from inarch import Event

    root = project(tmp_path / "proj")
    recorded = record(root, [calls(READ, PATCH), says("done")], "go", flags=ALL)

    def older(events: list[Event]) -> list[Event]:
        return [
            Event(e.seq, e.time, e.session_id, e.turn_id, e.kind,
                  {k: v for k, v in e.data.items() if k not in ("settings", "failure", "arguments", "effects_kept")})
            for e in events
        ]  # fmt: skip

    recorded.tamper(older)

    assert_same(recorded.replay())


def test_an_undo_that_kept_what_the_person_wrote_meanwhile_replays(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    file = root / "shop" / "basket.py"
    file.write_text(file.read_text() + "\n\n\n\ndef empty():\n    return []\n")

    async def play(session: inarch.Session, _: inarch.App) -> None:
        await session.run("fix it")
        file.write_text(file.read_text() + "\n# by hand\n")
        assert session.undo().done
        await session.run("look")

    script = [calls(READ, PATCH), says("done"), calls(READ), says("15 again")]
    recorded = record(root, script, play=play, flags=ALL)
    assert file.read_text().endswith("# by hand\n")
    assert "* 15\n" in file.read_text()

    assert_same(recorded.replay())


def test_a_fork_replays_though_its_origin_went_on_and_changed_files(tmp_path: Path) -> None:
    forks: list[str] = []

    async def play(session: inarch.Session, app: inarch.App) -> None:
        await session.run("hello")
        await session.run("make a file")
        forked = app.fork(session.id, 1)
        await forked.run("what is there?")
        forks.append(forked.id)

    made = ("create_file", {"file_path": "shop/new.py", "content": "x = 1\n"})
    script = [says("hello"), calls(made), says("made"), calls(READ), says("a basket")]
    recorded = record(project(tmp_path / "proj"), script, play=play, flags=ALL)

    assert_same(recorded.replay())
    assert_same(evolve(recorded, id=forks[0]).replay())
