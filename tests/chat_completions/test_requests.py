"""What a `ModelRequest` becomes on the wire."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inarch import (
    CallPart,
    Message,
    ModelRequest,
    Reasoning,
    ResultPart,
    Text,
    ToolResult,
    ToolSpec,
)
from inarch_plugins.openai.chat_request import Encoder
from inarch_plugins.openai.dialect import Dialect

ASKED = Message("user", (Text("look"), Text("more")))


def body(*messages: Message, encoder: Encoder | None = None, **options: Any) -> Any:
    request = ModelRequest("m", options.pop("system", ""), messages, **options)
    return json.loads((encoder or Encoder("x")).body(request))


def test_options_are_sent_only_where_they_are_given() -> None:
    tool = ToolSpec("t", "does", {"type": "object"})
    plain = body(ASKED, tools=(tool,))
    assert not {"temperature", "max_tokens", "tool_choice"} & plain.keys()
    given = body(ASKED, tools=(tool,), tool_choice="none", temperature=0.0, max_output_tokens=9)
    assert (given["tool_choice"], given["temperature"], given["max_tokens"]) == ("none", 0.0, 9)
    named = body(ASKED, encoder=Encoder("x", {}, Dialect("max_completion_tokens")), max_output_tokens=9)
    assert named["max_completion_tokens"] == 9 and "max_tokens" not in named
    assert "tools" not in body(ASKED) and "tool_choice" not in body(ASKED, tool_choice="none")


def test_calls_without_an_id_of_the_service_get_ours_on_both_sides() -> None:
    called = Message("assistant", (Reasoning("hm"), CallPart("own", "", "t", {"ä": 1})))
    result = Message("tool", (ResultPart("own", "", "t", ToolResult(True, "done")),))
    assistant, tool = body(called, result)["messages"]
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "own"
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"ä": 1}
    assert (assistant["content"], tool["content"]) == (None, "done")
    assert "reasoning_details" not in assistant


def test_opaque_data_of_another_provider_stays_here() -> None:
    details = {"model": "m", "reasoning_details": [1]}
    said = Message("assistant", (Reasoning("", {"gemini": details}), Text("well")))
    assert body(said, encoder=Encoder("openrouter"))["messages"] == [{"role": "assistant", "content": "well"}]


def test_a_byte_that_is_no_letter_does_not_stop_a_request() -> None:
    assert body(Message("user", (Text("a\udc80b"),)))["messages"][0]["content"] == "a?b"


MESSAGES = st.lists(st.builds(lambda role, text: Message(role, (Text(text),)), st.sampled_from(("user", "assistant")),
                              st.text(max_size=3)), max_size=6)  # fmt: skip


@given(MESSAGES, st.lists(st.tuples(st.integers(0, 6), MESSAGES, st.sampled_from(("m", "n"))), max_size=5))
def test_what_is_kept_of_earlier_requests_changes_no_byte(
    messages: list[Message], steps: list[tuple[int, list[Message], str]]
) -> None:
    kept = Encoder("x")
    for size, more, model in steps:  # a request goes on from the last one, or from a part of it
        messages = [*messages[:size], *more]
        request = ModelRequest(model, "s", tuple(messages))
        assert kept.body(request) == Encoder("x").body(request)
