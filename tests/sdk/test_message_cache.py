"""What is remembered of messages is bound by what requests have, not by how long a session goes on."""

from __future__ import annotations

from collections.abc import Callable

from inarch import Message, ModelRequest, Text
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
