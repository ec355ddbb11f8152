"""What a model thought goes back to it: as plain text, as signed blocks in their places, as items of Responses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpServer, json_reply, sse_reply
from inarch_plugins.litellm import Settings
from inarch_plugins.litellm.provider import LiteLLM, wants_responses

from ..chat_completions.wire import KEY, call, calls, chunk, says
from .wire import CLAUDE, READ, begin, claude_says, end, event, run, stream, text, thinking, use

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
REFUSAL = (
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools,"
    " use /v1/responses or set reasoning_effort to 'none'."
)
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
           "encrypted_content": "ENC1"}  # fmt: skip
SAID = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
        "content": [{"type": "output_text", "text": "I read", "annotations": []}]}  # fmt: skip
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": READ,
        "status": "completed"}  # fmt: skip


def responses(*items: dict[str, Any]) -> HttpReply:
    """Return a reply of the Responses API with items, each of them whole."""
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5.6", "output": [],
                "tools": [], "tool_choice": "auto", "parallel_tool_calls": True}  # fmt: skip
    events = [event("response.created", response={**response, "status": "in_progress"})]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        events.append(event("response.output_item.added", output_index=index, item=begun(item)))
        if item["type"] == "message":
            said = item["content"][0]["text"]
            events.append(event("response.output_text.delta", **place, content_index=0, delta=said))
        if item["type"] == "function_call":
            events.append(event("response.function_call_arguments.delta", **place, delta=item["arguments"]))
        events.append(event("response.output_item.done", output_index=index, item=item))
    usage = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}
    ended = {**response, "status": "completed", "output": [*items], "usage": usage}
    return stream(*events, event("response.completed", response=ended))


def begun(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as it is announced."""
    empty: dict[str, Any] = {
        "reasoning": {"summary": []},
        "message": {"content": []},
        "function_call": {"arguments": ""},
    }
    return {**item, **empty[item["type"]]}


def test_a_model_that_chat_completions_refuse_is_asked_over_responses_and_gets_its_items_back(tmp_path: Path) -> None:
    refused = json_reply({"error": {"message": REFUSAL, "type": "invalid_request_error"}}, 400)
    last = {**SAID, "id": "msg_2", "phase": "final_answer", "content": [{"type": "output_text", "text": "well"}]}
    found = run(tmp_path / "w", [refused, responses(THOUGHT, SAID, CALL), responses(last)], model="openai/gpt-5.6")
    assert (found.turn.status, found.turn.content) == ("done", "well"), found.turn.error
    assert [request.path for request in found.requests] == ["/v1/chat/completions", "/v1/responses", "/v1/responses"]
    _, first, second = found.bodies
    assert first["store"] is second["store"] is False and "reasoning.encrypted_content" in second["include"]
    assert second["input"][: len(first["input"])] == first["input"] and second["tools"] == first["tools"]
    assert (found.turn.usage.input_tokens, found.turn.usage.output_tokens) == (18, 8)
    thought, said, called, result = second["input"][len(first["input"]) :]
    assert (thought["encrypted_content"], thought["summary"]) == ("ENC1", THOUGHT["summary"])
    assert said["phase"] == "commentary" and said["content"][0]["text"] == "I read"
    assert called["call_id"] == result["call_id"] and result["type"] == "function_call_output"


@pytest.mark.parametrize(
    ("model", "address", "wanted"),
    [
        ("openai/gpt-5.6", "", True),
        ("openai/gpt-6.1-sol", "", True),
        ("openai/gpt-6-luna", "https://eu.privatelink.api.openai.com/v1", True),
        ("openai/gpt-7", "https://api.openai.com/v1", True),
        ("openai/gpt-5.3", "", False),
        ("openai/gpt-5-mini", "", False),
        ("openai/gpt-4o", "", False),
        ("openai/gpt-oss-120b", "", False),
        ("openai/gpt-6-luna", "http://127.0.0.1:9/v1", False),
        ("groq/openai/gpt-6", "", False),
    ],
)
def test_responses_are_for_new_models_of_openai_alone(
    model: str, address: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    assert wants_responses(model, address) is wanted
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert not wants_responses(model, "")


def test_thoughts_between_texts_keep_their_places(tmp_path: Path) -> None:
    first = stream(
        begin(), thinking(0, "SIG1", "a"), text(1, "one"), thinking(2, "SIG2", "b"), text(3, "two"),
        use(4, "toolu_1", "read_file", READ), end("tool_use"),
    )  # fmt: skip
    found = run(tmp_path / "w", [first, claude_says("well")], model=CLAUDE)
    content = next(one["content"] for one in found.bodies[1]["messages"] if one["role"] == "assistant")
    assert [one.get("signature") or one.get("text") or one["id"] for one in content] == [
        "SIG1", "one", "SIG2", "two", "toolu_1"
    ]  # fmt: skip


@pytest.mark.parametrize("thought", ["I must read", ""])
def test_plain_thoughts_go_back_as_they_came_an_empty_one_as_well(tmp_path: Path, thought: str) -> None:
    first = sse_reply([chunk({"reasoning_content": thought}), *calls(call(0, "c1", "read_file", READ))])
    found = run(tmp_path / "w", [first, sse_reply(says("well"))])
    (assistant,) = (one for one in found.bodies[1]["messages"] if one["role"] == "assistant")
    assert assistant["reasoning_content"] == thought


def test_plain_thoughts_go_to_the_service_that_sent_them_and_a_blank_to_those_that_insist() -> None:
    own = {"litellm": {"model": "deepseek/deepseek-flash", "reasoning_content": True}}
    user = inarch.Message("user", (inarch.Text("x"),))
    history = (
        user,
        inarch.Message("assistant", (inarch.Reasoning("hm", own), inarch.Text("so"))),
        user,
        inarch.Message("assistant", (inarch.Text("well"),)),
        user,
    )

    async def go(url: str) -> None:
        keys = {"DEEPSEEK_API_KEY": KEY, "OPENAI_API_KEY": KEY, "MOONSHOT_API_KEY": KEY}
        provider = LiteLLM(Settings(api_base=f"{url}/v1"), keys)
        for model in ("deepseek/deepseek-v4-pro", "openai/large", "moonshot/kimi-k3.1-pro"):
            assert [one async for one in provider.answer(inarch.ModelRequest(model, "", history))]
        await provider.close()

    with HttpServer([sse_reply(says("well"))]) as server:
        asyncio.run(go(server.url))
        sent = [[one.get("reasoning_content") for one in request.json["messages"]][1::2] for request in server.requests]
    assert sent == [["hm", " "], [None, None], [" ", " "]], json.dumps(sent)
