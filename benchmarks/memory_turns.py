"""Memory over many turns in one process: what it grows by after the first 100.

`python benchmarks/memory_turns.py [TURNS] [--http] [--objects]` runs turns of two requests and a read of about 2,000
characters in one session, with the real plugins, store and log and a scripted model, with `--http` one that is asked
over HTTP on this machine. Reach: 1 kB a turn. `--objects` counts what Python has allocated in place of the memory that
the process has, which moves by pages.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import calls, says, scripted_app
from inarch.testing.http_server import HttpReply, HttpRequest, HttpServer, sse_reply
from inarch.testing.scripted import Step

TURNS = 1000
WARM = 100


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


def served(request: HttpRequest) -> HttpReply:
    """Answer as a service: a call for each prompt, and an answer for each result."""
    number = len(request.body) % 7
    delta: dict[str, Any]
    if request.json["messages"][-1]["role"] == "tool":
        delta = {"content": f"answer {number} " * 20}
    else:
        function = {"name": "read_file", "arguments": json.dumps({"file_path": f"module_{number}.py"})}
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
            return calls(("read_file", {"file_path": f"module_{asked % 7}.py"}))
        return says(f"answer {asked} " * 20)

    app, model = scripted_app([step], root, journal=True, flags={"approve": "all"})
    model.repeat = True
    await run(app, turns, memory, model.requests.clear)  # a script remembers what it was asked, no real model does


async def run(app: inarch.App, turns: int, memory: Callable[[], float], forget: Callable[[], object]) -> None:
    """Run the turns and print the memory on the way."""
    session = app.session()
    after: dict[int, float] = {}
    for number in range(1, turns + 1):
        turn = await session.run(f"Have a look at number {number}, please.")
        assert turn.status == "done", turn
        forget()
        if number in (10, WARM) or number % 100 == 0:
            after[number] = memory()
            seq = session.conversation.journal.seq
            print(f"{number:>6} turns {after[number]:>8.1f} MB {seq:>8} events", flush=True)
    await app.aclose()
    grown = after[max(after)] - after[WARM]
    print(f"growth after the first {WARM}: {grown:.1f} MB, {1000 * grown / max(1, turns - WARM):.2f} kB a turn")


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
