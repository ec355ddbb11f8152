"""Which share of the input a service's prompt cache can serve, over a session with one call in each turn.

    python benchmarks/hit_rate.py [WIRE ...] [--turns 30]

The session runs with the default profile. Each request is compared with the one before it, item by item: tools, system
text and messages as canonical JSON without cache marks. What both begin with counts as cached, in characters. Reach
≥ 95 %. Beside the share stands how many requests go on where the one before them ended, and which one first does not.
The wires are those of `tests/providers/wires.py`, and OpenAI's Responses with the service of our tests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import count, pairwise, takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attrs import frozen
from tests.providers.wires import KEY, WIRES, Calls, Says, Wire
from tests.services import openai_api
from tests.services.openai_api import OpenAIService

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer

BEFORE = ("tools", "system", "instructions", "systemInstruction")
"""Members that a service reads before the conversation."""
CONVERSATION = ("messages", "input", "contents")
LINES = 60


def unmarked(value: Any) -> Any:
    """Return JSON without marks of what is to be cached."""
    if isinstance(value, dict):
        return {name: unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def items_of(body: dict[str, Any]) -> list[str]:
    """Return the items of a request in the order in which a service reads them."""
    members = (body.get(name) for name in (*BEFORE, *CONVERSATION))
    found = (one for member in members if member for one in (member if isinstance(member, list) else [member]))
    return [json.dumps(unmarked(one), sort_keys=True, ensure_ascii=False) for one in found]


@frozen
class Service:
    """What answers: `wire` says how it is asked, `key` with which key.

    Args:
        wire: The wire.
        key: The key.
        serve: Returns what answers a request, and what gives the prompt of a turn.
    """

    wire: Wire
    key: str
    serve: Callable[[], tuple[Callable[[HttpRequest], HttpReply], Callable[[int], str]]]


def scripted(wire: Wire) -> Service:
    """Return a service that follows a script of calls and answers."""

    def replies() -> Iterator[HttpReply]:
        for turn in count():
            yield wire.render(Calls([("read_file", {"file_path": f"file_{turn}.txt"})]))
            yield wire.render(Says([f"File {turn} holds {LINES} lines."]))

    def serve() -> tuple[Callable[[HttpRequest], HttpReply], Callable[[int], str]]:
        script = replies()
        return lambda _: next(script), lambda turn: f"What is in file_{turn}.txt? Read it first."

    return Service(wire, KEY, serve)


def responses() -> Service:
    """Return OpenAI's Responses, with a service that refuses what the real one does."""

    def serve() -> tuple[Callable[[HttpRequest], HttpReply], Callable[[int], str]]:
        service = OpenAIService()

        def prompt(turn: int) -> str:
            service.tool = ("read_file", {"file_path": f"file_{turn}.txt"})
            return f"Make call 1: what is in file_{turn}.txt?"

        return service.reply, prompt

    return Service(Wire("openai", lambda _: HttpReply(), "gpt-6.2-sol", "OPENAI_API_KEY"), openai_api.KEY, serve)


SERVICES = {wire.provider: scripted(wire) for wire in WIRES} | {"openai": responses()}


async def session(service: Service, turns: int, folder: Path) -> list[list[str]]:
    """Run a session; return the items of its requests."""
    work, seen = folder / "work", list[list[str]]()
    work.mkdir()
    for turn in range(turns):
        (work / f"file_{turn}.txt").write_text("".join(f"{turn}: line {n} of a file\n" for n in range(LINES)))
    answer, prompt = service.serve()

    def reply(request: HttpRequest) -> HttpReply:
        if request.method == "GET":
            return HttpReply([b'{"data": []}'], 200, {"content-type": "application/json"})
        seen.append(items_of(request.json))
        return answer(request)

    wire = service.wire
    with HttpServer([reply]) as server:
        settings = {wire.address: f"{server.url}{wire.path}", **wire.settings}
        async with inarch.compose(
            root=work,
            environ={"HOME": str(folder / "home"), wire.variable: service.key},
            config={"plugins": {wire.provider: settings}},
            flags={"model": f"{wire.provider}/{wire.model}"},
        ) as app:
            talk = app.session()
            for turn in range(turns):
                ended = await talk.run(prompt(turn))
                assert ended.status == "done", ended.error
    return seen


def measure(name: str, turns: int) -> None:
    """Print the line of one wire."""
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(session(SERVICES[name], turns, Path(folder)))
    cached, whole, broken = 0, sum(map(len, seen[0])), []
    for number, (before, now) in enumerate(pairwise(seen), 2):
        common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(now, before, strict=False))]
        cached, whole = cached + sum(map(len, common)), whole + sum(map(len, now))
        if len(common) < len(before):
            broken.append(number)
    first = f", the first broken one is request {broken[0]}" if broken else ""
    kept = f"{len(seen) - 1 - len(broken)} of {len(seen) - 1} requests go on{first}"
    print(f"{name}: {cached / whole:.1%} of the input is cached (reach ≥ 95 %); {kept}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wires", metavar="WIRE", nargs="*", choices=[[], *SERVICES], help="by default all")
    parser.add_argument("--turns", type=int, default=30)
    given = parser.parse_args()
    for name in given.wires or SERVICES:
        if name == "litellm" and find_spec("litellm") is None:
            print("litellm: left out, PyPI litellm is not installed")
        else:
            measure(name, given.turns)


if __name__ == "__main__":
    main()
