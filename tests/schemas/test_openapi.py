"""Schemas of tools in the API's words: nothing that it refuses, and nothing lost that a model should know."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_lib.schemas.openapi import openapi_parameters, reply_schema

TAKEN = {
    "type", "format", "description", "nullable", "enum", "minItems", "maxItems", "minLength", "maxLength", "minimum",
    "maximum", "minProperties", "maxProperties", "properties", "required", "items", "anyOf",
}  # fmt: skip
NODE = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}


def cleaned(schema: Any) -> Any:
    whole = openapi_parameters(
        {"type": "object", "properties": {"x": schema}, "$defs": {"Node": NODE, "C": {"enum": ["r"]}}}
    )
    assert whole is not None
    return whole["properties"]["x"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["integer", "null"], "minimum": 1}, {"type": "integer", "minimum": 1, "nullable": True}),
        ({"type": "string", "default": "**/*"}, {"type": "string", "description": '(default: "**/*")'}),
        ({"type": "string", "pattern": "^a"}, {"type": "string", "description": '(pattern: "^a")'}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        (
            {"type": "string", "format": "email", "description": "Whom"},
            {"type": "string", "description": 'Whom (format: "email")'},
        ),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"const": 5}, {"type": "integer", "description": "(always: 5)"}),
        ({"enum": ["a", "b", None]}, {"type": "string", "nullable": True, "enum": ["a", "b"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "(one of: [1, 2])"}),
        ({"enum": ["a", ""]}, {"type": "string", "description": '(one of: ["a", ""])'}),
        ({"$ref": "#/$defs/C"}, {"type": "string", "enum": ["r"]}),
        ({"$ref": "#/$defs/gone", "description": "d"}, {"type": "object", "description": "d (as gone)"}),
        (
            {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}], "description": "d"},
            {"anyOf": [{"type": "string", "description": "d"}, {"type": "array", "items": {"type": "number"}}]},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        (
            {"type": ["string", "integer"], "minLength": 2, "minimum": 0},
            {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 0}]},
        ),
        (
            {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"required": ["b"]}],
             "properties": {"b": {"type": "integer", "exclusiveMinimum": 2}}},
            {"type": "object", "required": ["a", "b"], "properties": {
                "b": {"type": "integer", "description": "(exclusiveMinimum: 2)"}, "a": {"type": "string"}}},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "description": '(keys are free, each value: {"type": "string"})'},
        ),
        ({"type": "object", "properties": {}, "additionalProperties": False}, {"type": "object"}),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "gone"]},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ),
        (
            {"$ref": "#/$defs/Node"},
            {"type": "object", "properties": {
                "value": {"type": "integer"}, "next": {"type": "object", "description": "(as Node)"}}},
        ),
    ],
)  # fmt: skip
def test_words_that_the_api_refuses_are_said_in_others(schema: Any, expected: Any) -> None:
    assert cleaned(schema) == expected


def test_anything_is_any_of_the_types() -> None:
    for schema in (True, {}, {"description": "d"}):
        assert [choice["type"] for choice in cleaned(schema)["anyOf"]] == ["string", "number", "boolean", "object"]
    assert "anyOf" in cleaned({"type": "array"})["items"]


def test_alternatives_of_whole_objects_become_members() -> None:
    either = [{"properties": {name: {"type": "string"}}, "required": [name]} for name in "ab"]
    whole = openapi_parameters({"type": "object", "anyOf": either})
    assert whole is not None
    assert set(whole["properties"]) == {"a", "b"}
    assert "required" not in whole
    assert "one of these holds" in whole["description"]


def test_a_tool_that_refers_to_itself() -> None:
    whole = openapi_parameters({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}})
    assert whole is not None and set(whole["properties"]) == {"value", "next"}
    names = range(12)
    web = {
        f"D{n}": {"type": "object", "properties": {f"p{m}": {"$ref": f"#/$defs/D{m}"} for m in names}} for n in names
    }
    assert openapi_parameters({"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": web}) is not None


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])


def members(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(["a", "b", "type"]), inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3), "enum": st.lists(SCALARS, max_size=3),
            "const": SCALARS, "default": SCALARS, "pattern": st.text(max_size=3), "properties": named, "items": inner,
            "required": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2), "additionalProperties": inner,
            "anyOf": some, "oneOf": some, "allOf": some, "prefixItems": some, "not": inner, "$schema": st.just("x"),
            "$ref": st.sampled_from(["#/$defs/D", "#/$defs/gone", "else.json", "#"]), "title": st.just("T"),
            "minimum": st.integers(0, 9), "format": st.sampled_from(["int32", "uri"]), "nullable": st.booleans(),
        },
    )  # fmt: skip


SCHEMAS = st.recursive(st.just({}) | st.booleans(), members, max_leaves=12)


def check(schema: Any) -> None:
    assert set(schema) <= TAKEN
    if "anyOf" in schema:
        assert set(schema) == {"anyOf"}
        assert len(schema["anyOf"]) > 1
    else:
        assert schema["type"] in ("string", "integer", "number", "boolean", "array", "object")
        assert ("items" in schema) is (schema["type"] == "array")
    assert all(isinstance(value, str) and value for value in schema.get("enum", ()))
    assert "enum" not in schema or schema["type"] == "string"
    assert schema.get("properties") != {}
    assert set(schema.get("required", ())) <= set(schema.get("properties", {}))
    inner = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
    for member in [*inner, schema["items"]] if "items" in schema else inner:
        check(member)


@settings(max_examples=3 * settings().max_examples)
@given(SCHEMAS, SCHEMAS)
def test_nothing_else_is_ever_sent(schema: Any, definition: Any) -> None:
    check(cleaned({"type": "object", "properties": {"x": schema}}))
    root = {**schema, "$defs": {"D": definition}} if isinstance(schema, dict) else {"properties": {"x": schema}}
    whole = openapi_parameters(root)
    if whole is not None:
        assert whole["type"] == "object"
        check(whole)
    reply_schema(root)


def test_a_schema_for_a_reply_keeps_json_schemas_own_words() -> None:
    schema = {
        "$schema": "s", "type": "object", "additionalProperties": False, "required": ["pattern"],
        "properties": {"pattern": {"type": ["string", "null"], "pattern": "a", "default": 1}, "k": {"const": "v"}},
    }  # fmt: skip
    assert reply_schema(schema) == {
        "type": "object", "additionalProperties": False, "required": ["pattern"],
        "properties": {"pattern": {"type": ["string", "null"]}, "k": {"enum": ["v"]}},
    }  # fmt: skip
