"""One conversation over every wire: the events are the same but for ids, usage and what only the provider reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpRequest, HttpServer

from ..openai.wire import WIRE as OPENAI
from .wires import KEY, Calls, Limited, Refused, Says, Step, Wire, composed
from .wires import WIRES as CHAT

pytestmark = [  # LiteLLM's own
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

WIRES = (*CHAT, OPENAI)
CONVERSATION: Sequence[tuple[str, Sequence[Step]]] = (
    ("how do a.txt and b.txt differ?", [
        Calls(
            [("read_file", {"file_path": "a.txt"}), ("read_file", {"file_path": "b.txt"})],
            "I look at both.",
            "Both are needed.",
        ),
        Calls([("read_file", {"file_path": "gone.txt"})]),
        Says(["They differ ", "in one ", "word."], "Now I know."),
    ]),
    ("are you sure?", [Limited(), Says(["Yes."])]),
    ("what else?", [Says(["Half of "], cut=True), Says(["Nothing ", "else."])]),
    ("and now?", [Refused()]),
)  # fmt: skip

DROPPED = frozenset({
    "usage", "cost_usd", "price", "duration_s", "seconds", "started", "ended", "time", "provider_id", "provider_data",
    "input_ratio", "remedy", "plugin", "answered_by", "company", "digest",
    "service",
})  # fmt: skip
_BROKEN = re.compile(r"(broke the connection off): .*?(?=; asking again|$)")
"""What each library for HTTP says of it in its own words."""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


async def conversation(wire: Wire, root: Path) -> tuple[list[inarch.Event], list[HttpRequest]]:
    """Lead the conversation over a wire and return everything that happened and everything that was sent."""
    script = [wire.render(step) for _, steps in CONVERSATION for step in steps]
    with HttpServer(script) as server:
        app = composed(wire, root, server.url, "sandbox-fs", flags={"approve": "all"}, journal=False)
        assert app.composition.refused == (), app.composition.refused
        try:
            session = app.session()
            events = [event for prompt, _ in CONVERSATION async for event in session.stream(prompt)]
        finally:
            await app.aclose()
        return events, server.requests


def normal(events: Sequence[inarch.Event], wire: Wire) -> list[Any]:
    """Return the events without what is different for good reasons; the same id gets the same number.

    A remedy names the provider's own variables and settings, and a price is not known of every provider.
    """
    ids: dict[str, str] = {}

    def text(value: str) -> str:
        value = value.replace(f"{wire.provider}/{wire.model}", "MODEL")
        value = value.replace(f"check the key in {wire.variable}", "check the key")  # some know its name
        value = _BROKEN.sub(r"\1", value.replace(wire.service or wire.provider, "SERVICE"))
        return _ID.sub(lambda match: ids.setdefault(match[0], f"id{len(ids)}"), value)

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items() if key not in DROPPED}
        return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value

    found = [(event.kind, plain(dict(event.data))) for event in events]
    return by_call(joined(found))


def by_call(found: list[Any]) -> list[Any]:
    """Put what is told of calls that ran at the same time one call after the other."""
    result: list[Any] = []
    for is_call, group in groupby(found, lambda pair: pair[0].startswith("call.")):
        pairs = list(group)
        result += sorted(pairs, key=lambda pair: call_of(pair[1])) if is_call else pairs
    return result


def call_of(data: dict[str, Any]) -> int:
    """Return the number that the id of an event's call was given."""
    return int((data.get("call_id") or data["call"]["id"]).removeprefix("id"))


def joined(found: list[Any]) -> list[Any]:
    """Join text that came in pieces: a wire may cut it as it likes."""
    result: list[Any] = []
    for kind, data in found:
        last = result[-1] if result else ("", {})
        if kind == last[0] == "model.delta":
            result[-1] = (kind, {key: last[1][key] + data[key] for key in data})
        else:
            result.append((kind, data))
    return result


Led = dict[str, tuple[list[inarch.Event], list[HttpRequest]]]


@pytest.fixture(scope="module")
def led(tmp_path_factory: pytest.TempPathFactory) -> Led:
    """Lead the conversation over every wire, once."""
    found = {}
    for wire in WIRES:
        root = tmp_path_factory.mktemp("home") / "work"
        root.mkdir()
        (root / "a.txt").write_text("ALPHA\n", "utf-8")
        (root / "b.txt").write_text("BETA\n", "utf-8")
        found[wire.provider] = asyncio.run(conversation(wire, root))
    return found


@pytest.mark.parametrize("wire", WIRES[1:], ids=lambda wire: wire.provider)
def test_the_events_are_the_same(led: Led, wire: Wire) -> None:
    expected = normal(led[WIRES[0].provider][0], WIRES[0])
    found = normal(led[wire.provider][0], wire)
    assert [kind for kind, _ in found] == [kind for kind, _ in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == theirs


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.provider)
def test_the_conversation_went_as_the_script_says(led: Led, wire: Wire) -> None:
    events, requests = led[wire.provider]
    turns = [event.data["turn"] for event in events if event.kind == "turn.ended" and event.data["turn"]["model"]]
    assert [turn["status"] for turn in turns] == ["done", "done", "done", "failed"]
    assert [turn["content"] for turn in turns[:3]] == ["They differ in one word.", "Yes.", "Nothing else."]
    results = sorted(event.data["status"] for event in events if event.kind == "call.result")
    assert results == ["error", "success", "success"]
    assert "this key is not valid" in turns[3]["error"]
    bodies = [request.body for request in requests if request.method == "POST"]
    assert len(bodies) == sum(len(steps) for _, steps in CONVERSATION)
    assert b"ALPHA" in bodies[1] and b"BETA" in bodies[1] and b"ALPHA" not in bodies[0]
    assert all(KEY in " ".join(request.headers.values()) for request in requests)
    assert not any(KEY in event.line for event in events)
