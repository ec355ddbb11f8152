"""Undo in a conversation: the model is told, reads again before it changes anything, and a kept session goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from inarch.contract.errors import UsageError
from inarch.contract.events import Event
from inarch.contract.records import ResultPart, Text
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import ScriptedModel, calls, says

EDIT = {"file_path": "a.txt", "search": "one", "replace": "two", "description": ""}


def prompt_of(model: ScriptedModel, request: int = -1) -> str:
    message = next(one for one in reversed(model.requests[request].messages) if one.role == "user")
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))


def drive(root: Path, script: list[Any], work: Callable[[Any, ScriptedModel], Awaitable[None]], **options: Any) -> None:
    async def go() -> None:
        app, model = scripted_app(script, root, flags={"approve": "all"}, **options)
        try:
            await work(app, model)
        finally:
            await app.aclose()

    asyncio.run(go())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    (place / "a.txt").write_text("one\n")
    return place


FIRST = [calls(("read_file", {"file_path": "a.txt"})), calls(("patch_source_file", EDIT)), says("changed")]


def test_the_model_is_told_once_and_must_read_again(root: Path) -> None:
    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        await session.run("change it")
        assert (root / "a.txt").read_text() == "two\n"
        assert session.undo().done
        assert (root / "a.txt").read_text() == "one\n"
        await session.run("go on")
        assert "undone" in prompt_of(model, 3) and "a.txt" in prompt_of(model, 3)
        (result,) = [part for part in model.requests[4].messages[-1].parts if isinstance(part, ResultPart)]
        assert result.result.error is not None and result.result.error.code == "conflict"
        assert "read it first" in result.result.error.remedy
        assert (root / "a.txt").read_text() == "one\n"
        await session.run("and on")
        assert "undone" not in prompt_of(model)

    drive(root, [*FIRST, calls(("patch_source_file", EDIT)), says("not changed"), says("third")], work)


def test_a_kept_session_knows_what_was_undone(root: Path) -> None:
    ids: list[str] = []

    async def begin(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        ids.append(session.id)
        await session.run("change it")
        session.undo()

    async def go_on(app: Any, model: ScriptedModel) -> None:
        session = app.session(ids[0])
        await session.run("go on")
        assert "a.txt" in prompt_of(model, 0)
        assert (root / "a.txt").read_text() == "one\n"
        assert session.redo().done
        assert (root / "a.txt").read_text() == "two\n"

    async def again(app: Any, model: ScriptedModel) -> None:
        session = app.session(ids[0])
        await session.run("again")
        assert "a.txt" in prompt_of(model, 0)
        await session.run("once more")
        assert "undone" not in prompt_of(model)

    drive(root, FIRST, begin, journal=True)
    drive(root, [calls(("patch_source_file", EDIT)), says("could not")], go_on, journal=True)
    drive(root, [says("x"), says("y")], again, journal=True)


def test_nothing_is_undone_while_a_turn_runs(root: Path) -> None:
    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        await session.run("change it")
        task = asyncio.create_task(session.run("slow"))
        while not session._lock.locked():
            await asyncio.sleep(0)
        with pytest.raises(UsageError, match="a turn is running"):
            session.undo()
        task.cancel()
        await asyncio.wait([task])
        assert session.undo().done

    drive(root, [*FIRST, [60.0]], work)


def test_no_turn_begins_while_an_undo_runs_in_a_thread(root: Path) -> None:
    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        await session.run("change it")
        journal = session.state.journal
        reached, go_on = threading.Event(), threading.Event()

        def hold(event: Event) -> None:
            if event.kind == "changes.undone":
                reached.set()
                go_on.wait()

        journal.listeners.append(hold)
        undone = asyncio.create_task(asyncio.to_thread(session.undo))
        try:
            while not reached.is_set():
                assert not undone.done(), undone
                await asyncio.sleep(0.01)
            turn = asyncio.create_task(session.run("go on"))
            for _ in range(20):
                await asyncio.sleep(0.01)
            with pytest.raises(UsageError, match="another undo"):
                session.redo()
        finally:
            go_on.set()
        assert (await undone).done
        await turn
        kinds = [event.kind for event in journal.store.load(session.id)]
        undo_at = kinds.index("changes.undone")
        assert kinds[undo_at : undo_at + 3] == ["changes.undone", "file.changed", "turn.started"]

    drive(root, [*FIRST, says("second")], work)


def test_what_a_cancelled_command_did_is_recorded_and_undone(root: Path) -> None:
    (root / "slow.py").write_text("import time\nopen('made', 'w').write('x')\ntime.sleep(600)\n")

    async def work(app: Any, model: ScriptedModel) -> None:
        session = app.session()
        task = asyncio.create_task(session.run("run"))
        while not (root / "made").exists():
            assert not task.done(), task
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        journal = session.state.journal
        while not any(event.kind == "file.changed" for event in journal.store.load(session.id)):
            journal.flush()
            await asyncio.sleep(0.01)
        assert session.undo().done
        assert not (root / "made").exists()

    drive(root, [calls(("execute_command", {"command": "python3 slow.py", "timeout_s": 600}))], work)
