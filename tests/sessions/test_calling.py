"""A tool call in a session, outside of its turns; and what plugins say of their own composition."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import inarch
from inarch.testing import says, scripted_app

PLUGIN = r'''
import asyncio
import inarch


@inarch.tool
async def talk(word: str, context: inarch.ToolContext) -> str:
    """Say a word now and once more in the end."""
    context.emit(f"{word}\n")
    if word == "long":
        await asyncio.sleep(600)
    return word


class Watch:
    name = "watch"
    def saw(self, event): pass
    def summary(self, turn_id): return None
    def remarks(self): return REMARKS
    def close(self): pass


@inarch.hookimpl
def inarch_tracers(context):
    return [Watch()]
'''


def composed(tmp_path: Path, remarks: str = '["a part is left out"]') -> inarch.App:
    plugin = tmp_path / "talk.py"
    plugin.write_text(PLUGIN.replace("REMARKS", remarks))
    root = tmp_path / "root"
    root.mkdir()
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    app, _ = scripted_app([says("fine")], root, files=[str(plugin)], environ=environ, flags={"approve": "all"})
    return app


def test_a_call_shows_its_own_output_and_is_in_the_session(tmp_path: Path) -> None:
    app = composed(tmp_path)

    async def go() -> tuple[list[str], list[str], inarch.Session]:
        session = app.session()
        one: list[str] = []
        two: list[str] = []
        both = (
            session.call_tool("talk", {"word": "a"}, one.append),
            session.call_tool("talk", {"word": "b"}, two.append),
        )
        first, second = await asyncio.gather(*both)
        assert (first.data, second.data) == ("a", "b")
        missing = await session.call_tool("no_such_tool", {})
        assert missing.error is not None and missing.error.code == "not_found"
        return one, two, session

    one, two, session = asyncio.run(go())
    assert ("".join(one), "".join(two)) == ("a\n", "b\n")
    kinds = [event.kind for event in session.state.journal.store.load(session.id)]
    assert kinds.count("call.result") == 3
    assert "turn.started" not in kinds
    app.close()


def test_a_cancelled_call_ends_in_the_journal(tmp_path: Path) -> None:
    app = composed(tmp_path)

    async def go() -> inarch.Session:
        session, began = app.session(), asyncio.Event()
        task = asyncio.create_task(session.call_tool("talk", {"word": "long"}, lambda _: began.set()))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return session

    session = asyncio.run(go())
    events = session.state.journal.store.load(session.id)
    assert [event.data["status"] for event in events if event.kind == "call.result"] == ["cancelled"]
    app.close()


def test_remarks_of_a_tracer_are_reported(tmp_path: Path) -> None:
    app = composed(tmp_path)
    assert app.ignored == ("a part is left out",)
    app.close()


@pytest.mark.parametrize("wrong", ["7", "1 / 0", "None"])
def test_remarks_that_fail_are_none(tmp_path: Path, wrong: str) -> None:
    app = composed(tmp_path, wrong)
    assert app.ignored == ()
    app.close()
