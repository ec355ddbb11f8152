"""One request through the plugin `litellm` against bare `litellm.acompletion`: a conversation of so many messages.

Both send the same messages and tools to the same server (`serving.py`, 1 ms, one write) in turns, ours first in every
other round, and read the stream to its end; ours makes a whole reply of it, the bare loop joins the arguments of the
call. Prints one JSON line for each length of conversation: the median of the ratios of paired requests.

    python benchmarks/litellm_route.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

from programs import compared
from serving import serving

import inarch
from inarch_litellm import Settings
from inarch_litellm.library import library
from inarch_litellm.provider import LiteLLM
from inarch_litellm.requests import Encoder
from inarch_sdk.accumulator import Accumulator

MODEL = "openai/m"
KEY = "sk-benchmark"
REACH = 1.05
LENGTHS = (1, 20, 100)
"""Calls that the conversation has already had."""
ROUNDS = 60
WARM_UP = 5
SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
TOOLS = tuple(inarch.ToolSpec(f"tool_{number}", "Reads a small file.", SCHEMA) for number in range(20))


def conversation(calls: int) -> tuple[inarch.Message, ...]:
    """Return a prompt with so many calls and their results."""
    messages = [inarch.Message("user", (inarch.Text("read the note"),))]
    for number in range(calls):
        call = inarch.CallPart(f"i{number}", f"call_{number}", "tool_0", {"file_path": "note.txt"})
        result = inarch.ToolResult(True, {"path": "note.txt", "content": f"line {number}\n" * 3})
        messages += [
            inarch.Message("assistant", (call,)),
            inarch.Message("tool", (inarch.ResultPart(call.id, call.provider_id, call.name, result),)),
        ]
    return tuple(messages)


async def ours(provider: LiteLLM, request: inarch.ModelRequest) -> None:
    """Ask as the kernel does and make a whole reply of it."""
    collected = Accumulator("litellm")
    async for delta in provider.answer(request):
        collected.add(delta)
    assert collected.reply().calls


async def bare(litellm: Any, url: str, arguments: dict[str, Any]) -> None:
    """Ask as a loop of a few lines would."""
    stream = await litellm.acompletion(**arguments, api_base=url, api_key=KEY, max_retries=0, _skip_mcp_handler=True)
    said: list[str] = []
    async for chunk in stream:
        calls = (chunk.choices and chunk.choices[0].delta.tool_calls) or ()
        said.extend(call.function.arguments or "" for call in calls)
    assert json.loads("".join(said))


async def compare(url: str, rounds: int) -> None:
    """Measure every length of conversation and print a line for it."""
    litellm = await library()
    provider = LiteLLM(Settings(api_base=url), {"OPENAI_API_KEY": KEY})
    for calls in LENGTHS:
        request = inarch.ModelRequest(MODEL, "You are helpful.", conversation(calls), TOOLS)
        arguments = Encoder("litellm").arguments(request)
        pairs: list[tuple[float, float]] = []
        for number in range(WARM_UP + rounds):
            took = {}
            for who in ("ours", "bare") if number % 2 else ("bare", "ours"):
                began = time.perf_counter()
                await (ours(provider, request) if who == "ours" else bare(litellm, url, arguments))
                took[who] = time.perf_counter() - began
            if number >= WARM_UP:
                pairs.append((took["ours"], took["bare"]))
        compared(f"litellm route, {calls} calls before", pairs, REACH)
    await provider.close()


def main() -> None:
    """Start the server and compare."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    os.environ.pop("LITELLM_LOG", None)
    with serving() as server:
        asyncio.run(compare(f"{server.url}/1000000/v1", rounds))


if __name__ == "__main__":
    main()
