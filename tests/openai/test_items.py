"""Whatever items a service sends, they come back as they were, in their order, at the same place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_plugins.openai.responses.events import Events
from inarch_plugins.openai.responses.requests import Encoder
from inarch_sdk.accumulator import Accumulator

from ..services.openai_events import response, stream

MODEL = "gpt-6.2-sol"
TOLD = inarch.ToolResult(True, "told")
TEXT = st.text(max_size=30)
SAID = {"type": "message", "role": "assistant", "status": "completed"}
PARTS = st.one_of(
    TEXT.map(lambda text: {"type": "output_text", "text": text, "annotations": []}),
    TEXT.map(
        lambda text: {"type": "output_text", "text": text, "annotations": [{"type": "file_path"}], "logprobs": []}
    ),
    TEXT.map(lambda text: {"type": "refusal", "refusal": text}),
)
ARGUMENTS = st.dictionaries(TEXT, st.one_of(st.integers(), TEXT, st.lists(st.none())), max_size=3)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")])
ITEMS = st.lists(
    st.one_of(
        st.builds(
            lambda texts, more: {
                "type": "reasoning", "summary": [{"type": "summary_text", "text": one} for one in texts], **more
            },
            st.lists(TEXT, max_size=3),
            st.sampled_from([{"encrypted_content": "gAAA"}, {"encrypted_content": "gAAA", "status": "completed"}]),
        ),
        st.builds(
            lambda parts, more: {**SAID, "content": parts, **more},
            st.lists(PARTS, max_size=3),
            st.sampled_from([{}, {"phase": "commentary"}, {"phase": "final_answer"}]),
        ),
        st.builds(
            lambda arguments, separators, ascii: {
                "type": "function_call", "name": "read_file", "status": "completed",
                "arguments": json.dumps(arguments, separators=separators, ensure_ascii=ascii),
            },
            ARGUMENTS, SEPARATORS, st.booleans(),
        ),
        st.just({"type": "program", "code": "x", "deep": {"a": [None, 1.5]}}),
    ),
    max_size=6,
)  # fmt: skip


def named(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give items their ids; the last is one that may be the last."""
    last = {"type": "message", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "The end.", "annotations": []}]}  # fmt: skip
    found = [{**item, "id": f"id_{number}"} for number, item in enumerate([*items, last])]
    return [{**item, "call_id": f"c_{item['id']}"} if item["type"] == "function_call" else item for item in found]


def made(items: Sequence[dict[str, Any]], encoder: Encoder, whole: bool = False) -> inarch.Message:
    """Return the message that a reply of these items becomes."""
    events = Events(inarch.HttpService("openai", "https://api.openai.com/v1"), encoder.origin(MODEL))
    collected, answer = Accumulator("openai"), response(1, MODEL, list(items))
    for event in [answer] if whole else stream(answer):
        for delta in events.read(json.loads(json.dumps(event))):
            collected.add(delta)
    return collected.reply().message


def encoder(address: str = "api.openai.com", is_openai: bool = True) -> Encoder:
    return Encoder("openai", address, is_openai, {})


def sent(encoder: Encoder, *messages: inarch.Message, model: str = MODEL) -> list[Any]:
    body = json.loads(encoder.body(inarch.ModelRequest(model, "", messages)))
    found: list[Any] = body["input"]
    return found


ASKED = inarch.Message("user", (inarch.Text("go"),))


@given(ITEMS, st.booleans())
def test_items_come_back_as_they_were(items: list[dict[str, Any]], whole: bool) -> None:
    given_ = named(items)
    message = made(given_, encoder(), whole)
    kept = inarch.from_data(inarch.Message, json.loads(json.dumps(inarch.to_data(message))))
    for one in (message, kept):
        assert sent(encoder(), ASKED, one)[1:] == given_


@given(ITEMS)
def test_a_reader_sees_messages_apart(items: list[dict[str, Any]]) -> None:
    given_ = named(items)
    texts = ["".join(part.get("text", part.get("refusal")) for part in item["content"])
             for item in given_ if item["type"] == "message"]  # fmt: skip
    assert made(given_, encoder()).text == "\n\n".join(filter(None, texts))


@given(ITEMS)
def test_elsewhere_only_what_was_said_and_done_is_sent(items: list[dict[str, Any]]) -> None:
    """At another address, after a compaction, or to another company's model."""
    message = made(named(items), encoder())
    bare = evolve(message, parts=tuple(
        evolve(part, provider_data=None) for part in message.parts if not isinstance(part, inarch.Reasoning)
    ))  # fmt: skip
    plain = sent(encoder(), ASKED, bare)
    assert {item["type"] for item in plain} <= {"message", "function_call"}
    assert not any("id" in item or "phase" in item for item in plain)
    assert sent(encoder("api.x.ai", False), ASKED, message) == plain
    there = made(named(items), encoder("api.x.ai", False))
    assert sent(encoder("api.x.ai", False), ASKED, there, model="another") == plain
    assert sent(encoder(), ASKED, message, model="another") == sent(encoder(), ASKED, message)


def test_words_that_changed_are_sent_as_they_are_now() -> None:
    thought = {"type": "reasoning", "encrypted_content": "gAAA", "summary": [
        {"type": "summary_text", "text": "key: s3cr3t"}, {"type": "summary_text", "text": "more"}]}  # fmt: skip
    say = {"type": "message", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": "it is s3cr3t", "annotations": []}]}  # fmt: skip
    call = {"type": "function_call", "name": "f", "arguments": '{"a": "s3cr3t"}', "status": "completed"}
    message = made(named([thought, say, call]), encoder())
    hidden = inarch.from_data(inarch.Message, json.loads(
        json.dumps(inarch.to_data(evolve(message, parts=tuple(map(redacted, message.parts)))))))  # fmt: skip
    assert "s3cr3t" not in json.dumps([item for item in sent(encoder(), ASKED, hidden) if item["type"] != "message"])
    first, second, third, _ = sent(encoder(), ASKED, hidden)[1:]
    assert [one["text"] for one in first["summary"]] == ["key: ‹secret›\n\nmore"]
    assert [one["text"] for one in second["content"]] == ["it is ‹secret›"]
    assert third["arguments"] == '{"a":"‹secret›"}'


def redacted(part: Any) -> Any:
    if isinstance(part, inarch.CallPart):
        return evolve(part, arguments={"a": "‹secret›"})
    return evolve(part, text=part.text.replace("s3cr3t", "‹secret›"))


def test_a_thought_at_the_end_is_not_sent() -> None:
    message = made(named([{"type": "reasoning", "summary": [], "encrypted_content": "x"}]), encoder())
    cut = evolve(message, parts=message.parts[:1])
    assert sent(encoder(), ASKED, cut) == sent(encoder(), ASKED)


def test_a_result_with_a_picture_is_a_list() -> None:
    shown = inarch.ToolResult(True, "a shot", images=(inarch.Image("image/png", b"x"),))
    results = (inarch.ResultPart("1", "call_1", "shoot", shown), inarch.ResultPart("2", "call_2", "say", TOLD))
    with_picture, plain = sent(encoder(), inarch.Message("tool", results))
    assert with_picture["output"] == [
        {"type": "input_text", "text": "a shot"},
        {"type": "input_image", "image_url": "data:image/png;base64,eA==", "detail": "auto"},
    ]
    assert plain["output"] == "told"


def test_an_early_end_and_an_error_are_reported() -> None:
    for reason, expected in (("max_output_tokens", "length"), ("content_filter", "filtered"), ("steered", "cut")):
        details = {"status": "incomplete", "incomplete_details": {"reason": reason}}
        assert ends(response(1, MODEL, [], **details)) == expected
    for code, kind in (("server_error", "server"), ("rate_limit_exceeded", "rate_limit"), ("bio_policy", "filtered"),
                       ("invalid_image", "request"), ("invalid_prompt", "filtered")):  # fmt: skip
        assert ends(response(1, MODEL, [], status="failed", error={"code": code, "message": "so it is"})) == kind
    assert ends({"type": "error", "code": "server_error", "message": "so it is", "param": None}) == "server"
    assert ends({"type": "error", "error": {"code": "context_length_exceeded", "message": "m"}}) == "context_length"


def ends(event: dict[str, Any]) -> str:
    events = Events(inarch.HttpService("openai", "http://x"), encoder().origin(MODEL))
    try:
        return next(delta.reason for delta in events.read(event) if isinstance(delta, inarch.Finish))
    except inarch.ProviderError as error:
        return error.kind
