"""Child sessions of isolated plugins: as their table grants them, within what the call may, and gone with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from isolated_apps import GRACE_S, HERE

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

WRITE = calls(("write_file", {"file_path": "new.txt", "content": "x"}))
DO = "do it"


class Person:
    """A front end that keeps what it is asked, and says yes."""

    name = "person"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def show(self, event: inarch.Event) -> None:
        """Show nothing."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Say yes."""
        self.asked += [(one.call.name, one.reason) for one in batch]
        return [inarch.Approval(one.call.id, "approve") for one in batch]

    def close(self) -> None:
        """Do nothing."""


class Desk:
    """A project, and sessions whose model calls one tool of the isolated plugin."""

    def __init__(self, folder: Path) -> None:
        self.root, self.person = folder / "root", Person()
        self.root.mkdir()
        self.environ = {"HOME": str(folder)}
        self.events: list[inarch.Event] = []

    def of(self, kind: str) -> list[Any]:
        return [event.data for event in self.events if event.kind == kind]

    def app(self, script: Sequence[Step], tool: str, approve: str = "all", **table: Any) -> inarch.App:
        """Compose with a model that calls the tool, and plays the script to its child."""
        left = list(script)

        def play(request: inarch.ModelRequest) -> Step:
            if request.messages[0].text.startswith(DO):
                return left.pop(0)
            return says("done") if request.messages[-1].role == "tool" else calls((tool, {}))

        profile = {"plugins": ["sandbox-fs"], "approve": approve}
        config = {
            "profiles": {"default": profile}, "isolation": {"asking": {"mode": "process", "children": True, **table}}
        }  # fmt: skip
        app, self.model = scripted_app(
            ScriptedModel([play], repeat=True), self.root, config=config, environ=self.environ,
            files=(str(HERE / "asking.py"),), front_end=self.person,
        )  # fmt: skip
        assert app.composition.refused == ()
        return app

    def talk(self, script: Sequence[Step], tool: str, **options: Any) -> inarch.Turn:
        """Run a turn."""

        async def go() -> inarch.Turn:
            app = self.app(script, tool, **options)
            session = app.session()
            session.state.journal.listeners.append(self.events.append)
            try:
                return await session.run("go")
            finally:
                await app.aclose()

        return asyncio.run(asyncio.wait_for(go(), GRACE_S))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_child_works_for_the_call_and_spends_from_its_turn(desk: Desk) -> None:
    turn = desk.talk([WRITE, says("written")], "entrust")
    result = turn.calls[0].result
    assert result is not None and result.data[:3] == ["written", "done", ["new.txt"]]
    assert (desk.root / "new.txt").read_text() == "x"
    (ended,) = desk.of("child.ended")
    assert ended["name"] == "helper" and ended["status"] == "done" and len(desk.model.requests) == 4


def test_its_calls_are_asked_about_under_its_name(desk: Desk) -> None:
    desk.talk([WRITE, says("written")], "entrust", approve="ask")
    (entrusted, whole), (written, _) = desk.person.asked
    assert (entrusted, written) == ("entrust", "write_file")
    assert "have child sessions, whose calls are judged on their own" in whole


def test_a_call_that_changes_nothing_has_a_child_that_only_reads(desk: Desk) -> None:
    turn = desk.talk([WRITE, says("no")], "delegate")
    assert turn.calls[0].result is not None and turn.calls[0].result.data == "no"
    assert not (desk.root / "new.txt").exists()


def test_it_works_where_its_caller_does(desk: Desk) -> None:
    app = desk.app([], "entrust")
    with app:
        found = asyncio.run(app.session().call_tool("entrust", {"elsewhere": True}))
    assert found.error is not None and "works in its caller's folder" in found.error.message


def test_a_cancel_ends_both(desk: Desk) -> None:
    async def go() -> None:
        app = desk.app([[3_600.0, *says("too late")], WRITE, says("again")], "entrust")
        session = app.session()
        session.state.journal.listeners.append(desk.events.append)
        turn = asyncio.create_task(session.run("go"))
        while len(desk.model.requests) < 2:
            await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert [one["status"] for one in desk.of("child.ended")] == ["cancelled"]
        again = await session.run("go")
        assert again.status == "done" and (desk.root / "new.txt").exists()
        await app.aclose()

    asyncio.run(asyncio.wait_for(go(), GRACE_S))
