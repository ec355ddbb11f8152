"""Turns over LiteLLM: what goes out, what comes back, and what must come back unchanged."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpServer, sse_reply
from inarch_plugins.litellm import Settings
from inarch_plugins.litellm.provider import LiteLLM

from ..chat_completions.wire import KEY, call, calls, chunk, says
from .wire import (
    CLAUDE,
    OPENAI,
    READ,
    begin,
    claude_says,
    end,
    run,
    stream,
    text,
    thinking,
    use,
)

# What the library does with its own libraries is not ours to repair.
pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
READS = sse_reply(calls(call(0, "c1", "read_file", READ)))
WELL = sse_reply(says("well"))


def test_a_plain_install_calls_a_tool(tmp_path: Path) -> None:
    found = run(tmp_path / "w", [READS, WELL])
    assert [(one.name, one.status) for one in found.turn.calls] == [("read_file", "success")]
    assert found.turn.content == "well"
    assert "_skip_mcp_handler" not in json.dumps(found.bodies)
    *_, assistant, tool = found.bodies[1]["messages"]
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "c1"


def test_what_one_model_signed_no_other_gets(tmp_path: Path) -> None:
    first = stream(begin(), thinking(0, "c2ln", "hm"), text(1, "so"), end("end_turn"))

    async def go(url: str) -> None:
        provider = LiteLLM(Settings(api_base=url), {"ANTHROPIC_API_KEY": KEY})
        asked = inarch.Message("user", (inarch.Text("x"),))
        data = {
            "litellm": {"model": CLAUDE, "thinking_blocks": [{"type": "thinking", "thinking": "h", "signature": "s"}]}
        }
        said = inarch.Message("assistant", (inarch.Reasoning("h", data), inarch.Text("so")))
        for model in (CLAUDE, "anthropic/claude-opus-4-1"):
            request = inarch.ModelRequest(model, "", (asked, said, asked))
            assert [one async for one in provider.answer(request)]
        await provider.close()

    with HttpServer([first]) as server:
        asyncio.run(go(server.url))
        blocks = [json.dumps(request.json) for request in server.requests]
    assert '"signature"' in blocks[0] and '"signature"' not in blocks[1]


def test_reasoning_details_go_back_joined(tmp_path: Path) -> None:
    details = [
        {"type": "reasoning.text", "text": "we", "index": 0},
        {"type": "reasoning.text", "text": "ll", "index": 0, "signature": "s"},
        {"type": "reasoning.encrypted", "data": "AAA", "index": 1},
    ]
    thoughts = [chunk({"reasoning_content": "hm", "reasoning_details": [one]}) for one in details]
    found = run(tmp_path / "w", [sse_reply([*thoughts, *calls(call(0, "c1", "read_file", READ))]), WELL])
    assistant = next(one for one in found.bodies[1]["messages"] if one["role"] == "assistant")
    assert assistant["reasoning_details"] == [
        {"type": "reasoning.text", "text": "well", "index": 0, "signature": "s"},
        {"type": "reasoning.encrypted", "data": "AAA", "index": 1},
    ]


def test_a_reply_with_a_schema_and_one_without_tools(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    answers = asyncio.run(asked([OPENAI], [sse_reply(says('{"a": 1}'))], response_schema=schema, temperature=0.0))
    body, texts = answers[0]
    assert body["response_format"]["json_schema"]["schema"] == schema and body["temperature"] == 0.0
    assert texts == '{"a": 1}'
    native = asyncio.run(asked([CLAUDE], [claude_says('{"a": 1}')], response_schema=schema, max_output_tokens=77))
    assert native[0][0]["max_tokens"] == 77 and '"a"' in json.dumps(native[0][0]) and native[0][1] == '{"a": 1}'


async def asked(models: list[str], replies: list[Any], **members: Any) -> list[tuple[Any, str]]:
    """Ask models directly and return each body with the text that came."""
    found = []
    with HttpServer(replies) as server:
        for model in models:
            base = server.url if model.startswith("anthropic/") else f"{server.url}/v1"
            provider = LiteLLM(Settings(api_base=base), {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
            user = inarch.Message("user", members.pop("parts", (inarch.Text("x"),)))
            request = inarch.ModelRequest(model, "S", (user,), **members)
            try:
                deltas = [delta async for delta in provider.answer(request)]
            finally:
                await provider.close()
            said = "".join(one.text for one in deltas if isinstance(one, inarch.TextDelta))
            found.append((server.requests[-1].json, said))
    return found


def test_an_argument_that_a_model_does_not_know_is_left_out() -> None:
    ((body, said),) = asyncio.run(asked(["openai/o3-mini"], [WELL], temperature=0.3))
    assert "temperature" not in body and said == "well"


def test_a_schema_that_a_model_can_not_keep_is_one_clear_error() -> None:
    with pytest.raises(inarch.ProviderError, match=r"take the request.*response_format.*name another model") as caught:
        asyncio.run(asked(["replicate/acme/large"], [WELL], response_schema={"type": "object"}, temperature=0.1))
    assert caught.value.kind == "request" and not caught.value.retryable


def test_prices_of_the_user_win_and_an_unknown_one_is_unknown(tmp_path: Path) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000, "total_tokens": 1}}
    replies = [sse_reply([*says("well"), usage])]
    assert run(tmp_path / "a", replies).turn.usage.cost_usd is None
    told = run(tmp_path / "b", replies, settings={"prices": {OPENAI: {"input": 1.5, "output": 2}}})
    assert told.turn.usage.cost_usd == Decimal("3.5")
    known = run(tmp_path / "c", replies, model="openai/gpt-4o")
    assert known.turn.usage.cost_usd is not None and known.turn.usage.cost_usd > 0


def test_retry_after_reaches_the_kernel() -> None:
    reply = HttpReply([b'{"error": {"message": "slow"}}'], 429, {"retry-after": "17"})
    for model in (OPENAI, CLAUDE):
        with pytest.raises(inarch.ProviderError) as caught:
            asyncio.run(asked([model], [reply]))
        assert (caught.value.kind, caught.value.retry_after, caught.value.retryable) == ("rate_limit", 17.0, True)


def test_a_request_is_sent_once_by_the_library() -> None:
    for model in (OPENAI, CLAUDE):
        with HttpServer([HttpReply([b"{}"], 500)]) as server:
            provider = LiteLLM(Settings(api_base=server.url), {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})

            async def go(provider: LiteLLM = provider, model: str = model) -> None:
                user = inarch.Message("user", (inarch.Text("x"),))
                with pytest.raises(inarch.ProviderError):
                    async for _ in provider.answer(inarch.ModelRequest(model, "", (user,))):
                        pass
                await provider.close()

            asyncio.run(go())
            assert len(server.requests) == 1


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
def test_a_reply_that_drips_for_ever_is_stopped(tmp_path: Path, model: str) -> None:
    drip: list[Any] = [b": still here\n\n", 0.05] * 2_000
    found = run(
        tmp_path / "w", [HttpReply(drip, 200, {"content-type": "text/event-stream"})], model=model, max_seconds=2
    )
    assert found.turn.status == "limited" and found.turn.limit == "max_seconds"


def test_marks_of_what_is_to_be_kept_arrive_at_anthropic(tmp_path: Path) -> None:
    first = stream(
        begin(cache_creation_input_tokens=700, cache_read_input_tokens=300), use(0, "t1", "read_file", READ),
        end("tool_use"),
    )  # fmt: skip
    found = run(tmp_path / "w", [first, claude_says("well")], model=CLAUDE)
    second = found.bodies[1]
    mark = {"type": "ephemeral"}
    assert second["system"][-1]["cache_control"] == mark
    (result,) = second["messages"][-1]["content"]
    assert (result["type"], result["cache_control"]) == ("tool_result", mark)
    assert json.dumps(second).count("cache_control") == 2
    usage = next(event.data["usage"] for event in found.events if event.kind == "model.replied")
    assert (usage["input_tokens"], usage["cached_tokens"], usage["written_tokens"]) == (1_010, 300, 700)
