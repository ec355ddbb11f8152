"""Where a service can't continue a conversation, a new one begins with what was said: nothing is lost or told twice."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from attrs import define, field
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inarch_live.port import LiveCall, LiveSetup
from inarch_live.resuming import Resuming
from inarch_live.testing import LONGEST_S, OpenAIServer, OpenAIThere, Person
from inarch_live.testing.contract import run

AT_ONCE = (0.0,) * 10_000
STEPS = (
    "audio",
    "audio",
    "text",
    "ask",
    "answer",
    "cut",
    "cut",
    "close",
    "hear",
    "stop",
    "late",
    "interrupt",
    "think",
    "wait",
)
STEP = 40
"""Between the levels of two frames: a resampler leaves a level what it is."""


def frame(number: int) -> bytes:
    return ((number + 1) * STEP).to_bytes(2, "little") * 320


def frames_in(audio: bytes) -> list[int]:
    """Return the numbers of frames by the level in their middles, at 24 kHz."""
    samples = [int.from_bytes(audio[at : at + 2], "little", signed=True) for at in range(480, len(audio) - 1, 960)]
    return [round(sample / STEP) - 1 for sample in samples]


@define(eq=False)
class Model(OpenAIThere):
    """A model that calls a tool for each text that asks for it, when it is asked for an answer and has thought."""

    ids: count[int] = field(factory=count, kw_only=True)
    written: int = field(init=False, default=0)
    """How many frames of this connection have a text."""
    open_items: list[tuple[str, list[int]]] = field(init=False, factory=list)

    async def think(self) -> None:
        """Finish the answer that was asked for."""
        if not self.response:
            return
        calls = [item["arguments"] for item in self.items if item["type"] == "function_call"]
        asked = [text for text in self.texts if text.startswith("ask")]
        new = [text for text in asked if not any(f'"{text}"' in arguments for arguments in calls)]
        if new:
            await self.call(*(LiveCall(f"id-{next(self.ids)}", "work", {"on": text}) for text in new))
        else:
            await self.write("ok")
            await self.end_turn()

    async def call(self, *calls: LiveCall) -> None:
        for call in calls:
            item = {"type": "function_call", "call_id": call.id, "arguments": f'{{"on": "{call.arguments["on"]}"}}'}
            self.items.append(item)
        await super().call(*calls)

    async def stop(self) -> None:
        new = frames_in(self.audio)[self.written :]
        if new:
            self.written += len(new)
            self.open_items.append((await self.end_of_speech(), new))

    async def late(self) -> None:
        """Texts come in any order: the last first."""
        if self.open_items:
            item, frames = self.open_items.pop()
            await self.transcribe(item, "heard " + " ".join(map(str, frames)))

    @property
    def heard(self) -> list[int]:
        """Return every frame that the conversation knows: those of its history's texts, and those of its audio."""
        texts = [text.split()[1:] for text in self.texts if text.startswith("heard")]
        return [int(number) for numbers in texts for number in numbers] + frames_in(self.audio)

    @property
    def unanswered(self) -> set[str]:
        called = {item["call_id"] for item in self.items if item["type"] == "function_call"}
        return called - {item["call_id"] for item in self.items if item["type"] == "function_call_output"}


@define(eq=False)
class ModelServer(OpenAIServer):
    ids: count[int] = field(init=False, factory=count)

    def there(self, socket: Any, path: str, headers: dict[str, str]) -> Model:
        return Model(socket, path, headers, ids=self.ids)


async def step(name: str, person: Person, there: Model) -> None:
    match name:
        case "audio":
            number = sum(kind == "audio" for kind, _ in person.sent)
            person.sent.append(("audio", number))
            await person.connection.send_audio(frame(number))
        case "text" | "ask":
            await person.type(name)
        case "answer":
            await person.answer("success")
        case "cut":
            there.cut()
        case "close":
            await there.close(1011, "internal error")
        case "hear":
            await there.stop()
            while there.open_items:
                await there.late()
        case "think":
            await there.think()
        case "stop":
            await there.stop()
        case "late":
            await there.late()
        case "interrupt":
            await there.interrupt()
        case "wait":
            await asyncio.sleep(0.002)


async def settled(server: OpenAIServer, person: Person, is_spoken_into: bool) -> Model:
    """Wait until the service has everything, and return its last connection."""
    texts = [text for kind, text in person.sent if kind == "text"]
    frames = [number for kind, number in person.sent if kind == "audio"]
    asked = {text for text in texts if text.startswith("ask")}
    async with asyncio.timeout(LONGEST_S):
        while True:
            there = server.connections[-1]
            assert isinstance(there, Model)
            has_all = set(texts) <= set(there.texts) and len(there.heard) >= len(frames)
            if not there.has_ended and has_all and asked <= set(person.told) and not there.unanswered:
                return there
            await person.answer("success")
            if is_spoken_into:  # what was said then is answered
                await there.begin_response()
            await there.think()
            await asyncio.sleep(0.002)


@given(st.lists(st.sampled_from(STEPS), max_size=40))
@example(["audio", "audio", "wait", "wait", "stop", "audio", "cut", "wait", "hear", "cut"])
@example(["audio", "wait", "stop", "audio", "wait", "stop", "late", "wait", "cut"])
@example(["ask", "wait", "wait", "cut"])
@example(["ask", "wait", "think", "wait", "cut", "wait", "answer", "cut"])
@example(["ask", "wait", "think", "wait", "answer", "wait", "cut", "text", "cut"])
@settings(max_examples=3 * settings().max_examples, deadline=None)
def test_cuts_at_any_moment_lose_and_double_nothing(steps: list[str]) -> None:
    async def conversation() -> None:
        async with ModelServer() as server:
            provider = Resuming(server.provider(), AT_ONCE, repeat_s=LONGEST_S)
            person = Person(await provider.connect(LiveSetup()))
            listening = asyncio.create_task(person.listen())
            for name in steps:
                there = server.connections[-1]
                assert isinstance(there, Model)
                await step(name, person, there)
            there = await settled(server, person, "interrupt" in steps)
            await person.connection.aclose()
            await listening
            texts = [text for kind, text in person.sent if kind == "text"]
            assert [text for text in there.texts if not text.startswith("heard")] == texts
            assert there.heard == [number for kind, number in person.sent if kind == "audio"]
            assert sorted(person.told) == sorted(text for text in texts if text.startswith("ask"))
            for text in person.told:
                places = [place for place, item in enumerate(there.items) if f'{text}"' in str(item).replace("'", '"')]
                assert [there.items[place]["type"] for place in places] == ["message", "function_call"]
            outputs = [item["call_id"] for item in there.items if item["type"] == "function_call_output"]
            assert len(outputs) == len(set(outputs)) == len(person.told)

    run(conversation())
