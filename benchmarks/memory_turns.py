"""Memory over many turns in one process: what it grows by once it has warmed up.

`python benchmarks/memory_turns.py [TURNS] [--http] [--edits] [--sessions] [--objects]` runs turns of two requests and a
read of about 2,000 characters, with `--edits` a write of as many, with the real plugins, store and log and a
scripted model, with `--http` one that is asked over HTTP on this machine; all in one session, with `--sessions` each in
one of its own. It counts the memory that the
process has, which moves by pages and arenas, the blocks that Python has allocated and the objects that its collector
knows; with `--objects` the bytes that Python has allocated instead of the first, which is slow. The growth is told from
turn 100, when all is imported, and from turn 300, when the conversation has as many turns as are seen. Reach: 1 kB a
turn.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import calls, says, scripted_app
from inarch.turns.rate_limit import Pacer
from inarch_testing.http_server import HttpReply, HttpRequest, HttpServer, sse_reply
from inarch_testing.scripted import Step

TURNS = 900
SEEN_FROM = (100, 300)
"""Turns from which the growth is told."""
A_MINUTE_S = 60.0
"""What a turn takes by the clock that requests are paced by, which remembers those of a minute."""


def resident_mb() -> float:
    """Return the memory that the process has now, after a collection."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def allocated_mb() -> float:
    """Return what Python's objects take now, after a collection."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / 1e6


def call(number: int) -> tuple[str, dict[str, Any]]:
    """Return what the model calls."""
    if "--edits" in sys.argv:
        content = f"# {time.monotonic_ns()}\n" + "value = 'a line of code'\n" * 80
        return "write_file", {"file_path": f"new_{number % 7}.py", "content": content}
    return "read_file", {"file_path": f"module_{number % 7}.py"}


def served(request: HttpRequest) -> HttpReply:
    """Answer as a service: a call for each prompt, and an answer for each result."""
    number = len(request.body) % 7
    delta: dict[str, Any]
    if request.json["messages"][-1]["role"] == "tool":
        delta = {"content": f"answer {number} " * 20}
    else:
        name, arguments = call(number)
        function = {"name": name, "arguments": json.dumps(arguments)}
        delta = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
    done = "stop" if "content" in delta else "tool_calls"
    chunks = [
        {"choices": [{"index": 0, "delta": delta}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": done}]},
    ]
    return sse_reply(chunks)


async def talk_over_http(root: str, turns: int, memory: Callable[[], float]) -> None:
    """Run the turns with a service on this machine."""
    with HttpServer([served]) as server:
        plugin = {"openai-compatible": {"base_url": f"{server.url}/v1", "model": "m"}}
        profile = {"model": "openai-compatible/m", "approve": "all"}
        app = inarch.compose(root=root, config={"profiles": {"default": profile}, "plugins": plugin})
        await run(app, turns, memory, server.requests.clear)


async def talk(root: str, turns: int, memory: Callable[[], float]) -> None:
    """Run the turns with a scripted model."""
    asked = 0

    def step(_: object) -> Step:
        nonlocal asked
        asked += 1
        if asked % 2:
            return calls(call(asked))
        return says(f"answer {asked} " * 20)

    app, model = scripted_app([step], root, journal=True, flags={"approve": "all"})
    model.repeat = True
    await run(app, turns, memory, model.requests.clear)  # a script remembers what it was asked, no real model does


async def run(app: inarch.App, turns: int, memory: Callable[[], float], forget: Callable[[], object]) -> None:
    """Run the turns and print on the way what there is, and at last what it grew by."""
    session, number = app.session(), 0
    pacer = app.parts.pacer
    assert isinstance(pacer, Pacer)
    pacer.clock = lambda: A_MINUTE_S * number
    after: dict[int, tuple[float, int, int]] = {}
    for number in range(1, turns + 1):
        turn = await session.run(f"Have a look at number {number}, please.")
        assert turn.status == "done" and all(call.status == "success" for call in turn.calls), turn
        forget()
        if "--sessions" in sys.argv:
            session = app.session()
        if number == 10 or number % 100 == 0:
            after[number] = mb, blocks, objects = memory(), sys.getallocatedblocks(), len(gc.get_objects())
            print(f"{number:>6} turns {mb:>8.2f} MB {blocks:>9,} blocks {objects:>8,} objects", flush=True)
    await app.aclose()
    last = max(after)
    for begin in SEEN_FROM:
        if begin < last:
            grown = [(new - old) / (last - begin) for new, old in zip(after[last], after[begin], strict=True)]
            print(
                f"growth from turn {begin} to {last}: "
                f"{1000 * grown[0]:.2f} kB, {grown[1]:.2f} blocks, {grown[2]:.2f} objects a turn"
            )


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    turns = int(words[0]) if words else TURNS
    memory = resident_mb
    if "--objects" in sys.argv:
        tracemalloc.start()
        memory = allocated_mb
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("STATE", "CONFIG", "CACHE")}
        root = Path(folder, "project")
        root.mkdir()
        for number in range(7):
            (root / f"module_{number}.py").write_text(f"# {number}\n" + "value = 'a line of code'\n" * 80)
        asyncio.run((talk_over_http if "--http" in sys.argv else talk)(str(root), turns, memory))


if __name__ == "__main__":
    main()
