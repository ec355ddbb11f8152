from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from inarch_lib.schemas import bounded
from inarch_lib.schemas.fastcheck import checker
from inarch_lib.schemas.validation import BrokenSchema, Schema, expected

from ..forking import LONGEST_S

_scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.5, float("nan")])
    | st.sampled_from(["", "a", "bb", "é"])
)  # fmt: skip
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
_types = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])


def _schema_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": _types | st.lists(_types, min_size=1, max_size=3, unique=True),
            "enum": st.lists(_values, min_size=1, max_size=3),
            "const": _values,
            "minimum": st.integers(-2, 2),
            "maximum": st.sampled_from([0, 1.5]),
            "exclusiveMinimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "minLength": st.integers(0, 2),
            "maxLength": st.integers(0, 2),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "items": inner,
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "description": st.just("said"),
            "default": _scalars,
            "not": inner,
            "pattern": st.just("^a"),
        },
    )


_schemas = st.recursive(st.booleans() | st.just({}), _schema_of, max_leaves=5)


@settings(max_examples=6 * settings().max_examples, deadline=None)
@given(_schemas, st.lists(_values, min_size=1, max_size=4))
def test_the_fast_checker_never_accepts_what_jsonschema_refuses(schema: Any, values: list[Any]) -> None:
    check = checker(schema)
    for value in values:
        if check is not None and check(value):
            assert Draft202012Validator(schema).is_valid(value)


@settings(max_examples=3 * settings().max_examples, deadline=None)
@given(_schemas, _values)
def test_faults_are_told_exactly_where_jsonschema_refuses(schema: Any, value: Any) -> None:
    assert bool(Schema(schema).faults(value)) == (not Draft202012Validator(schema).is_valid(value))


READ = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "Which."},
        "start_line": {"type": ["integer", "null"]},
        "paths": {"type": "array", "items": {"type": "string"}},
        "kind": {"enum": ["class", "function"]},
    },
    "required": ["file_path"],
    "additionalProperties": False,
}


def _message(arguments: dict[str, Any]) -> str:
    return "; ".join(Schema(READ).faults(arguments))


def test_valid_arguments_pass_without_jsonschema() -> None:
    code = (
        "import sys; from inarch_lib.schemas.validation import Schema\n"
        f"s = Schema({READ!r})\n"
        "assert s.faults({'file_path': 'a', 'start_line': None, 'paths': ['b'], 'kind': 'class'}) == ()\n"
        "assert 'jsonschema' not in sys.modules and 'cattrs' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, timeout=LONGEST_S)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "argument 'file_path' is missing"),
        ({"file_path": "a", "start_lin": 1}, "unknown argument 'start_lin' (did you mean 'start_line'?)"),
        ({"file_path": "a", "start_line": "x"}, "start_line: 'x' is not an integer or null"),
        ({"file_path": "a", "paths": ["b", 3]}, "paths[1]: 3 is not a string"),
        ({"file_path": "a", "kind": "clas"}, "kind: 'clas' is not one of 'class', 'function'"),
    ],
)
def test_messages_say_where_and_what(arguments: dict[str, Any], message: str) -> None:
    assert message in _message(arguments)


def test_how_a_tool_is_called_stands_on_one_line() -> None:
    assert expected("read_file", READ) == (
        "read_file(file_path: string, start_line?: integer or null, paths?: list of string, "
        "kind?: 'class' | 'function')"
    )
    assert expected("f", {}) == "f()"


@pytest.mark.parametrize("schema", [{"type": "strin"}, {"required": "a"}, {"properties": 3}, {"$ref": "#/nowhere"}])
def test_a_broken_schema_is_named_as_such(schema: dict[str, Any]) -> None:
    with pytest.raises(BrokenSchema):
        Schema(schema).faults({"b": 1})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"multipleOf": 0.1}, 10**400),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, {"a": 1}),
        ({"pattern": r"\p{L}+"}, "letters"),
    ],
)
def test_a_schema_that_breaks_the_checker_is_named_as_such(schema: dict[str, Any], value: Any) -> None:
    with pytest.raises(BrokenSchema):
        Schema(schema).faults(value)


def test_other_keywords_are_left_to_jsonschema() -> None:
    schema = Schema({"type": "object", "properties": {"a": {"pattern": "^x"}}})
    assert schema.faults({"a": "xy"}) == ()
    assert schema.faults({"a": "yx"})


DOUBLING = {f"d{number}": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(60)}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$defs": {**DOUBLING, "d60": {"type": "integer"}}, "$ref": "#/$defs/d0"}, 1),
        ({"type": "array", "allOf": [{"items": {"$ref": "#"}}] * 3}, eval("[" * 60 + "]" * 60)),
        ({"type": "array", "uniqueItems": True}, [{"n": number} for number in range(9_000)]),
        ({"type": "array", "uniqueItems": True}, [[{"n": number}] for number in range(300)]),
        ({"items": {"enum": [{"n": number} for number in range(3_000)]}}, [{}] * 3_000),
        ({"items": {"enum": [[*range(1_000), number] for number in range(90)]}}, [[*range(1_000), -1]] * 90),
    ],
    ids=["references", "nested", "unique", "few unique", "enum", "long members"],
)
def test_a_schema_that_would_be_applied_for_ever_is_broken(
    schema: dict[str, Any], value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST_STEPS", 50_000)
    with pytest.raises(BrokenSchema, match="more than 50,000 steps"):
        Schema(schema).faults(value)
    assert Schema({"minimum": 2, "multipleOf": 1}).faults(1), "the next one begins anew"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 60 + "b"),
        ("^(a|a)*$", "a" * 60 + "b"),
        ("^(([a-z])+.)+[A-Z]$", "a" * 100),
        ("^a*a*a*a*a*a*b$", "a" * 5_000),
        (r"^(a*)*\1$", "a" * 60 + "b"),
        ("^(?:a{1,99}){1,99}$", "a" * 60 + "b"),
        ("(?=(a+)+b)", "a" * 60),
        (f"^{'a?' * 32}{'a' * 32}$", "a" * 31),
        ("^(a?){32}a{32}$", "a" * 31),
        ("^((a{1,8}){1,8}){1,8}b", "a" * 60),
        (f"^{'(a|a)' * 40}b", "a" * 40),
        ("^(a|a|a|a)*b", "a" * 24),
    ],
)
def test_a_text_that_a_pattern_would_take_for_ever_on_is_not_held_to_it(pattern: str, text: str) -> None:
    assert Schema({"type": "string", "pattern": pattern}).faults(text) == ()
    assert Schema({"patternProperties": {pattern: False}}).faults({text: 1}) == ()
    for others in ("additionalProperties", "unevaluatedProperties"):
        assert Schema({"patternProperties": {pattern: True}, others: False}).faults({text: 1}) == ()


def test_a_short_text_is_held_to_it() -> None:
    for pattern in ("^(a+)+$", "^(a|a)*$", "^(([a-z])+.)+[A-Z]$", "^a*a*a*a*a*a*b$", "^(?:a{1,99}){1,99}$"):
        assert Schema({"type": "string", "pattern": pattern}).faults("!")


@given(
    st.from_regex(r"\A[ab]{1,20}\Z"), st.sampled_from(["^a+$", "b", "^(a|bb)+$", "a{2}", "^[ab]{3,}$", "(ab)*", "$"])
)
def test_what_is_held_to_a_pattern_is_what_re_says(text: str, pattern: str) -> None:
    assert (Schema({"pattern": pattern}).faults(text) == ()) == bool(re.search(pattern, text))
