"""The structured strategy over the real wires: what is sent, what is made of the reply, and what is remembered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply
from inarch_testing.http_server import Answer


def chat(text: str) -> HttpReply:
    def chunk(delta: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
        return {"id": "g", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}

    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return sse_reply([chunk({"content": text}), chunk({}, "stop", usage=usage)])


def gemini(text: str) -> HttpReply:
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10}
    return json_reply({"candidates": [candidate], "usageMetadata": usage})


def json_mode_of_chat(body: Any) -> Any:
    assert body["temperature"] == 0.1
    assert body["response_format"]["type"] == "json_schema"
    return body["response_format"]["json_schema"]["schema"]


def json_mode_of_gemini(body: Any) -> Any:
    config = body["generationConfig"]
    assert ("temperature" in config, config["responseMimeType"]) == (False, "application/json")
    return config["responseJsonSchema"]


@frozen
class Wire:
    """A provider, how its service answers, and where the schema stands in a request."""

    provider: str
    model: str
    path: str
    says: Callable[[str], HttpReply]
    schema: Callable[[Any], Any]
    decides: Callable[[HttpRequest], bool]


WIRES = [
    Wire("openai-compatible", "big", "/v1", chat, json_mode_of_chat, lambda r: "response_format" in r.json),
    Wire("gemini", "gemini-flash-latest", "/v1beta", gemini, json_mode_of_gemini,
         lambda r: "responseJsonSchema" in r.json.get("generationConfig", {})),
]  # fmt: skip
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.provider)


def reply(tool: str | None, **more: Any) -> str:
    return json.dumps({"requires_tool_call": tool is not None, "tool_name": tool, "reasoning": "so", **more})


def play(
    root: Path, wire: Wire, replies: Sequence[Answer], *prompts: str
) -> tuple[list[inarch.Turn], list[HttpRequest], list[inarch.Event]]:
    work = root / "work"
    work.mkdir()
    (work / "a.txt").write_text("ALPHA\n")
    places = {name: str(root / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    keys = {"GEMINI_API_KEY": "AIzaSyTHISISNOKEY012345"}
    with HttpServer(list(replies)) as server:
        app = inarch.compose(
            root=work,
            config={"plugins": {wire.provider: {"base_url": server.url + wire.path}}},
            flags={
                "model": f"{wire.provider}/{wire.model}",
                "decision_model": f"{wire.provider}/{wire.model}-lite",
                "strategy": ["structured", "native"],
                "fallback": ["offline"],
            },
            environ={**places, **keys},
            journal=False,
        )

        async def go() -> list[inarch.Event]:
            session = app.session()
            events = [event for prompt in prompts for event in [e async for e in session.stream(prompt)]]
            turns.extend(session.turns)
            await app.aclose()
            return events

        turns: list[inarch.Turn] = []
        events = asyncio.run(go())
        return turns, [request for request in server.requests if request.method == "POST"], events


@every_wire
def test_the_decision_is_asked_in_json_mode_without_tools_and_its_tool_runs_first(tmp_path: Path, wire: Wire) -> None:
    decision = reply("read_file", arguments={"file_path": "a.txt"})
    turns, asked, events = play(tmp_path, wire, [wire.says(decision), wire.says("it says ALPHA")], "what is in a.txt?")
    first, second = asked
    assert wire.decides(first) and not wire.decides(second)
    assert "tools" not in first.json and "tools" in second.json
    schema = wire.schema(first.json)
    assert set(schema["properties"]) == {"requires_tool_call", "tool_name", "arguments", "reasoning"}
    assert "-lite" in (first.path + str(first.json.get("model")))
    assert "ALPHA" in second.body.decode()
    assert [(call.name, call.origin, call.status) for call in turns[0].calls] == [("read_file", "strategy", "success")]
    assert turns[0].content == "it says ALPHA"
    spent = events[-1].data["spent"]
    assert [(row["purpose"], row["plugin"], row["input_tokens"]) for row in spent] == [
        ("decision", "dispatch", 100),
        ("turn", "", 100),
    ]


@every_wire
def test_a_service_that_refuses_the_decision_costs_the_turn_nothing(tmp_path: Path, wire: Wire) -> None:
    refused = json_reply({"error": {"message": "there are no decisions here", "code": 400}}, 400)
    turns, asked, _ = play(tmp_path, wire, [refused, refused, wire.says("fine")], "hello")
    assert [wire.decides(request) for request in asked] == [True, True, False]
    assert (turns[0].status, turns[0].content) == ("done", "fine")


@every_wire
def test_a_service_that_refuses_the_parameters_of_the_tools_is_asked_without_them_from_then_on(
    tmp_path: Path, wire: Wire
) -> None:
    refused = json_reply({"error": {"message": "the schema has too many branches", "code": 400}}, 400)
    script = [refused, wire.says(reply("list_files")), wire.says("one"), wire.says(reply(None)), wire.says("two")]
    turns, asked, _ = play(tmp_path, wire, script, "list them", "hello")
    schemas = [json.dumps(wire.schema(request.json)) for request in asked if wire.decides(request)]
    assert ["start_line" in schema for schema in schemas] == [True, False, False]
    assert [call.status for call in turns[0].calls] == ["success"]
