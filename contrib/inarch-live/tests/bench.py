"""A spoken session in this process: a real application, the scripted service, and turns that are run as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from attrs import define, field
from inarch_live.conversation import Conversation
from inarch_live.devices import Sink, Source
from inarch_live.live_prices import rates_of
from inarch_live.model import LiveModel
from inarch_live.playback import Playback
from inarch_live.port import LiveProvider, LiveSetup
from inarch_live.recordings import Tape
from inarch_live.testing import LONGEST_S
from inarch_live.voice import Voice, Watched

import inarch

MODEL = "gpt-realtime"
Say = Callable[[inarch.ApprovalRequest], Any]
"""Answers a question: with an approval, None for no answer, or something to wait for."""


@define(eq=False)
class Answers:
    """A front end that keeps what it was shown, and answers what it is asked as the test says."""

    say: Say
    events: list[inarch.Event] = field(factory=list)
    asked: list[inarch.ApprovalRequest] = field(factory=list)
    name: str = "bench"

    def show(self, event: inarch.Event) -> None:
        self.events.append(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        self.asked += batch
        answers = [self.say(one) for one in batch]
        told = [await one if isinstance(one, Awaitable) else one for one in answers]
        return [one for one in told if one is not None]

    def close(self) -> None:
        pass

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.events if event.kind == kind]


class HandSpeaker:
    """A speaker that takes nothing by itself: the test takes from the playback."""

    def start(self, playback: Playback) -> None:
        pass

    def stop(self) -> None:
        pass


@define(eq=False)
class Bench:
    """The conversation, and its turns one after the other."""

    app: inarch.App
    session: inarch.Session
    voice: Voice
    seen: Answers
    recorded: list[tuple[str, Mapping[str, Any]]]
    turns: list[inarch.Turn] = field(factory=list)
    told: list[str] = field(factory=list)
    _lines: asyncio.Queue[tuple[str, Callable[[], AbstractContextManager[object]] | None]] = field(
        factory=asyncio.Queue
    )
    _running: asyncio.Task[inarch.Turn] | None = field(init=False, default=None)

    @property
    def conversation(self) -> Conversation:
        return self.voice.conversation

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> None:
        self._lines.put_nowait((text, around))

    def type(self, text: str) -> None:
        self._lines.put_nowait((text, None))

    def cancel(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def changed(self) -> None:
        pass

    def hidden(self, text: str) -> str:
        return text

    def tell(self, text: str) -> None:
        self.told.append(text)

    async def run(self) -> None:
        while True:
            text, around = await self._lines.get()
            if around is None:
                await self._turn(text)
            else:
                with around():
                    await self._turn(text)

    async def _turn(self, text: str) -> None:
        self._running = asyncio.get_running_loop().create_task(self.session.run(text))
        try:
            await asyncio.wait([self._running])
        except asyncio.CancelledError:
            self._running.cancel()
            await asyncio.wait([self._running])
            raise
        if self._running.cancelled():
            self.turns.append(self.session.turns[-1])
        else:
            self.turns.append(self._running.result())
        self._running = None

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(LONGEST_S):
            while not what():  # noqa: ASYNC110 - it is not told when
                await asyncio.sleep(0.005)


def approve(asked: inarch.ApprovalRequest) -> inarch.Approval:
    return inarch.Approval(asked.call.id, "approve")


@asynccontextmanager
async def talking(
    provider: LiveProvider,
    root: Path,
    *,
    say: Say = approve,
    source: Source | None = None,
    sink: Sink | None = None,
    prices: Mapping[str, Any] | None = None,
    hearing: str = "open",
    before: Callable[[inarch.App], str] | None = None,
    replacing: Mapping[str, Any] | None = None,
    headphones: bool = False,
    **flags: Any,
) -> AsyncIterator[Bench]:
    """Hold a spoken session about a folder."""
    model = LiveModel(lambda name: (provider, name), prices or {}, MODEL)
    app = inarch.compose(
        config={},
        root=str(root),
        flags={"model": f"live/{MODEL}", "strategy": ["native"], **flags},
        replacing=inarch.Replacements(models=[model], **(replacing or {})),
        environ={},
    )
    tools = {name: bound.value for name, bound in app.composition.tools.items()}
    setup = LiveSetup(model=MODEL, hearing=hearing)  # type: ignore[arg-type]
    recorded: list[tuple[str, Mapping[str, Any]]] = []
    rates = rates_of(MODEL, prices) if prices else None
    conversation = Conversation(
        provider, setup, tools, Playback(), rates, lambda name, data: recorded.append((name, data))
    )
    voice = Voice(conversation, source, sink, Tape(False), speaks_at_once=source is not None, headphones=headphones)
    seen = Answers(say)
    app.front_end = Watched(voice, seen)
    model.conversation = conversation
    bench = Bench(app, app.session(before(app) if before is not None else None), voice, seen, recorded)
    running, heard = asyncio.create_task(bench.run()), asyncio.create_task(voice.run(bench))
    try:
        await bench.until(lambda: conversation.is_connected or bench.told or heard.done())
        yield bench
    finally:
        for task in (running, heard):
            task.cancel()
        await asyncio.wait([running, heard])
        await app.aclose()
    for task in (running, heard):
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
