"""What is made of a reply, whatever comes in it, and of what goes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.services.anthropic_api import KEY, AnthropicApi, reply_of, streamed

import inarch
from inarch import Delta, Finish, HttpService, Message, ProviderError, ProviderNote, Reasoning, Text
from inarch.testing import HttpReply, HttpServer, json_reply
from inarch_plugins.anthropic import BETAS
from inarch_plugins.anthropic.claude import Anthropic
from inarch_plugins.anthropic.events import Events
from inarch_plugins.anthropic.messages_request import Encoder
from inarch_sdk.accumulator import Accumulator
from inarch_testing.http_server import Answer

MODEL = "claude-sonnet-5-5"
ASKED = inarch.ModelRequest(MODEL, "", (Message("user", (Text("go"),)),))
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3_000, "output_tokens": 40,
         "output_tokens_details": {"thinking_tokens": 30}}  # fmt: skip


def events(content: Sequence[Any], reason: str = "end_turn", **more: Any) -> list[Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": f"{MODEL}-x", "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {**USAGE, "output_tokens": 1}}  # fmt: skip
    delta = {"stop_reason": reason, "stop_sequence": None, **more}
    return [
        {"type": "message_start", "message": message},
        *(event for index, block in enumerate(content) for event in streamed(index, block)),
        {"type": "message_delta", "delta": delta, "usage": USAGE},
        {"type": "message_stop"},
    ]


def text(words: str) -> Any:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "s") -> Any:
    return {"type": "thinking", "thinking": words, "signature": signature}


def use(name: str = "read_file", **arguments: Any) -> Any:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}


def read(*given: Any) -> tuple[inarch.Reply, list[Delta], Events]:
    """Return the reply that events make, its deltas, and what was read."""
    reader, collected, deltas = Events(HttpService("anthropic", "")), Accumulator("anthropic"), list[Delta]()
    for event in given:
        deltas += reader.read(event)
    for delta in [*deltas, *(end := list(reader.end()))]:
        collected.add(delta)
    return collected.reply(), [*deltas, *end], reader


def talk(*replies: Answer, request: inarch.ModelRequest = ASKED, **options: Any) -> tuple[list[Delta], list[Any]]:
    """Ask once over HTTP; return what came and the bodies that were sent."""
    with HttpServer(list(replies), options.pop("routes", {})) as server:
        headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "anthropic-beta": BETAS}
        provider = Anthropic(HttpService("anthropic", server.url, headers), MODEL, MODEL, **options)

        async def go() -> list[Delta]:
            deltas: list[Delta] = []
            try:
                async for delta in provider.answer(request):
                    deltas += [delta]
            except ProviderError as error:
                deltas.append(error)  # type: ignore[arg-type]
            await provider.close()
            return deltas

        return asyncio.run(go()), [json.loads(one.body) for one in server.requests if one.method == "POST"]


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
BLOCKS = st.one_of(
    WORDS.map(text),
    st.builds(thinking, st.one_of(st.just(""), WORDS), WORDS),
    WORDS.map(lambda data: {"type": "redacted_thinking", "data": data}),
    st.builds(use, path=st.one_of(WORDS, st.integers(), st.none())),
    st.builds(lambda caller: {**use(), "caller": {"type": caller}}, WORDS),
    st.builds(lambda name, more: {"type": f"new_{name}", "more": more}, WORDS, st.lists(st.integers(), max_size=2)),
)


@given(st.lists(BLOCKS, min_size=1, max_size=6))
def test_a_reply_goes_back_block_by_block_as_it_came(content: list[Any]) -> None:
    content = [{**block, "id": f"toolu_{place}"} if block["type"] == "tool_use" else block
               for place, block in enumerate(content)] + [text("end")]  # fmt: skip
    reply, _, reader = read(*events(content))
    kept = inarch.from_data(Message, json.loads(json.dumps(inarch.to_data(reply.message))))
    asked = inarch.ModelRequest(MODEL, "", (*ASKED.messages, kept, *ASKED.messages))
    assert json.loads(Encoder().body(asked))["messages"][1]["content"] == content == reader.content


def test_what_the_service_counts_apart_is_input() -> None:
    reply, _, _ = read(*events([text("hi")]))
    assert reply.usage == inarch.Usage(3_210, 40, 3_000, 30, written_tokens=200)
    assert reply.answered_by == inarch.AnsweredBy(f"{MODEL}-x")


def test_pieces_of_unknown_kinds_are_put_into_their_blocks() -> None:
    def piece(kind: str, **more: Any) -> Any:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": kind, **more}}

    def start(index: int, **block: Any) -> Any:
        return {"type": "content_block_start", "index": index, "content_block": block}

    stop = {"type": "content_block_stop", "index": 0}
    novel = [start(0, type="novel", words="a"), piece("novel_delta", words="b", seal=[1]), {"type": "brand_new"},
             piece("input_json_delta", partial_json='{"x":1}'), stop]  # fmt: skip
    cited = [start(0, type="text", text="t", citations=None), piece("citations_delta", citation={"n": 1}), stop]
    first, *rest = events([])
    _, _, reader = read(first, *novel, *cited, *rest)
    assert reader.content == [
        {"type": "novel", "words": "ab", "seal": [1], "input": {"x": 1}},
        {"type": "text", "text": "t", "citations": [{"n": 1}]},
    ]


@pytest.mark.parametrize(
    ("content", "reason", "more", "kind", "said"),
    [
        ([text("half")], "refusal", {"stop_details": {"type": "refusal", "category": "cyber", "explanation": "No."}},
         "filtered", "refusal: cyber: No."),
        ([text("half")], "model_context_window_exceeded", {}, "context_length", "model_context_window_exceeded"),
        ([text("half"), use(path="a")], "max_tokens", {}, "malformed", "the call of read_file was cut"),
        ([text("half")], "compaction", {}, "filtered", "compaction"),
    ],
)  # fmt: skip
def test_an_end_that_is_none_is_an_error_in_the_service_s_words(
    content: Any, reason: str, more: Any, kind: str, said: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        read(*events(content, reason, **more))
    assert caught.value.kind == kind and said in caught.value.message
    assert kind != "malformed" or "again with less in it" in (caught.value.told or "")


def test_a_text_that_was_cut_and_a_call_are_ends_as_ever() -> None:
    assert read(*events([text("half")], "max_tokens"))[0].finish == "length"
    assert read(*events([use()], "tool_use"))[0].calls[0].arguments == {}
    with pytest.raises(ProviderError, match="cut before its end"):
        read(*events([text("half")])[:-2])


def test_a_pause_is_gone_on_from_within_the_reply() -> None:
    server_use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    first, second = [text("I look. "), server_use], [text("Found."), use(path="a")]
    deltas, bodies = talk(reply_of(events(first, "pause_turn")), reply_of(events(second, "tool_use")))
    assert [len(body["messages"]) for body in bodies] == [1, 2]
    assert bodies[1]["messages"][1] == {"role": "assistant", "content": first}
    collected = Accumulator("anthropic")
    for delta in deltas:
        collected.add(delta)
    reply = collected.reply()
    assert [type(part) for part in reply.message.parts] == [Text, Reasoning, Text, inarch.CallPart]
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.finish) == (6_420, 80, "calls")
    paused, bodies = talk(reply_of(events(first, "pause_turn")))
    assert len(bodies) == 9 and paused[-1] == Finish("cut", "pause_turn"), "not for ever"


def test_an_error_in_the_midst_is_one_of_its_kind() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    (*_, caught), _ = talk(reply_of([*events([text("half")])[:3], error]))
    assert isinstance(caught, ProviderError)
    assert (caught.kind, caught.retryable, "Overloaded" in caught.message) == ("server", True, True)


def refused(status: int, kind: str, message: str) -> HttpReply:
    return json_reply({"type": "error", "error": {"type": kind, "message": message}}, status)


BOUND = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."


def test_refused_thoughts_are_left_out_from_then_on_and_later_ones_are_not() -> None:
    reply, _, _ = read(*events([thinking("old"), text("one")]))
    later, _, _ = read(*events([thinking("new", "t"), text("two")]))
    said = (*ASKED.messages, reply.message, *ASKED.messages)
    server = [refused(400, "invalid_request_error", BOUND), reply_of(events([text("well")]))]
    with HttpServer(server) as listening:
        provider = Anthropic(HttpService("anthropic", listening.url, {}), MODEL, MODEL)

        async def go() -> list[Delta]:
            first = [one async for one in provider.answer(inarch.ModelRequest(MODEL, "", said))]
            more = (*said, later.message, *ASKED.messages)
            return first + [one async for one in provider.answer(inarch.ModelRequest(MODEL, "", more))]

        deltas = asyncio.run(go())
        bodies = [json.dumps(one.json) for one in listening.requests]
    assert [('"old"' in body, '"new"' in body) for body in bodies] == [(True, False), (False, False), (False, True)]
    assert [one.text for one in deltas if isinstance(one, ProviderNote)] == [
        f"anthropic: earlier thoughts were refused and are left out (anthropic answered 400: {BOUND})"
    ]


@pytest.mark.parametrize(
    ("reply", "kind", "remedy"),
    [
        (refused(401, "authentication_error", "invalid x-api-key"), "auth", "check the key in ANTHROPIC_API_KEY"),
        (refused(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "quota",
         "add credit"),
        (refused(402, "billing_error", "no payment method"), "quota", "add some"),
        (refused(404, "not_found_error", "model: claude-sonet-5-5"), "request", "inarch models list"),
        (refused(400, "invalid_request_error", "prompt is too long: 2 tokens > 1 maximum"), "context_length", "new"),
        (refused(413, "request_too_large", "Request exceeds the maximum size"), "context_length", "session"),
        (refused(529, "overloaded_error", "Overloaded"), "server", ""),
        (refused(429, "rate_limit_error", "This request would exceed your rate limit"), "rate_limit", "wait"),
    ],
)  # fmt: skip
def test_errors_have_the_service_s_words_and_one_thing_to_do(reply: HttpReply, kind: str, remedy: str) -> None:
    (caught,), bodies = talk(reply, request=evolve(ASKED, model="claude-sonet-5-5"))
    assert isinstance(caught, ProviderError) and len(bodies) == 1
    assert caught.kind == kind and remedy in caught.remedy
    assert json.loads(b"".join(one for one in reply.chunks if isinstance(one, bytes)))["error"]["message"] in str(
        caught
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [("", "ANTHROPIC_API_KEY is not set"), ("sk-proj-1", "does not hold a key of Anthropic"),
     ("sk-or-v1-1", "holds a key of OpenRouter"), ("sk-ant-1", "")],
)  # fmt: skip
def test_a_key_of_another_service_is_never_sent_there(key: str, message: str, tmp_path: Any) -> None:
    def provider(base_url: str | None) -> Any:
        settings = {"base_url": base_url} if base_url else {}
        config = {"plugins": {"anthropic": settings}, "profiles": {"default": {"model": "anthropic"}}}
        app = inarch.compose(root=tmp_path, config=config, environ={"HOME": "/nowhere", "ANTHROPIC_API_KEY": key})
        app.close()
        return app.composition.models["anthropic"].value

    for base_url in (None, "https://api.anthropic.com/v1/"):
        official = provider(base_url)
        if message:
            with pytest.raises(ProviderError, match=message):
                official.check_key("m")
        else:
            official.check_key("m")
    if key:
        provider("https://gateway.example/anthropic").check_key("m")


def test_models_are_listed_with_their_limits_and_their_end() -> None:
    row = {"id": "claude-x", "display_name": "Claude X", "retires_at": "2026-11-30T00:00:00Z", "max_input_tokens": 5,
           "max_tokens": 3}  # fmt: skip
    with HttpServer([json_reply({"data": [row, {"id": 1}, None], "has_more": False})]) as server:
        provider = Anthropic(HttpService("anthropic", server.url, {}), MODEL, MODEL)
        (model,) = asyncio.run(provider.models())
    assert (model.name, model.description, model.context_tokens) == ("claude-x", "Claude X, retires on 2026-11-30", 5)
    assert provider.limits("claude-x") == inarch.Limits(5, 3)
    assert [provider.takes_effort(name) for name in (MODEL, "claude-haiku-4-5", "claude-3-5-haiku")] == [
        True, True, False,
    ]  # fmt: skip


@pytest.mark.slow  # the environment of slow tests has the client
def test_the_events_are_those_of_the_official_client() -> None:
    pytest.importorskip("anthropic")
    from anthropic.types.beta import BetaRawMessageStreamEvent
    from pydantic import TypeAdapter

    judge: TypeAdapter[Any] = TypeAdapter(BetaRawMessageStreamEvent)
    content = [thinking("x"), {"type": "redacted_thinking", "data": "d"}, text("a"), use(path="b")]
    with AnthropicApi() as api:
        body = json.loads(Encoder().body(ASKED))
        import httpx

        headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "anthropic-beta": BETAS}
        stream = httpx.post(f"{api.url}/v1/messages", json=body, headers=headers, trust_env=False).text
        sent = [json.loads(line[6:]) for line in stream.split("\n") if line.startswith("data: ")]
    for event in [*events(content), *(one for one in sent if one["type"] != "ping")]:
        judge.validate_python(event)
