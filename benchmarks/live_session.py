"""How soon a spoken session is heard and silent, and what it costs: the session, not the wire alone.

`python benchmarks/live_session.py [--runs N]` needs `contrib/inarch-live[audio]` installed. The scripted services
answer at once, on loopback and in this process, so what is measured is this side: from the answer to the last call to
the first sample that the speaker takes, and from the service's word that the person speaks to the first silence that it
takes. The speaker is miniaudio's device that is none, with the buffer of real ones; what a device holds beyond that is
not seen. CPU is user and system time of this process, with the service of `live.py` in one of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from array import array
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import define, field
from inarch_live.conversation import Conversation
from inarch_live.devices import Microphone, Speaker
from inarch_live.keeping import Tape
from inarch_live.model import LiveModel
from inarch_live.playback import Playback
from inarch_live.port import LiveCall, LiveProvider, LiveSetup
from inarch_live.testing import GeminiServer, OpenAIServer
from inarch_live.voice import Voice
from inarch_live.watching import Watched
from live import STREAMED_S, WIRES, cpu_of, report, service

import inarch

VOICE = array("h", [9000] * 48_000).tobytes()
NONE = [import_module("miniaudio").Backend.NULL]
Around = Callable[[], AbstractContextManager[object]]


@define(eq=False, slots=False)
class Timed(Playback):
    """Knows when the speaker last took silence, and when it last took a voice after that."""

    silent_at: float = 0.0
    sounded_at: float = 0.0

    def take(self, size: int) -> bytes:
        taken = super().take(size)
        now = time.perf_counter()
        if any(taken):
            self.sounded_at = self.sounded_at or now
        else:
            self.silent_at = self.silent_at or now
        return taken


class Quiet:
    """Shows nothing, and says yes."""

    name = "quiet"

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Any) -> Any:
        return [inarch.Approval(one.call.id, "approve") for one in batch]

    def close(self) -> None:
        pass


@define(eq=False)
class Turns:
    """Runs turns as they are spoken."""

    session: inarch.Session
    done: int = 0
    _spoken: asyncio.Queue[tuple[str, Around]] = field(factory=asyncio.Queue)

    def say(self, text: str, around: Around) -> None:
        self._spoken.put_nowait((text, around))

    def cancel(self) -> None:
        pass

    def changed(self) -> None:
        pass

    def hidden(self, text: str) -> str:
        return text

    def tell(self, text: str) -> None:
        print(text)

    def has_done(self, many: int) -> bool:
        return self.done >= many

    async def run(self) -> None:
        while True:
            text, around = await self._spoken.get()
            with around():
                await self.session.run(text)
            self.done += 1


@asynccontextmanager
async def talking(provider: LiveProvider, hears: bool) -> AsyncIterator[tuple[Timed, Turns]]:
    """Hold a spoken session about an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "README.md").write_text("Hello.\n")  # noqa: ASYNC240 - nothing else runs yet
        model, playback = LiveModel(lambda name: (provider, name), {}, "voice"), Timed()
        app = inarch.compose(
            config={}, root=folder, journal=False, environ={}, replacing=inarch.Replacements(models=[model]),
            flags={"model": "live/voice", "strategy": ["native"]},
        )  # fmt: skip
        tools = {name: bound.value for name, bound in app.composition.tools.items()}
        conversation = model.conversation = Conversation(provider, LiveSetup(), tools, playback)
        source = Microphone(NONE) if hears else None
        voice = Voice(conversation, source, Speaker(NONE), Tape(False), speaks_at_once=hears, headphones=True)
        app.front_end = Watched(Quiet(), voice)
        turns = Turns(app.session())
        tasks = [asyncio.create_task(turns.run()), asyncio.create_task(voice.run(turns))]
        try:
            yield playback, turns
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await app.aclose()


async def delays(kind: Any, runs: int) -> tuple[list[float], list[float]]:
    """Return the seconds from the last result to a voice, and from an interruption to silence."""
    to_voice, to_silence = [], []
    async with kind() as server, talking(server.provider(), hears=False) as (playback, turns):
        there = await server.connection()
        for number in range(runs):
            await there.hear("Read it.")
            await there.call(LiveCall(f"c{number}", "read_file", {"file_path": "README.md"}))
            await there.until(lambda there, wanted=number: len(there.results) > wanted)
            playback.sounded_at, began = 0.0, time.perf_counter()
            await there.speak(VOICE, "Done.")
            await until(lambda: playback.sounded_at)
            to_voice.append(playback.sounded_at - began)
            playback.silent_at, began = 0.0, time.perf_counter()
            await there.interrupt()
            await until(lambda: playback.silent_at)
            to_silence.append(playback.silent_at - began)
            await there.end_turn()
            await until(partial(turns.has_done, number + 1))
    return to_voice, to_silence


async def until(what: Callable[[], object]) -> None:
    """Wait until something holds; the device's thread doesn't tell."""
    while not what():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def measured(runs: int) -> None:
    """Measure both wires."""
    for name, kind in (("Gemini Live", GeminiServer), ("OpenAI Realtime", OpenAIServer)):
        for what, found in zip(("last result to first voice", "interruption to silence"), await delays(kind, runs),
                               strict=True):  # fmt: skip
            report(f"{name}: {what}, ms, median of {runs}", statistics.median(found) * 1000)
            report(f"{name}: {what}, ms, longest", max(found) * 1000)
        async with service() as address:
            async with talking(WIRES[name](address), hears=False):
                await asyncio.sleep(1)
                idle = await cpu_of(asyncio.sleep(STREAMED_S))
            report(f"{name}: CPU of an idle session, share of a core", idle / STREAMED_S)
            async with talking(WIRES[name](address), hears=True):
                await asyncio.sleep(1)
                streaming = await cpu_of(asyncio.sleep(STREAMED_S))
            report(f"{name}: CPU of one that hears and is heard, share of a core", streaming / STREAMED_S)


def main() -> None:
    """Measure, and print a line of JSON for each figure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=20)
    asyncio.run(measured(arguments.parse_args().runs))


if __name__ == "__main__":
    main()
