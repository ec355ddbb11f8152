from __future__ import annotations

from typing import Any

import pytest

from inarch_lib.schemas.model_schemas import told_schema


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "object", "properties": {}, "additionalProperties": False}, {"type": "object", "properties": {}}),
        ({"additionalProperties": {"title": "T", "type": "string"}}, {"additionalProperties": {"type": "string"}}),
        ({"type": "integer", "minimum": 1, "maximum": 5_000, "default": 20}, {"type": "integer", "default": 20}),
        ({"type": "integer", "minimum": 2, "maximum": 9}, {"type": "integer", "minimum": 2, "maximum": 9}),
        ({"$comment": "for tools", "properties": {"$comment": {}}}, {"properties": {"$comment": {}}}),
        ({"type": "number", "minimum": 0.5}, {"type": "number", "minimum": 0.5}),
        ({"type": "boolean", "default": True}, {"type": "boolean", "default": True}),
        ({"type": "array", "items": {"minLength": 1}, "minItems": 1}, {"type": "array", "items": {}}),
        ({"anyOf": [{"title": "A"}, True]}, {"anyOf": [{}, True]}),
        ({"type": "array", "default": []}, {"type": "array"}),
        (
            {"properties": {"a": {"type": ["integer", "null"]}, "b": {"type": ["string", "null"]}}, "required": ["b"]},
            {"properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}}, "required": ["b"]},
        ),
        ({"properties": {"a": {"type": ["integer", "string", "null"]}, "b": True}},) * 2,
        ({"enum": [None, False], "const": {"title": "kept"}}, {"enum": [None, False], "const": {"title": "kept"}}),
    ],
)
def test_what_goes_without_saying_is_left_out(schema: dict[str, Any], told: dict[str, Any]) -> None:
    assert told_schema(schema) == told


def test_an_argument_may_be_called_like_a_word_of_the_schema() -> None:
    properties = {name: {"type": "string"} for name in ("title", "default", "minimum", "additionalProperties")}
    assert told_schema({"properties": properties}) == {"properties": properties}
