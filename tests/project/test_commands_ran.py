"""What a person ran with `!` is in the context of the next turn, also after a break, within bounds."""

from __future__ import annotations

import asyncio
from pathlib import Path

from inarch.contract.other_events import CommandRan
from inarch.contract.records import Message, Text
from inarch.testing import says, scripted_app
from inarch_plugins.project.recent_actions import MOST, MOST_OF_ONE, TITLE


def texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


def test_the_next_turn_sees_what_ran_and_the_one_after_does_not(tmp_path: Path) -> None:
    app, model = scripted_app([says("one"), says("two")], tmp_path)

    async def go() -> None:
        session = app.session()
        journal = session.state.journal
        journal.record(CommandRan("!", "cat notes.txt", "what is in them"))
        journal.record(CommandRan("stats", "", "something else"))
        await session.run("first")
        await session.run("second")
        await app.aclose()

    asyncio.run(go())
    first, second = (request.messages for request in model.requests)
    assert f"{TITLE}\n\n$ cat notes.txt\nwhat is in them" in texts(first[0])
    assert "something else" not in str(first)
    assert "notes.txt" not in str(second[-1])


def test_long_outputs_are_bounded(tmp_path: Path) -> None:
    app, model = scripted_app([says("one")], tmp_path)

    async def go() -> None:
        session = app.session()
        for number in range(10):
            session.state.journal.record(CommandRan("!", f"command {number}", f"begin{'x' * 50_000}end"))
        await session.run("first")
        await app.aclose()

    asyncio.run(go())
    (seen,) = [text for text in texts(model.requests[0].messages[0]) if TITLE in text]
    assert len(seen) < MOST + MOST_OF_ONE
    assert "$ command 9\nbegin" in seen and "characters left out" in seen and "earlier ones are left out" in seen
