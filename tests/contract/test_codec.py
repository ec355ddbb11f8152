from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch.contract import errors, records
from inarch.contract.codec import from_data, to_data
from inarch.contract.records import (
    CallPart,
    Effects,
    Image,
    Message,
    Reasoning,
    ResultPart,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
    Usage,
)

words = st.text(max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | words
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))
tables = st.dictionaries(words, values, max_size=3)
data = st.none() | tables
optional = st.none() | words


def one_of(name: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(getattr(records, name)))


tool_errors = st.builds(ToolError, st.sampled_from(get_args(errors.ErrorCode)), words, words)
results = st.builds(ToolResult, st.booleans(), values, st.none() | tool_errors, tables)
parts = st.one_of(
    st.builds(Text, words, data),
    st.builds(Reasoning, words, data),
    st.builds(CallPart, words, words, words, tables, data),
    st.builds(ResultPart, words, words, words, results, data),
    st.builds(Image, words, st.binary(max_size=40), data),
)
messages = st.builds(Message, one_of("Role"), st.lists(parts, max_size=4).map(tuple))
calls = st.builds(
    ToolCall, words, words, words, words, tables, one_of("CallStatus"), st.none() | results, optional, optional,
    one_of("CallOrigin"), st.lists(words, max_size=3).map(tuple),
)  # fmt: skip
counts = st.integers(0, 10**9)
usages = st.builds(
    Usage, counts, counts, counts, counts, st.none() | st.decimals(0, 1000, allow_nan=False, allow_infinity=False)
)
turns = st.builds(
    Turn, words, st.sampled_from(["user", "agent"]), optional, words, words, optional, words, words, words,
    st.lists(calls, max_size=2).map(tuple), usages, one_of("TurnStatus"), optional, optional,
)  # fmt: skip


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(to_data(value)))


@settings(deadline=None)
@given(turns)
def test_turns_come_back(turn: Turn) -> None:
    assert from_data(Turn, through_json(turn)) == turn


@settings(deadline=None)
@given(st.builds(Effects, st.frozensets(words), st.frozensets(words), st.booleans()))
def test_effects_come_back_and_their_sets_are_sorted(effects: Effects) -> None:
    plain = through_json(effects)
    assert from_data(Effects, plain) == effects
    assert plain["reads"] == sorted(effects.reads)


def test_parts_carry_their_class_and_provider_data_only_where_there_is_some() -> None:
    assert to_data(Text("a")) == {"type": "text", "text": "a"}
    assert to_data(Text("a", {"p": 1})) == {"type": "text", "text": "a", "provider_data": {"p": 1}}


class Colour(Enum):
    RED = "red"


class Word(str):
    """A subclass of a plain type."""


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Colour.RED, "red"),
        (PurePosixPath("a/b"), "a/b"),
        (Word("x"), "x"),
        (b"\x00\xff", "AP8="),
        ({1: (2, [3])}, {"1": [2, [3]]}),
        (frozenset({"b", "a"}), ["a", "b"]),
    ],
)
def test_rare_values_have_a_plain_form(value: Any, plain: Any) -> None:
    assert to_data(value) == plain


def test_what_has_no_json_form_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        to_data({"a": [object()]})


@pytest.mark.parametrize(
    ("cls", "wrong", "where"),
    [
        (Message, {"role": "user", "parts": [{"type": "song", "text": "x"}]}, "Message"),
        (Message, {"role": "user", "parts": [{"text": "x"}]}, "Message"),
        (Message, {"role": "king", "parts": []}, "role"),
        (ToolCall, {"id": "1"}, "name"),
        (Usage, {"cost_usd": "much"}, "Usage"),
        (Usage, 3, "Usage"),
    ],
)
def test_wrong_data_is_a_value_error_that_says_what(cls: type, wrong: Mapping[str, Any], where: str) -> None:
    with pytest.raises(ValueError, match=where):
        from_data(cls, wrong)
