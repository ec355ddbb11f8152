"""What is sent: it keeps its beginning, has the shape that the service wants, and of each model only what it takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st
from tests.services.anthropic_rules import MODELS, check, check_schema, units, unmarked

import inarch
from inarch import CallPart, Image, Message, Reasoning, ResultPart, Text, ToolResult
from inarch_plugins.anthropic import BETAS
from inarch_plugins.anthropic.blocks import fingerprint
from inarch_plugins.anthropic.messages_request import Encoder, closed_schema
from inarch_sdk.usage import cost_of

HEADERS = {"x-api-key": "sk-ant-x", "anthropic-version": "2023-06-01", "anthropic-beta": BETAS}
TOOL = inarch.ToolSpec("read_file", "Reads a file. " * 400, {"properties": {"path": {"type": "string"}}})
PICTURE = Image("image/png", b"x")
SEEN = ToolResult(True, "a shot", images=(PICTURE,))


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def own(**block: Any) -> dict[str, Any]:
    return {"anthropic": block}


def thought(words: str, signature: str = "claude-haiku-4-5:s") -> Reasoning:
    block = {"type": "thinking", "signature": signature}
    return Reasoning(words, own(block=block, hash=fingerprint(words)))


def call(number: int, name: str = "read_file", data: Any = None) -> CallPart:
    made = f"00000000-0000-7000-8000-{number:012}"
    return CallPart(made, f"toolu_{number}", name, {"path": "a"}, own(block={}) if data is None else data)


def result(made: CallPart, text: str = "found") -> ResultPart:
    return ResultPart(made.id, made.provider_id, made.name, ToolResult(True, text))


def request(*messages: Message, model: str = "claude-sonnet-5-5", **more: Any) -> inarch.ModelRequest:
    return inarch.ModelRequest(model, **{"system": "Be brief.", "messages": messages, "tools": (TOOL,), **more})


def body(asked: inarch.ModelRequest, encoder: Encoder | None = None) -> Any:
    return json.loads((encoder or Encoder()).body(asked))


def contents(asked: inarch.ModelRequest) -> list[Any]:
    return [unmarked(message["content"]) for message in body(asked)["messages"]]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FOREIGN = [None, {"openai": {"id": "rs_1"}}, {"gemini": {"thoughtSignature": "x"}}]
NAMES = st.sampled_from(["read_file", "functions.read_file", "", "x" * 200, "naïve"])


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Draw a conversation of any providers: replies of any parts, some without results, pictures, blank texts."""
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(1, 5))):
        match draw(st.sampled_from(["user", "reply", "reply", "system"])):
            case "reply":
                parts: list[inarch.Part] = []
                for kind in draw(st.lists(st.sampled_from(["text", "call", "foreign", "thought"]), max_size=5)):
                    number += 1
                    data = draw(st.sampled_from(FOREIGN))
                    parts.append({
                        "text": Text(draw(TEXTS), data),
                        "call": call(number, draw(NAMES), draw(st.sampled_from([None, {"x": 1}]))),
                        "foreign": Reasoning(draw(TEXTS), data),
                        "thought": thought(draw(TEXTS)),
                    }[kind])  # fmt: skip
                messages.append(Message("assistant", tuple(parts)))
                made = [part for part in parts if isinstance(part, CallPart)]
                given = draw(st.lists(st.sampled_from(made), unique_by=id)) if made else []
                if given or made:
                    seen = [evolve(result(one), result=SEEN) if draw(st.booleans()) else result(one) for one in given]
                    heard = [(one, PICTURE) if draw(st.booleans()) else (one,) for one in seen]
                    messages.append(Message("tool", tuple(part for both in heard for part in both)))
            case role:
                pictures = (PICTURE,) if draw(st.booleans()) else ()
                messages.append(Message(role, (Text(draw(TEXTS)), *pictures)))  # type: ignore[arg-type]
    return messages


@given(conversations(), st.sampled_from([*MODELS]), st.sampled_from(["turn", "decision"]))
def test_any_conversation_is_one_that_the_service_takes(said: list[Message], model: str, purpose: Any) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}} if purpose != "turn" else None
    for choice in ("auto", "none", "required"):
        for effort in (None, "minimal", "max"):
            asked = request(*said, model=model, purpose=purpose, tool_choice=choice, effort=effort,
                            response_schema=schema, temperature=0.1)  # fmt: skip
            check(body(asked), HEADERS)


@given(conversations())
@example([Message("assistant", (Text("0"),)), Message("user", (Text(""),)), Message("user", (Text("0"),))])
def test_a_request_begins_with_the_one_before(said: list[Message]) -> None:
    """A reply with calls is answered before the next request, and the kernel sends what it has sent before."""
    ends = [place for place, message in enumerate(said, 1) if not any(isinstance(p, CallPart) for p in message.parts)]
    encoder, before = Encoder(), list[str]()
    for end in [*ends, len(said)]:
        if said[end - 1].role == "assistant":
            continue  # no request ends so
        sent = body(request(user("go"), *said[:end]), encoder)
        assert sent == body(request(user("go"), *said[:end])), "what was encoded before changes nothing"
        now = [json.dumps(unmarked([*unit])) for unit in units(sent)]
        assert now[: len(before)] == before
        before = now


def test_the_blocks_of_a_reply_keep_their_order_and_what_came_with_them() -> None:
    raw = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    first, second = call(1), call(2, data=own(block={"caller": {"type": "direct"}}))
    parts = (
        thought("first"),
        Reasoning("", own(block={"type": "redacted_thinking", "data": "claude-sonnet-5-5:r"})),
        Text("one ", own(block={"type": "text", "citations": [{"n": 1}]}, hash=fingerprint("one "))),
        Reasoning("", own(block=raw)),
        first,
        thought("", "claude-sonnet-5-5:t"),
        second,
    )
    results = Message("tool", (result(second, "2"), result(first, "1"), PICTURE))
    _, said, heard, _ = contents(request(user("go"), Message("assistant", parts), results, user("on")))
    assert [(block["type"], block.get("thinking", block.get("id"))) for block in said] == [
        ("thinking", "first"), ("redacted_thinking", None), ("text", None), ("server_tool_use", "srvtoolu_1"),
        ("tool_use", "toolu_1"), ("thinking", ""), ("tool_use", "toolu_2"),
    ]  # fmt: skip
    assert (said[2]["text"], said[2]["citations"], said[3], said[6]["caller"]) == (
        "one ", [{"n": 1}], raw, {"type": "direct"},
    )  # fmt: skip
    assert [block["tool_use_id"] for block in heard] == ["toolu_1", "toolu_2"]
    assert [one["type"] for one in heard[0]["content"]] == ["text", "image"] and heard[1]["content"] == "2"


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        ((thought("a"), Text("b", own(block={}, hash=fingerprint("b"))), thought("c")), ["a", "b", "c"]),
        ((Reasoning("‹key›", thought("secret").provider_data), Text("b"), thought("c")), ["b"]),
        ((thought("a"), Text("‹key›", own(block={}, hash=fingerprint("b"))), thought("c")), ["a", "‹key›"]),
    ],
)
def test_a_thought_is_left_out_once_something_up_to_its_end_was_redacted(parts: Any, kept: Sequence[str]) -> None:
    said = contents(request(user("go"), Message("assistant", parts), user("on")))[1]
    assert [block.get("thinking", block.get("text")) for block in said] == kept


def test_without_their_data_thoughts_stay_out_and_ids_are_our_own() -> None:
    bare = CallPart("made-by-us", "call|1", "read_file", {}, {"openai": {"id": "fc_1"}})
    said, heard = contents(request(user("go"), Message("assistant", (Reasoning("x"), bare)),
                                   Message("tool", (result(bare),))))[1:]  # fmt: skip
    assert said == [{"type": "tool_use", "id": "made-by-us", "name": "read_file", "input": {}}]
    assert heard[0]["tool_use_id"] == "made-by-us"


def marked(sent: Any) -> list[str]:
    return [
        f"{block.get('text') or block.get('tool_use_id')}: {block['cache_control'].get('ttl', '5m')}"
        for _, block in units(sent)
        if "cache_control" in block
    ]


def test_marks_are_at_the_system_text_the_end_and_the_end_of_the_request_before() -> None:
    one = call(1)
    step = (Message("assistant", (one,)), Message("tool", (result(one),)))
    assert marked(body(request(user("go")))) == ["Be brief.: 5m", "go: 5m"]
    assert marked(body(request(user("go"), *step))) == ["Be brief.: 5m", "go: 5m", "toolu_1: 5m"]
    hour = Encoder("1h")
    said = (user("go"), *step, user("a note"), Message("assistant", (Text("done"),)), user("more"), user("and"))
    assert marked(body(request(*said), hour)) == ["Be brief.: 1h", "a note: 1h", "and: 1h"]
    assert marked(body(request(*said), Encoder(""))) == []
    assert marked(body(request(*said, tool_choice="none"))) == ["Be brief.: 5m"], "no request follows"
    assert marked(body(request(*said, purpose="decision"))) == []
    assert marked(body(request(user("go"), system=""))) == ["None: 5m", "go: 5m"], "the tools"


@pytest.mark.parametrize(
    ("model", "thinking", "effort"),
    [
        ("claude-haiku-4-5-20251001", {"type": "enabled", "budget_tokens": 16_384}, None),
        ("claude-opus-4-6", {"type": "adaptive", "display": "summarized"}, "high"),
        ("claude-sonnet-5", {"type": "adaptive", "display": "summarized"}, "high"),
        *(
            (model, {"type": "adaptive", "display": "summarized",
                     "block_binding": {"prefix_mismatch_behavior": "drop_block"}}, "high")
            for model in ("claude-fable-5-1", "claude-sonnet-5-5", "claude-opus-6", "claude-fable-latest", "m1")
        ),
        ("claude-3-5-haiku-latest", None, None),
    ],
)  # fmt: skip
def test_a_model_thinks_by_its_version(model: str, thinking: Any, effort: str | None) -> None:
    sent = body(request(user("go"), model=model, effort="high", temperature=0.1))
    assert (sent.get("thinking"), sent.get("output_config", {}).get("effort")) == (thinking, effort)
    assert "temperature" not in sent and sent["max_tokens"] == 64_000


def test_a_budget_is_left_out_where_the_service_would_refuse_it() -> None:
    one = call(1)
    bare, results = Message("assistant", (one,)), Message("tool", (result(one),))
    began = Message("assistant", (thought("x"), one))
    old = "claude-haiku-4-5"
    assert "thinking" not in body(request(user("go"), bare, results, model=old))
    assert "thinking" in body(request(user("go"), began, results, model=old))
    assert "thinking" in body(request(user("go"), bare, results, user("on"), model=old))
    assert "thinking" not in body(request(user("go"), model=old, max_output_tokens=1_500))


def test_a_decision_has_its_schema_or_is_told_it() -> None:
    said = Message("assistant", (thought("x"), Text("yes")))
    closed = {"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", None]},
                                               "n": {"anyOf": [{"type": "integer", "minimum": 1}]}}}  # fmt: skip
    sent = body(request(user("go"), said, user("?"), purpose="decision", response_schema=closed, tools=()))
    check_schema(sent["output_config"]["format"]["schema"])
    assert sent["output_config"]["effort"] == "low" and "thinking" not in str(sent)
    free = {"type": "object", "properties": {"arguments": {"type": "object"}}}
    sent = body(request(user("go"), purpose="decision", response_schema=free, tools=()))
    assert "format" not in sent["output_config"] and '"arguments"' in sent["system"][0]["text"]
    assert closed_schema({"type": "array", "items": {}}) is None and closed_schema(True) is None


def test_an_hour_in_the_cache_has_its_price() -> None:
    from inarch import HttpService
    from inarch_plugins.anthropic.claude import Anthropic

    prices = [Anthropic(HttpService("a", ""), "m", "m", cache).price("claude-haiku-5-5") for cache in ("5m", "1h")]
    if None in prices:
        pytest.skip("PyPI litellm is not installed")
    usage = inarch.Usage(150_000, written_tokens=150_000)
    short, long = (cost_of(usage, price) for price in prices if price is not None)
    assert (short, long) == (Decimal("0.09375"), Decimal("0.15")), "1.25 and 2 times 0.5 a million"


@given(conversations(), st.sampled_from([*MODELS]))
def test_every_member_is_one_of_the_official_types(said: list[Message], model: str) -> None:
    pytest.importorskip("anthropic")
    from anthropic.types.beta.message_create_params import MessageCreateParamsStreaming
    from tests.services.typed import wrong

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    for more in ({}, {"tool_choice": "required"}, {"purpose": "decision", "response_schema": schema}):
        assert wrong(body(request(*said, model=model, effort="low", **more)), MessageCreateParamsStreaming) == []
