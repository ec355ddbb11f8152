"""The shapes of chat completions that several wires share."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Image, ReasoningDetails, Text, chat_content, chat_finish

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda x: st.lists(x, max_size=3))


@given(JSON)
def test_details_of_any_shape_are_survived(data: Any) -> None:
    details = ReasoningDetails()
    details.add(data)
    details.add([data, {"type": "reasoning.text", "text": "a"}])
    assert details.items == [{"type": "reasoning.text", "text": "a"}]


def test_text_is_one_text_unless_there_are_pictures() -> None:
    assert chat_content((Text("a"), Text("b"))) == "a\n\nb"
    shown = chat_content((Text("a"), Image("image/png", b"\x89PNG")))
    assert isinstance(shown, list)
    assert shown == [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
    ]


def test_pictures_of_results_follow_in_a_message_of_the_user() -> None:
    shown = inarch.ToolResult(True, "a shot", images=(Image("image/png", b"\x89PNG"),))
    told = inarch.ResultPart("2", "", "say", inarch.ToolResult(True, "told"))
    assert chat_content((inarch.ResultPart("1", "", "shoot", shown), told)) == [
        {"type": "text", "text": "Shown by shoot:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
    ]
    assert chat_content((told,)) == ""


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("tool_calls", "calls"),
        ("max_tokens", "length"),
        ("eos", "stop"),
        ("STOP", "stop"),
        ("refusal", "filtered"),
        ("content_filter: RECITATION", "filtered"),
        ("MALFORMED_FUNCTION_CALL", "malformed"),
        ("brand new", "cut"),
        ("", "cut"),
    ],
)
def test_finish_reasons_have_one_meaning(reason: str, finish: str) -> None:
    assert chat_finish(reason) == finish


def test_reasoning_details_without_end_are_given_up() -> None:
    details = ReasoningDetails()
    piece = [{"type": "reasoning.encrypted", "data": "x" * 1_000_000}]
    with pytest.raises(inarch.ProviderError, match="reasoning details") as caught:
        for _ in range(20):
            details.add(piece)
    assert caught.value.kind == "too_long"
    assert len(details.items) < 9
