from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.schemas import repair, validation

READ = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string"},
        "start_line": {"type": ["integer", "null"]},
        "limit": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "paths": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "inner": {"type": "object", "properties": {"on": {"type": "boolean"}}, "additionalProperties": False},
        "mode": {"enum": ["true", "false"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
    },
    "required": ["file_path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ({"path": "a"}, {"file_path": "a"}),
        ({"path": "a", "file_path": "b"}, {"path": "a", "file_path": "b"}),
        ({"parameters": {"file_path": "a", "limit": 3}}, {"file_path": "a", "limit": 3}),
        ({"arguments": '{"path": "a"}'}, {"file_path": "a"}),
        ({"file_path": "out", "parameters": {"file_path": "in", "limit": 1}}, {"file_path": "out", "limit": 1}),
        ({"file_path": "a", "deep": "true"}, {"file_path": "a", "deep": True}),
        ({"file_path": "a", "deep": " False "}, {"file_path": "a", "deep": False}),
        ({"file_path": "a", "deep": "yes"}, {"file_path": "a", "deep": "yes"}),
        ({"file_path": "a", "limit": "12"}, {"file_path": "a", "limit": 12}),
        ({"file_path": "a", "limit": "12.5"}, {"file_path": "a", "limit": "12.5"}),
        ({"file_path": "a", "limit": 12.0}, {"file_path": "a", "limit": 12}),
        ({"file_path": "a", "ratio": "1e-3"}, {"file_path": "a", "ratio": 0.001}),
        ({"file_path": "a", "ratio": "nan"}, {"file_path": "a", "ratio": "nan"}),
        ({"file_path": "12"}, {"file_path": "12"}),
        ({"file_path": "a", "paths": '["b", "c"]'}, {"file_path": "a", "paths": ["b", "c"]}),
        ({"file_path": "a", "numbers": ["1", 2]}, {"file_path": "a", "numbers": [1, 2]}),
        ({"file_path": "a", "inner": {"on": "true"}}, {"file_path": "a", "inner": {"on": True}}),
        ({"file_path": "a", "mode": "true"}, {"file_path": "a", "mode": "true"}),
        ({"file_path": "a", "either": "7"}, {"file_path": "a", "either": 7}),
        ({"file_path": "a", "limit": None}, {"file_path": "a"}),
        ({"file_path": "a", "start_line": None}, {"file_path": "a", "start_line": None}),
        ({"file_path": None}, {"file_path": None}),
        ('{"path": "a", "limit": "2"}', {"file_path": "a", "limit": 2}),
        ("", {}),
        ("not json", "not json"),
        ("[1]", "[1]"),
        (7, 7),
    ],
)
def test_plain_slips_are_repaired_and_nothing_else(given_: object, wanted: object) -> None:
    assert repair.repair_arguments(given_, READ) == wanted


def test_an_argument_named_parameters_is_kept_where_the_schema_knows_it() -> None:
    schema = {"properties": {"parameters": {"type": "object"}}}
    assert repair.repair_arguments({"parameters": {"a": 1}}, schema) == {"parameters": {"a": 1}}


def test_it_tells_what_it_repaired() -> None:
    _, told = repair.repair_and_tell({"path": "a", "deep": "true", "limit": None}, READ)
    assert told == ("path read as file_path", "limit: null left out", "deep: text read as boolean")


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
    | st.sampled_from(["true", "false", "12", "1.5", "[1]", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_arguments = st.dictionaries(st.sampled_from([*READ["properties"], "path", "parameters", "arguments"]), _values)


@given(_arguments | _values)
def test_repairing_twice_is_repairing_once(arguments: object) -> None:
    once = repair.repair_arguments(arguments, READ)
    assert repair.repair_arguments(once, READ) == once


@given(_arguments)
def test_valid_arguments_stay_as_they_are(arguments: dict[str, object]) -> None:
    if not validation.Schema(READ).faults(arguments):
        assert repair.repair_arguments(arguments, READ) == arguments


@pytest.mark.parametrize(
    ("given", "repaired"),
    [
        ({"file_path": "a", "search_pattern": None}, {"file_path": "a"}),
        ({"path": "a", "file_path": None}, {"file_path": "a"}),
        ({"path": "a", "file_path": "a"}, {"file_path": "a"}),
        ({"path": "a", "file_path": "b"}, {"path": "a", "file_path": "b"}),
    ],
)
def test_nulls_under_names_that_nobody_has_are_left_out(given: dict[str, Any], repaired: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
    assert repair.repair_arguments(given, schema) == repaired


def test_nulls_of_a_tool_that_takes_any_name_stay() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}
    assert repair.repair_arguments({"b": None}, schema) == {"b": None}
