"""CPU of a streamed chunk, from the wire to the event, beside `aiter_lines` and `json.loads` of bare httpx2.

    python benchmarks/stream_chunks.py [--runs 9] [--chunks 20000]

Both clients run in this process against the same server, in turns. Chunks come in a burst, all in one response of one
write, or one a write as chunks of the transfer. For each, one row is the provider's part (bytes to deltas) and one the
whole way of a turn: accumulated, looked through for secrets as a stream, shown as events. Reach: ≤ 2 ×.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time

import httpx2
from programs import compared
from serving import Server, serving

import inarch
from inarch_openai.provider import ChatCompletions

WAYS = {"chunks": "a burst", "writes": "one a write"}
"""How the server's scripts are called."""


async def bare(url: str) -> int:
    """Read the chunks with httpx2 alone."""
    count = 0
    async with (
        httpx2.AsyncClient(verify=False) as client,
        client.stream("POST", f"{url}/chat/completions", json={}) as answer,
    ):
        async for line in answer.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                choices = json.loads(line[6:])["choices"]
                count += bool(choices and choices[0]["delta"].get("content"))
    return count


async def deltas(url: str) -> int:
    """Read the chunks with the provider."""
    provider = ChatCompletions("bench", inarch.HttpService("bench", url), model="m")
    request = inarch.ModelRequest("m", "", (inarch.Message("user", (inarch.Text("go"),)),))
    count = 0
    try:
        async for delta in provider.answer(request):
            count += isinstance(delta, inarch.TextDelta)
    finally:
        await provider.close()
    return count


class Counter:
    """A front end that counts what it is shown."""

    name = "counter"
    selection = None
    count = 0

    def show(self, event: inarch.Event) -> None:
        """Count."""
        self.count += event.kind == "model.delta"

    async def approve(self, batch: object) -> list[inarch.Approval]:
        """Approve nothing."""
        return []

    def close(self) -> None:
        """Do nothing."""


async def turn(url: str, root: str) -> int:
    """Run a turn whose answer are the chunks, and count the events that show them."""
    counter = Counter()
    settings = {"openai-compatible": {"base_url": url}}
    profile = {"model": "openai-compatible/m", "strategy": ["native"]}
    config = {"profiles": {"default": profile}, "plugins": settings}
    app = inarch.compose(root=root, config=config, front_end=counter)
    try:
        await app.session().run("go")
    finally:
        await app.aclose()
    return counter.count


def cpu(work: object, *args: str) -> float:
    """Return the CPU seconds of one run."""
    assert callable(work)
    began = time.process_time()
    asyncio.run(work(*args))
    return time.process_time() - began


def measure(server: Server, runs: int, chunks: int, way: str) -> None:
    """Print both rows of one way that chunks come: CPU a chunk, without what a response without chunks costs."""
    many, few = f"{server.url}/{way}-{chunks}/v1", f"{server.url}/{way}-0/v1"
    with tempfile.TemporaryDirectory() as folder:
        rows: dict[str, list[tuple[float, float]]] = {"provider alone": [], "whole turn": []}
        for run in range(runs + 1):
            alone = cpu(bare, many) - cpu(bare, few)
            provider = cpu(deltas, many) - cpu(deltas, few)
            whole = cpu(turn, many, folder) - cpu(turn, few, folder)
            if run:  # the first imports what is needed
                rows["provider alone"].append((provider / chunks * 1000, alone / chunks * 1000))
                rows["whole turn"].append((whole / chunks * 1000, alone / chunks * 1000))
    for name, pairs in rows.items():
        compared(f"streamed chunk, {WAYS[way]}, {name}, CPU", pairs, 2.0, "us")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--chunks", type=int, default=20_000)
    options = parser.parse_args()
    with serving() as server, tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, **{f"XDG_{name}_HOME": home for name in ("CONFIG", "STATE", "CACHE", "DATA")}}
        for way in WAYS:
            measure(server, options.runs, options.chunks, way)


if __name__ == "__main__":
    main()
