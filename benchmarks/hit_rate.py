"""Which share of the input a service's prompt cache can serve, over a session with one call in each turn.

    python benchmarks/hit_rate.py [WIRE ...] [--turns 30]

The session runs with the default profile. Each request is compared with the one before it, item by item: tools, system
text and messages as canonical JSON without cache marks. What both begin with counts as cached, in characters. Reach
≥ 95 %. Beside the share stands how many requests go on where the one before them ended, and which one first does not.
The wires are those of `tests/providers/wires.py`; by default all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.providers.wires import KEY, WIRES, Calls, Says, Wire

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


def replies(wire: Wire, turns: int) -> Iterator[HttpReply]:
    """Yield a call and an answer for each turn."""
    for turn in range(turns):
        yield wire.render(Calls([("read_file", {"file_path": f"file_{turn}.txt"})]))
        yield wire.render(Says([f"File {turn} holds {LINES} lines."]))


async def session(wire: Wire, turns: int, folder: Path) -> list[list[str]]:
    """Run a session; return the items of its requests."""
    work, seen = folder / "work", list[list[str]]()
    work.mkdir()
    for turn in range(turns):
        (work / f"file_{turn}.txt").write_text("".join(f"{turn}: line {n} of a file\n" for n in range(LINES)))
    script = replies(wire, turns)

    def reply(request: HttpRequest) -> HttpReply:
        if request.method == "GET":
            return HttpReply([b'{"data": []}'], 200, {"content-type": "application/json"})
        seen.append(items_of(request.json))
        return next(script)

    with HttpServer([reply]) as server:
        settings = {wire.address: f"{server.url}{wire.path}", **wire.settings}
        async with inarch.compose(
            root=work,
            environ={"HOME": str(folder / "home"), wire.variable: KEY},
            config={"plugins": {wire.provider: settings}},
            flags={"model": f"{wire.provider}/{wire.model}"},
        ) as app:
            talk = app.session()
            for turn in range(turns):
                ended = await talk.run(f"What is in file_{turn}.txt? Read it first.")
                assert ended.status == "done", ended.error
    return seen


def measure(wire: Wire, turns: int) -> None:
    """Print the line of one wire."""
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(session(wire, turns, Path(folder)))
    cached, whole, broken = 0, sum(map(len, seen[0])), []
    for number, (before, now) in enumerate(pairwise(seen), 2):
        common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(now, before, strict=False))]
        cached, whole = cached + sum(map(len, common)), whole + sum(map(len, now))
        if len(common) < len(before):
            broken.append(number)
    first = f", the first broken one is request {broken[0]}" if broken else ""
    kept = f"{len(seen) - 1 - len(broken)} of {len(seen) - 1} requests go on{first}"
    print(f"{wire.provider}: {cached / whole:.1%} of the input is cached (reach ≥ 95 %); {kept}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wires", metavar="WIRE", nargs="*", choices=[[], *(wire.provider for wire in WIRES)])
    parser.add_argument("--turns", type=int, default=30)
    given = parser.parse_args()
    for wire in WIRES:
        if wire.provider in (given.wires or [one.provider for one in WIRES]):
            if wire.provider == "litellm" and find_spec("litellm") is None:
                print("litellm: left out, PyPI litellm is not installed")
                continue
            measure(wire, given.turns)


if __name__ == "__main__":
    main()
