"""What is remembered of messages is bound by what requests have, not by how long a session goes on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarch import Limits, Message, ModelRequest, Text
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_sdk.message_cache import RECENT, SLACK, MessageCache


def request(*messages: Message) -> ModelRequest:
    return ModelRequest("m", "system", messages)


def counting(done: list[str]) -> Callable[[Message], str]:
    def work(message: Message) -> str:
        done.append(message.text)
        return message.text.upper()

    return work


def test_a_message_is_worked_on_once_as_long_as_a_recent_request_has_it() -> None:
    known, done = MessageCache(), list[str]()
    work = counting(done)
    mine = Message("user", (Text("mine"),))
    for number in range(5 * SLACK):
        other = Message("user", (Text(str(number)),))
        for asked in (request(mine, other), *(request() for _ in range(RECENT - 1))):  # a strategy asks in between
            known.asked(asked)
            for message in asked.messages:
                assert known.once(message, work) == message.text.upper()
    assert done.count("mine") == 1
    assert known.once(mine, work, version=1) == "MINE"
    assert done.count("mine") == 2


class Small(ScriptedModel):
    """A scripted model with a window that some turns fill."""

    def limits(self, model: str) -> Limits:
        return Limits(7_000)


def test_a_long_session_holds_no_more_messages_than_a_short_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")

    def step(asked: Any) -> Any:
        return says("it is a") if asked.messages[-1].role == "tool" else calls(("read_file", {"file_path": "a.txt"}))

    config = {"profiles": {"default": {"context_turns": 1}}}
    app, model = scripted_app(Small([step], repeat=True), tmp_path, config=config, flags={"approve": "all"})
    held = {50: 0, 100: 0}

    async def talk() -> None:
        session = app.session()
        for number in range(1, 101):
            assert (await session.run(f"prompt {number}")).status == "done"
            model.requests.clear()
            for end in held:
                if end - 30 < number <= end:  # the most in so many turns: in between the conversation is made shorter
                    held[end] = max(held[end], sum(type(one) is Message for one in gc.get_objects()))
        await app.aclose()

    asyncio.run(talk())
    assert held[100] - held[50] <= 2 * SLACK < 4 * 50
