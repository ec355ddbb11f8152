"""Whole turns over the wire: what is sent, what comes back, and what goes back again."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpServer, json_reply, sse_reply

from .wire import KEY, MODEL, call, calls, chunk, run, says

READ = '{"file_path": "a.txt"}'


def test_a_call_in_fragments_is_run_and_its_result_goes_back(tmp_path: Path) -> None:
    pieces = [call(0, "c1", "read_file", ""), *(call(0, None, None, letter) for letter in READ)]
    found = run(tmp_path / "w", [sse_reply(calls(*pieces)), sse_reply(says("two lines"))])
    assert found.turn.content == "two lines"
    assert [(one.name, one.status, one.provider_id) for one in found.turn.calls] == [("read_file", "success", "c1")]
    assistant, tool = found.bodies[1]["messages"][-2:]
    function = {"name": "read_file", "arguments": READ}
    assert assistant == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    assert (tool["role"], tool["tool_call_id"]) == ("tool", "c1")
    assert tool["content"].endswith("one\ntwo\n")


def test_the_first_request_has_our_headers_the_tools_and_the_usage_option(tmp_path: Path) -> None:
    settings = {"provider": {"order": ["acme"], "allow_fallbacks": False}, "extra": {"reasoning": {"effort": "low"}}}
    found = run(tmp_path / "w", [sse_reply(says("well"))], settings=settings)
    (request,) = found.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-title"] == "Inarch" and "http-referer" not in request.headers
    body = request.json
    assert (body["model"], body["stream"], body["usage"]) == (MODEL, True, {"include": True})
    assert body["provider"] == settings["provider"] and body["reasoning"] == {"effort": "low"}
    assert body["messages"][0]["role"] == "system" and "tool_choice" not in body
    assert {"name", "description", "parameters"} == set(body["tools"][0]["function"])


DETAILS = [
    {"type": "reasoning.text", "text": "first ", "index": 0, "format": "acme-v1", "signature": None},
    {"type": "reasoning.text", "text": "second", "index": 0, "signature": "c2ln"},
    {"type": "reasoning.encrypted", "data": "AAAA", "id": "c1", "index": 1, "format": "acme-v1"},
    {"type": "reasoning.encrypted", "data": "BBBB", "id": "c2", "index": 1, "format": "acme-v1"},
]
JOINED = [
    {"type": "reasoning.text", "text": "first second", "index": 0, "format": "acme-v1", "signature": "c2ln"},
    *DETAILS[2:],
]


@pytest.mark.parametrize("spoken", ["", "hm"])
def test_reasoning_details_go_back_unchanged_with_or_without_reasoning_that_can_be_read(
    tmp_path: Path, spoken: str
) -> None:
    thoughts = [chunk({"reasoning": spoken, "reasoning_details": [detail]}) for detail in DETAILS]
    first = sse_reply([*thoughts, *calls(call(0, "c1", "read_file", READ))])
    found = run(tmp_path / "w", [first, sse_reply(says("well")), sse_reply(says("again"))], ["one", "two"])
    for body in found.bodies[1:]:
        (assistant,) = (item for item in body["messages"] if item.get("tool_calls"))
        assert assistant["reasoning_details"] == JOINED


def test_what_one_model_encrypted_goes_to_no_other(tmp_path: Path) -> None:
    first = sse_reply([chunk({"reasoning_details": DETAILS[2:3]}), *calls(call(0, "c1", "read_file", READ))])
    gone = json_reply({"error": {"message": "out of credit"}}, 402)
    profile = {"fallback": ["openrouter/acme/small"]}
    found = run(tmp_path / "w", [first, gone, sse_reply(says("well"))], profile=profile)
    assert [body["model"] for body in found.bodies] == [MODEL, MODEL, "acme/small"]
    assert ["reasoning_details" in body["messages"][-2] for body in found.bodies[1:]] == [True, False]


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 7},
}


@pytest.mark.parametrize(
    ("more", "cost"),
    [
        ({"cost": 0.00012}, Decimal("0.00012")),
        ({"cost": 0}, Decimal(0)),
        ({}, None),
        ({"cost": "free"}, None),
        ({"cost": -1}, None),
        ({"cost": 0.25, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.5}}, Decimal("0.75")),
    ],
)
def test_usage_and_cost_are_what_the_service_says(tmp_path: Path, more: Any, cost: Decimal | None) -> None:
    found = run(tmp_path / "w", [sse_reply([*says("well"), {"choices": [], "usage": {**USAGE, **more}}])])
    usage = found.turn.usage
    assert (usage.input_tokens, usage.output_tokens) == (100, 20)
    assert (usage.cached_tokens, usage.reasoning_tokens, usage.cost_usd) == (60, 7, cost)


def test_a_compatible_servers_cost_comes_from_the_users_prices_only(tmp_path: Path) -> None:
    replies = [sse_reply([*says("well"), {"choices": [], "usage": {**USAGE, "cost": 9}}])]
    unknown = run(tmp_path / "a", replies, provider="openai-compatible")
    assert unknown.turn.usage.cost_usd is None
    prices = {"input_price": 1, "output_price": 2.5}
    known = run(tmp_path / "b", replies, provider="openai-compatible", settings=prices)
    assert known.turn.usage.cost_usd == Decimal("0.00015")
    cached = run(tmp_path / "c", replies, provider="openai-compatible", settings={**prices, "cached_price": 0.1})
    assert cached.turn.usage.cost_usd == Decimal("0.000096"), "60 of 100 tokens came from the cache"
    assert "usage" not in known.bodies[0]


def test_a_function_call_of_the_old_kind_is_run(tmp_path: Path) -> None:
    old = [{"function_call": {"name": "read_file", "arguments": ""}}, {"function_call": {"arguments": READ}}]
    script = [sse_reply([*map(chunk, old), chunk({}, "function_call")]), sse_reply(says("well"))]
    assert [one.status for one in run(tmp_path / "w", script).turn.calls] == ["success"]


def test_without_a_key_nothing_is_asked(tmp_path: Path) -> None:
    import inarch

    with HttpServer([sse_reply(says("well"))]) as server:
        tables = {"plugins": {"openrouter": {"base_url": server.url}}}
        turn = inarch.run("x", root=tmp_path, config=tables, flags={"model": "openrouter/x"}, environ={}, journal=False)
        assert turn.status == "failed" and "OPENROUTER_API_KEY is not set" in (turn.error or "")
        assert server.requests == []


@pytest.mark.parametrize("key", ["sk-\u00e9-0123456789", "sk-0123\r\nHost: evil"])
def test_a_key_that_no_header_can_hold_is_one_line_without_the_key(tmp_path: Path, key: str) -> None:
    import inarch

    environ = {"OPENROUTER_API_KEY": key, "HOME": str(tmp_path)}
    with HttpServer([sse_reply(says("well"))]) as server:
        tables = {"plugins": {"openrouter": {"base_url": server.url}}}
        turn = inarch.run(
            "x", root=tmp_path, config=tables, flags={"model": "openrouter/x"}, environ=environ, journal=False
        )
        assert "check the key" in (turn.error or "") and "0123" not in (turn.error or "")
        assert server.requests == []
