"""Conversations that outlive their connections: nothing spoken is lost or heard twice, no call runs twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count
from typing import Any

from attrs import define, field
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inarch_live.port import (
    ConnectionEnded,
    LiveCall,
    LiveSetup,
)
from inarch_live.resuming import Resuming
from inarch_live.testing import LONGEST_S, GeminiServer, GeminiThere, Person
from inarch_live.testing.contract import run

AT_ONCE = (0.0,) * 10_000
STEPS = (
    "audio", "audio", "text", "ask", "answer", "cut", "cut", "close", "keep", "unkeepable", "leave", "cancel",
    "interrupt", "turn", "speak", "wait",
)  # fmt: skip


def frame(number: int) -> bytes:
    """Return 20 ms that no other number has."""
    return (number + 1).to_bytes(2, "little") * 320


@define(eq=False)
class AskingThere(GeminiThere):
    """A model that asks for a call when it reads of one, each time under another id, as a model does."""

    ids: count[int] = field(factory=count, kw_only=True)

    async def took(self, message: dict[str, Any]) -> None:
        before = len(self.texts)
        await super().took(message)
        if "setup" in message:
            await self.hand_over()
        for text in self.texts[before:]:
            if text.startswith("ask "):
                await self.call(LiveCall(f"id-{next(self.ids)}", "work", {"on": text}))


@define(eq=False)
class AskingServer(GeminiServer):
    ids: count[int] = field(init=False, factory=count)

    def there(self, socket: Any, path: str, headers: dict[str, str]) -> AskingThere:
        return AskingThere(socket, path, headers, self.handles, self.indexed, ids=self.ids)


async def step(name: str, person: Person, there: GeminiThere) -> None:
    match name:
        case "audio":
            await person.say(frame(sum(kind == "audio" for kind, _ in person.sent)))
        case "text" | "ask":
            await person.type(name)
        case "answer":
            await person.answer("success")
        case "cut":
            there.cut()
        case "close":
            await there.close(1011, "internal error")
        case "keep" | "unkeepable":
            await there.hand_over(name == "keep")
        case "leave":
            await there.go_away(10)
        case "cancel":
            await there.cancel(*there.heard.waiting[:1])
        case "interrupt":
            await there.interrupt()
        case "turn":
            await there.end_turn()
        case "speak":
            await there.speak(bytes(960), "words")
        case "wait":
            await asyncio.sleep(0.002)


async def settled(server: GeminiServer, person: Person) -> GeminiThere:
    """Wait until the service has everything, and return its last connection."""
    async with asyncio.timeout(LONGEST_S):
        while True:
            there = server.connections[-1]
            came = [piece for piece in there.heard.pieces if piece[0] in ("audio", "text")]
            if not there.has_ended and len(came) >= len(person.sent) and not there.heard.waiting:
                return there
            await person.answer("success")
            await asyncio.sleep(0.002)


@given(st.lists(st.sampled_from(STEPS), max_size=40))
@example(["ask", "wait", "cut", "wait", "answer"])
@example(["ask", "wait", "answer", "cut"])
@example(["ask", "ask", "wait", "keep", "wait", "cut", "answer", "cut", "keep", "cut"])
@example(["audio", "leave", "audio", "audio", "turn", "audio"])
@settings(max_examples=3 * settings().max_examples, deadline=None)
def test_cuts_at_any_moment_lose_and_double_nothing(steps: list[str]) -> None:
    async def conversation() -> None:
        async with AskingServer() as server:
            provider = Resuming(server.provider(), AT_ONCE, repeat_s=LONGEST_S)
            person = Person(await provider.connect(LiveSetup()))
            listening = asyncio.create_task(person.listen())
            for name in steps:
                await step(name, person, server.connections[-1])
            there = await settled(server, person)
            await person.connection.aclose()
            await listening
            came = [piece for piece in there.heard.pieces if piece[0] in ("audio", "text")]
            assert came == person.sent
            results = Counter(result.id for kind, result in there.heard.pieces if kind == "result")
            assert set(results.values()) <= {1}
            asked = [text for kind, text in person.sent if kind == "text" and text.startswith("ask")]
            assert len(results) == len(asked)
            assert sorted(person.told) == sorted(asked)
            assert isinstance(person.events[-1], ConnectionEnded)
            assert sum(isinstance(event, ConnectionEnded) for event in person.events) == 1

    run(conversation())
