"""The draft `session/inject`: words for the prompt that is being answered."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp import RequestError


async def test_words_are_injected_taken_back_and_answered(desk: Any, say: Any, wait: Any, replies: Any) -> None:
    desk.model.script = {"make": [replies.calling(("create_file", {"file_path": "x.txt", "content": "x"}))],
                         "not x": [replies.text("I heard.")], "late": [replies.text("Late, but yes.")]}  # fmt: skip
    asked, go_on = asyncio.Queue[None](), asyncio.Queue[str | None]()

    async def answer(options: Any) -> str | None:
        asked.put_nowait(None)
        return await go_on.get()

    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)

        async def inject(text: str) -> str:
            content = [{"type": "text", "text": text}]
            params = {"sessionId": session, "content": content, "mode": "steer"}
            return str((await connection._conn.send_request("session/inject", params))["messageId"])

        async def revoke(message_id: str) -> None:
            params = {"sessionId": session, "messageId": message_id}
            await connection._conn.send_request("session/revoke_inject", params)

        with pytest.raises(RequestError, match="no prompt is being answered"):
            await inject("too early")
        editor.answer = answer
        turn = asyncio.create_task(connection.prompt(session_id=session, prompt=say("make it")))
        await asked.get()
        said, dropped = await inject("but not x"), await inject("dropped")
        await revoke(dropped)
        with pytest.raises(RequestError, match="no such message waits"):
            await revoke(dropped)
        go_on.put_nowait("once")
        assert (await turn).stop_reason == "end_turn"
        (shown,) = editor.of(session, "user_message_chunk")
        assert (shown.content.text, shown.message_id) == ("but not x", said)
        assert editor.said(session).endswith("I heard.")

        (desk.root / "x.txt").unlink()
        turn = asyncio.create_task(connection.prompt(session_id=session, prompt=say("make it again")))
        await asked.get()
        await inject("too late")
        go_on.put_nowait(None)  # a question that nobody answers ends the turn
        assert (await turn).stop_reason == "end_turn"
        assert editor.said(session).endswith("Late, but yes.")
