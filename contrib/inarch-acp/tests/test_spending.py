"""What a session costs and how full the window is, while a turn runs, after it, and when it is loaded again."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

PRICED = "input_price = 1000\noutput_price = 2000\n"  # a reply of the script: 11 and 7 tokens, 0.025 USD
A_REPLY = 0.025
DELEGATE = '''
"""Has a child look."""
import inarch

@inarch.tool(effects=inarch.Effects())
async def delegate(context: inarch.ToolContext) -> str:
    """Have somebody look."""
    return (await context.child(inarch.ChildTask("looker", "look closely"))).turn.content
'''
PROFILE = """
[profiles.delegating]
extends = "default"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible", "delegate"]
"""


def told(editor: Any, session: str) -> list[tuple[int, int, float | None]]:
    updates = editor.of(session, "usage_update")
    assert {one.cost.currency for one in updates if one.cost} <= {"USD"}
    return [(one.used, one.size, round(one.cost.amount, 6) if one.cost else None) for one in updates]


def test_each_reply_is_told_at_once_and_the_sum_goes_on_in_a_loaded_session(
    desk: Any, say: Any, wait: Any, replies: Any
) -> None:
    read = replies.calling(("read_file", {"file_path": "a.txt"}))
    desk.model.script = {"work": [read, replies.hanging("and")], "hello": [replies.text("hi")]}
    desk.configure(provider=f"{PRICED}context_tokens = 32000")
    known: list[str] = []

    async def before() -> None:
        async with desk.editor() as (editor, connection, process):
            known.append(await desk.new(connection))
            response = await connection.prompt(session_id=known[0], prompt=say("hello"))
            assert response.field_meta["inarch"]["session_cost_usd"] == pytest.approx(A_REPLY)
            first, last = told(editor, known[0])
            assert first[0] == 18 and 0 < first[1] <= 32000 and first[2] == A_REPLY
            assert last[1:] == first[1:]
            turn = asyncio.create_task(connection.prompt(session_id=known[0], prompt=say("work")))
            await wait(lambda: "and" in editor.said(known[0]), "the second reply")
            assert told(editor, known[0])[-1] == (18, first[1], 2 * A_REPLY)  # the turn is not over
            process.send_signal(signal.SIGKILL)
            with pytest.raises(ConnectionError):
                await turn

    async def after() -> None:
        async with desk.editor() as (editor, connection, _):
            await connection.load_session(str(desk.root), known[0], mcp_servers=[])
            await wait(lambda: told(editor, known[0]), "the sum")
            (loaded,) = told(editor, known[0])
            assert loaded[2] is None  # of the request that was cut off nobody knows the cost
            await connection.prompt(session_id=known[0], prompt=say("hello"))
            assert told(editor, known[0])[-1][2] is None

    asyncio.run(before())
    asyncio.run(after())


@pytest.mark.parametrize(
    ("provider", "tells", "cost"),
    [("context_tokens = 32000", True, None), (PRICED, False, A_REPLY)],
    ids=["no price", "no window"],
)
async def test_what_is_not_known_is_not_told(
    desk: Any, say: Any, replies: Any, provider: str, tells: bool, cost: float | None
) -> None:
    desk.model.script = {"hello": [replies.text("hi")]}
    desk.configure(provider=provider)
    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        response = await connection.prompt(session_id=session, prompt=say("hello"))
        assert [one for _, _, one in told(editor, session)] == ([None, None] if tells else [])
        assert response.field_meta["inarch"].get("session_cost_usd") == cost
