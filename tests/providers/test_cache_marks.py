"""Marks of what a service is to keep: where it wants them and they pay, and every other request as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import sse_reply
from inarch_plugins.litellm.requests import Encoder as LiteEncoder
from inarch_plugins.openai.chat_request import Encoder
from inarch_plugins.openai.dialect import Dialect

from ..chat_completions.wire import call, calls, chunk, run, says

LONG = "Look at what the question needs. " * 200
CLAUDE = "anthropic/claude-sonnet-4.5"
MARK = {"type": "ephemeral"}
TOOL = inarch.ToolSpec("read_file", "Reads.", {"type": "object"})


def user(text: str) -> inarch.Message:
    return inarch.Message("user", (inarch.Text(text),))


def results(*texts: str) -> tuple[inarch.Message, inarch.Message]:
    made = [inarch.CallPart(f"i{n}", f"c{n}", "read_file", {}) for n, _ in enumerate(texts)]
    parts = (inarch.ResultPart(f"i{n}", f"c{n}", "read_file", inarch.ToolResult(True, t)) for n, t in enumerate(texts))
    return inarch.Message("assistant", tuple(made)), inarch.Message("tool", tuple(parts))


def request(*messages: inarch.Message, model: str = CLAUDE, **more: Any) -> inarch.ModelRequest:
    return inarch.ModelRequest(model, LONG, messages, (TOOL,), **more)


def marked(body: Any) -> list[int]:
    return [n for n, message in enumerate(body["messages"]) if "cache_control" in json.dumps(message)]


def encoder() -> Encoder:
    return Encoder("openrouter", dialect=Dialect(marks=lambda model: model.startswith("anthropic/")))


def test_the_ends_of_the_system_text_and_of_the_last_message_are_marked() -> None:
    one = encoder()
    first, second = user("go"), results("a", "b")
    body = json.loads(one.body(request(first)))
    assert body["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": LONG, "cache_control": MARK}]},
        {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": MARK}]},
    ]
    body = json.loads(one.body(request(first, *second)))
    assert marked(body) == [0, 4] and body["messages"][-1]["cache_control"] == MARK
    assert body["messages"][1] == {"role": "user", "content": "go"}
    body = json.loads(one.body(request(first, *second, user("more"))))
    assert marked(body) == [0, 5]


@pytest.mark.parametrize(
    "asked",
    [
        request(user("go"), model="openai/gpt-5"),
        inarch.ModelRequest(CLAUDE, "short", (user("go"),), (TOOL,)),
        request(user("go"), purpose="decision"),
        request(user("go"), tool_choice="none"),
    ],
)
def test_where_none_is_wanted_or_pays_the_bytes_are_as_before(asked: inarch.ModelRequest) -> None:
    assert encoder().body(asked) == Encoder("openrouter").body(asked)
    assert b"cache_control" not in encoder().body(asked)


def test_over_litellm_it_goes_by_the_service_and_the_model() -> None:
    def sent(model: str) -> Any:
        return LiteEncoder("litellm", marks=True).arguments(request(user("go"), *results("a"), model=model))

    for model in ("anthropic/claude-sonnet-4-5", "bedrock/eu.anthropic.claude-opus-4-6-v1:0", f"openrouter/{CLAUDE}"):
        assert marked(sent(model)) == [0, 3]
    for model in ("openai/gpt-5", "groq/claude-like", "anthropic/other"):
        assert sent(model) == LiteEncoder("litellm").arguments(request(user("go"), *results("a"), model=model))


def test_a_turn_over_openrouter_marks_and_counts(tmp_path: Path) -> None:
    used = {"prompt_tokens": 5_000, "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 4_000, "cache_write_tokens": 900}}  # fmt: skip
    replies = [
        sse_reply(calls(call(0, "c1", "read_file", '{"file_path": "a.txt"}'))),
        sse_reply([*says("well"), chunk(usage=used)]),
    ]
    found = run(tmp_path / "w", replies, model=CLAUDE)
    assert [marked(body) for body in found.bodies] == [[0, 1], [0, 3]]
    (usage,) = [e.data["usage"] for e in found.events if e.kind == "model.replied" and e.data["finish"] == "stop"]
    assert (usage["cached_tokens"], usage["written_tokens"]) == (4_000, 900)
    off = run(tmp_path / "off", replies, model=CLAUDE, settings={"cache_marks": False})
    assert [marked(body) for body in off.bodies] == [[], []]


def reply(inputs: int, cached: int = 0, written: int = 0, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": inputs, "cached_tokens": cached, "written_tokens": written}
    return {"model": "m", "purpose": "turn", "usage": usage, **more}
