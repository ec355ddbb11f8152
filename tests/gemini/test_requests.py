"""Conversations of any shape are put into the order that the API wants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import (
    CallPart,
    HttpService,
    Image,
    Message,
    ModelRequest,
    Reasoning,
    ResultPart,
    Text,
    ToolError,
    ToolResult,
    ToolSpec,
)
from inarch_plugins.gemini.chunks import Chunks
from inarch_plugins.gemini.generate_request import OPENING, UNSIGNED, Encoder
from inarch_sdk.accumulator import Accumulator

NEW = "gemini-3-pro-preview"


def body(*messages: Message, model: str = NEW, **more: Any) -> Any:
    return json.loads(Encoder().body(ModelRequest(model, "", messages, **more)))


def contents(*messages: Message, model: str = NEW) -> list[tuple[str, list[Any]]]:
    return [(content["role"], content["parts"]) for content in body(*messages, model=model)["contents"]]


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def made(name: str, own: Mapping[str, Any] | None = None, provider: str = "gemini", call_id: str = "") -> CallPart:
    return CallPart(call_id or f"id-{name}", f"{provider}-{name}", name, {"x": 1}, {provider: own} if own else None)


def signed(signature: str, model: str = NEW, base_url: str = "") -> dict[str, str]:
    return {"signature": signature, "model": model, "base_url": base_url}


def result(name: str, call_id: str = "") -> ResultPart:
    return ResultPart(call_id or f"id-{name}", "", name, ToolResult(True, f"{name} done"))


def response(name: str, text: str) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": text}}}


def test_calls_of_another_provider_get_the_documented_placeholder() -> None:
    asked = Message("assistant", (made("a", {"x": "theirs"}, "openrouter"), made("b", provider="openrouter")))
    heard = Message("tool", (result("a"), result("b")))
    first, second = contents(user("go"), asked, heard)[1][1]
    assert first == {"functionCall": {"name": "a", "args": {"x": 1}}, "thoughtSignature": UNSIGNED}
    assert second == {"functionCall": {"name": "b", "args": {"x": 1}}}
    old = contents(user("go"), asked, heard, model="gemini-2.5-flash")[1][1]
    assert "thoughtSignature" not in json.dumps(old)


def test_signed_calls_of_our_own_never_get_it() -> None:
    asked = Message("assistant", (made("a", {"id": "7", **signed("S")}), made("b", {"id": "8"})))
    (_, (first, second)), (_, heard) = contents(user("go"), asked, Message("tool", (result("a"), result("b"))))[1:]
    assert first == {"functionCall": {"name": "a", "args": {"x": 1}, "id": "7"}, "thoughtSignature": "S"}
    assert second == {"functionCall": {"name": "b", "args": {"x": 1}, "id": "8"}}
    assert [part["functionResponse"]["id"] for part in heard] == ["7", "8"]


def test_a_conversation_that_begins_with_results_or_a_reply() -> None:
    assert contents(Message("tool", (result("a"),)), user("go on")) == [
        ("user", [{"text": OPENING}, {"text": "Result of a:\na done"}, {"text": "go on"}])
    ]
    assert contents(Message("assistant", (Text("said"),)), user("go on")) == [
        ("user", [{"text": OPENING}]), ("model", [{"text": "said"}]), ("user", [{"text": "go on"}]),
    ]  # fmt: skip
    assert contents() == [("user", [{"text": OPENING}])]


def test_results_stand_in_the_order_of_the_calls_and_a_missing_one_is_told() -> None:
    asked = Message("assistant", (made("a"), made("b"), made("c")))
    heard = contents(user("go"), asked, Message("tool", (result("c"), result("lost"), result("a"))))[2][1]
    assert heard == [
        response("a", "a done"),
        {"functionResponse": {"name": "b", "response": {"error": "no result of this call is known"}}},
        response("c", "c done"),
        {"text": "Result of lost:\nlost done"},
    ]
    assert len(contents(user("go"), asked, user("what?"))[2][1]) == 4


def test_failures_pictures_and_system_messages() -> None:
    failed = ToolResult(False, error=ToolError("not_found", "no such file", "list the files"))
    heard = contents(
        user("go"),
        Message("assistant", (made("a"),)),
        Message("tool", (ResultPart("id-a", "", "a", failed),)),
    )[2][1]
    assert heard[0]["functionResponse"]["response"] == {"error": "error (not_found): no such file list the files"}
    picture = body(Message("system", (Text("rules"),)), Message("user", (Text("see"), Image("image/png", b"\x89PNG"))))
    assert picture["contents"][0]["parts"][1] == {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}
    assert picture["systemInstruction"] == {"parts": [{"text": "rules"}]}


@pytest.mark.parametrize(("model", "is_inside"), [("gemini-3.7-flash", True), ("gemini-2.5-flash", False)])
def test_a_picture_of_a_result_is_inside_it_from_gemini_3_on(model: str, is_inside: bool) -> None:
    shown = ToolResult(True, "a shot", images=(Image("image/png", b"\x89PNG"),))
    results = Message("tool", (ResultPart("id-a", "", "a", shown),))
    request = ModelRequest(model, "", (user("go"), Message("assistant", (made("a"),)), results))
    answer, *beside = json.loads(Encoder().body(request))["contents"][2]["parts"]
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}
    assert answer["functionResponse"].get("parts", []) + beside == [picture]
    assert (beside == []) is is_inside


def test_options() -> None:
    tool = ToolSpec("t", "", {"type": "object", "properties": {}})
    asked = body(user("a"), tools=(tool,), tool_choice="required", max_output_tokens=9)
    assert asked["tools"] == [{"functionDeclarations": [{"name": "t", "description": "t"}]}]
    assert asked["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert asked["generationConfig"]["maxOutputTokens"] == 9
    decided = body(user("a"), tools=(tool,), response_schema={"type": "object", "$schema": "x"})
    assert "tools" not in decided
    assert decided["generationConfig"] == {
        "responseMimeType": "application/json", "responseJsonSchema": {"type": "object"},
    }  # fmt: skip


TEXTS = st.text(max_size=5)
IDS = st.sampled_from("abc")
OWN = st.none() | st.fixed_dictionaries(
    {},
    optional={"signature": TEXTS | st.none(), "id": TEXTS, "model": st.sampled_from([NEW, "m"]), "base_url": TEXTS,
              "raw": st.dictionaries(st.just("new"), st.integers(), min_size=1)},
)  # fmt: skip
PARTS = st.one_of(
    st.builds(lambda text, own: Text(text, own and {"gemini": own}), TEXTS, OWN),
    st.builds(lambda text, own: Reasoning(text, own and {"gemini": own}), TEXTS, OWN),
    st.builds(lambda name, own: made(name, own), IDS, OWN),
    IDS.map(result),
)
MESSAGES = st.lists(
    st.builds(
        lambda role, parts: Message(role, tuple(parts)),
        st.sampled_from(["user", "assistant", "tool", "system"]),
        st.lists(PARTS, max_size=4),
    ),
    max_size=6,
)


@given(MESSAGES)
def test_any_conversation_is_in_order(messages: list[Message]) -> None:
    found = contents(*messages)
    roles = [role for role, _ in found]
    assert roles == (["user", "model"] * len(roles))[: len(roles)]
    calls: list[str] = []
    for role, parts in found:
        assert parts
        answered = [part["functionResponse"]["name"] for part in parts if "functionResponse" in part]
        if role == "user":
            assert answered == calls
        else:
            assert answered == []
            calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    assert not calls or roles[-1] == "user"


@given(MESSAGES, st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=6))
def test_what_was_encoded_before_changes_nothing(messages: list[Message], cuts: list[tuple[int, bool]]) -> None:
    encoder = Encoder()
    for cut, foreign in [*cuts, (len(messages), False), (len(messages), True)]:
        request = ModelRequest("other" if foreign else "gemini-2.5-flash", "", tuple(messages[:cut]))
        assert encoder.body(request) == Encoder().body(request)


SIGNATURE = st.sampled_from(["", "", "S1", "S2"])
SENT = st.lists(
    st.builds(
        lambda part, signature: {**part, **({"thoughtSignature": signature} if signature else {})},
        st.one_of(
            st.builds(lambda text: {"text": text}, TEXTS),
            st.builds(lambda text: {"text": text, "thought": True}, TEXTS),
            st.builds(lambda name, call: {"functionCall": {"name": name, "args": {"x": [1]}, "id": call}}, IDS, IDS),
            st.builds(lambda number: {"sparkle": number}, st.integers(0, 9)),
        ),
        SIGNATURE,
    ),
    max_size=8,
)


def read(parts: list[Any], model: str = NEW) -> Message:
    chunks, collected = Chunks(HttpService("gemini", "http://127.0.0.1:9"), model), Accumulator("gemini")
    said = [{"candidates": [{"content": {"parts": [part]}}]} for part in [*parts, {"text": "."}]]
    for chunk in (*said, {"candidates": [{"finishReason": "STOP"}]}):
        for delta in chunks.read(chunk):
            collected.add(delta)
    for delta in chunks.end():
        collected.add(delta)
    return collected.reply().message


@given(SENT, st.sampled_from([NEW, "gemini-2.5-flash"]))
def test_every_part_comes_back_in_its_place_with_its_signature(parts: list[Any], model: str) -> None:
    expected: list[Any] = []
    joinable, has_call = False, False
    for part in [*parts, {"text": "."}]:
        is_signed, is_call = "thoughtSignature" in part, "functionCall" in part
        if not (is_signed or is_call or part.get("text", "sparkle")):
            continue  # nothing
        if "text" in part and "thought" not in part and not is_signed and joinable:
            expected[-1] = {"text": expected[-1]["text"] + part["text"]}  # pieces of one part
            continue
        joinable = "text" in part and "thought" not in part and not is_signed
        if part.get("thought") and not is_signed:
            continue  # only people have a use for it
        if is_call and not has_call and not is_signed and model == NEW:
            part = {**part, "thoughtSignature": UNSIGNED}
        has_call = has_call or is_call
        expected.append(part)
    asked = ModelRequest(model, "", (user("q"), read(parts, model)))
    encoder = Encoder(base_url="http://127.0.0.1:9")
    assert json.loads(encoder.body(asked))["contents"][1]["parts"] == expected


@given(SENT)
def test_no_other_model_or_address_gets_a_signature_and_a_refused_one_never_goes_again(parts: list[Any]) -> None:
    message = read(parts)
    has_call = any("functionCall" in part for part in parts)
    heard = Message("tool", tuple(ResultPart(part.id, "", part.name, ToolResult(True)) for part in message.parts
                                  if isinstance(part, CallPart)))  # fmt: skip
    messages = (user("q"), message, heard, user("r"))
    refusing = Encoder(base_url="http://127.0.0.1:9")
    request = ModelRequest(NEW, "", messages)
    assert refusing.leave_out_signatures(request) is any("thoughtSignature" in part for part in parts)
    assert not refusing.leave_out_signatures(request)
    for model, encoder in ((NEW, Encoder()), ("gemini-3.8-flash", Encoder(base_url="http://127.0.0.1:9")),
                           (NEW, refusing)):  # fmt: skip
        sent = encoder.body(ModelRequest(model, "", messages)).decode()
        assert sent.count('"thoughtSignature"') == sent.count(UNSIGNED) == int(has_call)
