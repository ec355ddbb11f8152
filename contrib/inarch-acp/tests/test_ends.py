"""How turns and sessions end: a cancel, a kill, a signal, an editor that goes away; and what is there afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from acp import RequestError

import inarch


def recorded(desk: Any, session_id: str) -> list[inarch.Event]:
    store = inarch.open_store("sqlite-store", desk.folder / "home" / ".local" / "state" / "inarch")
    try:
        return list(store.load(session_id))
    finally:
        store.close()


async def test_a_cancel_ends_a_turn_wherever_it_stands(desk: Any, say: Any, wait: Any, replies: Any) -> None:
    desk.model.script = {
        "stream": [replies.hanging("begun")],
        "linger": [replies.calling(("linger", {"words": "lingering"})), replies.text("never")],
        "ask": [replies.calling(("create_file", {"file_path": "x.txt", "content": "x"})), replies.text("never")],
        "hello": [replies.text("still here")],
    }
    asking = asyncio.Event()

    async def never(options: Any) -> str | None:
        asking.set()
        await asyncio.Event().wait()
        return None

    async with desk.editor("--approve", "edits") as (editor, connection, _):
        session = await desk.new(connection)

        async def cancelled(words: str, when: Callable[[], object]) -> None:
            turn = asyncio.create_task(connection.prompt(session_id=session, prompt=say(words)))
            await wait(lambda: when() or turn.done(), words)
            assert not turn.done(), turn.result()
            await connection.cancel(session_id=session)
            assert (await turn).stop_reason == "cancelled"

        await cancelled("stream", lambda: "begun" in editor.said(session))
        await connection.set_session_mode(session_id=session, mode_id="all")
        await cancelled("linger", lambda: any("content" in call for call in editor.calls(session).values()))
        (call,) = editor.calls(session).values()
        assert call["status"] == "failed"
        await connection.set_session_mode(session_id=session, mode_id="ask")
        editor.answer = never
        await cancelled("ask", asking.is_set)
        assert list(editor.calls(session).values())[1]["status"] == "failed"
        await connection.cancel(session_id=session)  # nothing runs: nothing happens
        assert (await connection.prompt(session_id=session, prompt=say("hello"))).stop_reason == "end_turn"
        assert editor.said(session).endswith("still here")
    assert not (desk.root / "x.txt").exists()
    assert "printed by a plugin" in desk.log  # and not on the wire
    ends = [event.data["turn"]["status"] for event in recorded(desk, session) if event.kind == "turn.ended"]
    assert ends == ["cancelled", "cancelled", "cancelled", "done"]


def test_a_session_goes_on_after_a_kill_in_mid_turn(desk: Any, say: Any, wait: Any, replies: Any) -> None:
    made = replies.calling(("create_file", {"file_path": "x.txt", "content": "new\n"}), says="I make it.")
    desk.model.script = {"make": [made, replies.hanging("and then")], "hello": [replies.text("welcome back")],
                         "linger": [replies.calling(("linger", {"words": "lingering"}))]}  # fmt: skip
    known: list[str] = []

    async def before() -> None:
        async with desk.editor("--approve", "all") as (editor, connection, process):
            known.extend([await desk.new(connection) for _ in range(3)])
            turn = asyncio.create_task(connection.prompt(session_id=known[0], prompt=say("make")))
            await wait(lambda: "and then" in editor.said(known[0]), "the second reply")
            other = asyncio.create_task(connection.prompt(session_id=known[1], prompt=say("linger")))
            await wait(lambda: any("content" in call for call in editor.calls(known[1]).values()), "the tool")
            process.send_signal(signal.SIGKILL)
            for cut in (turn, other):
                with pytest.raises(ConnectionError):
                    await cut

    async def after() -> None:
        async with desk.editor() as (editor, connection, _):
            session, lingering, silent = known
            await connection.load_session(str(desk.root), lingering, mcp_servers=[])
            (call,) = editor.calls(lingering).values()
            assert (call["title"], call["status"]) == ("linger lingering", "failed")
            assert "linger" in editor.said(lingering)  # what became of it is not known, which is told
            await connection.load_session(str(desk.root), session, mcp_servers=[])
            assert editor.said(session, "user_message_chunk") == "make"
            assert "I make it." in editor.said(session)
            (call,) = editor.calls(session).values()
            assert (call["status"], call["content"][0].new_text) == ("completed", "new\n")
            response = await connection.prompt(session_id=session, prompt=say("hello"))
            assert response.stop_reason == "end_turn"
            assert editor.said(session).endswith("welcome back")
            await connection.load_session(str(desk.root), silent, mcp_servers=[])  # it had no prompt yet
            for opening in (connection.load_session, connection.resume_session):
                with pytest.raises(RequestError, match="there is no session") as unknown:
                    await opening(session_id="0" * 36, cwd=str(desk.root), mcp_servers=[])
                assert unknown.value.code == -32002
            with pytest.raises(RequestError):
                await connection.resume_session(session, str(desk.folder), mcp_servers=[])
            resumed = await connection.resume_session(session, str(desk.root), mcp_servers=[])
            assert resumed.modes.current_mode_id == "ask"

    asyncio.run(before())
    asyncio.run(after())


async def test_sessions_run_beside_each_other_and_each_does_one_thing_at_a_time(
    desk: Any, say: Any, wait: Any, replies: Any
) -> None:
    desk.model.script = {"stream": [replies.hanging("begun")], "hello": [replies.text("hi")]}
    async with desk.editor() as (editor, connection, process):
        busy, free = await asyncio.gather(desk.new(connection), desk.new(connection))
        turn = asyncio.create_task(connection.prompt(session_id=busy, prompt=say("stream")))
        await wait(lambda: "begun" in editor.said(busy), "the beginning of an answer")
        assert (await connection.prompt(session_id=free, prompt=say("hello"))).stop_reason == "end_turn"
        assert "hi" in editor.said(free)
        with pytest.raises(RequestError, match="being answered") as error:
            await connection.prompt(session_id=busy, prompt=say("hello"))
        assert error.value.code == -32600
        process.stdin.close()  # the editor goes away in mid-turn
        assert await asyncio.wait_for(process.wait(), 60) == 0
        await asyncio.wait([turn])
        turn.exception()
    ends = [event.data["turn"]["status"] for event in recorded(desk, busy) if event.kind == "turn.ended"]
    assert ends == ["cancelled"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
async def test_a_signal_ends_the_server_in_good_order(desk: Any, say: Any, wait: Any, replies: Any) -> None:
    desk.model.script = {"stream": [replies.hanging("begun")]}
    async with desk.editor() as (editor, connection, process):
        session = await desk.new(connection)
        turn = asyncio.create_task(connection.prompt(session_id=session, prompt=say("stream")))
        await wait(lambda: "begun" in editor.said(session), "the beginning of an answer")
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0
        await asyncio.wait([turn])
        turn.exception()
    assert [event.kind for event in recorded(desk, session)][-1] == "turn.ended"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nosuch/x", "no plugin provides the model 'nosuch/x'"),
        ("offline/nosuch", "offline has no model 'nosuch'"),
        ("openrouter/acme/large", "OPENROUTER_API_KEY is not set"),
    ],
)
async def test_a_model_that_can_not_be_had_is_an_error_and_nobody_answers_in_its_place(
    desk: Any, say: Any, model: str, said: str
) -> None:
    async with desk.editor("--model", model) as (_, connection, _process):
        with pytest.raises(RequestError, match=said):
            session = await desk.new(connection)
            await connection.prompt(session_id=session, prompt=say("hello"))
