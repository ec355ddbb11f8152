"""JSON Schema of a line, made from the event classes: `python -m inarch_plugins.jsonl_logger.schema` prints it.

`event-log.schema.json` beside this file is its output; a test compares the two.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import inarch
from inarch_plugins.jsonl_logger.logger import SCHEMA

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    Decimal: {"type": "string", "description": "US dollars, as decimal text"},
    bytes: {"type": "string", "contentEncoding": "base64"},
}
_TAGS: dict[type, str] = {
    inarch.Text: "text",
    inarch.Reasoning: "reasoning",
    inarch.CallPart: "call",
    inarch.ResultPart: "result",
    inarch.Image: "image",
}
_NOT_KEPT = "model.delta"


def schema() -> dict[str, Any]:
    """Return the schema of a line. Other kinds and keys are allowed: later versions may add them."""
    definitions: dict[str, Any] = {}
    kinds = []
    for kind, cls in sorted(inarch.EVENT_KINDS.items()):
        if kind != _NOT_KEPT:
            kinds.append(
                {
                    "if": {"properties": {"kind": {"const": kind}}},
                    "then": {"properties": {"data": _of(cls, definitions)}},
                }
            )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of Inarch's event log",
        "description": f"Version {SCHEMA}. docs/reference/events.md says what the keys mean.",
        "type": "object",
        "required": ["schema", "seq", "time", "session_id", "turn_id", "kind", "data"],
        "properties": {
            "schema": {"const": SCHEMA},
            "seq": {"type": "integer", "minimum": 1},
            "time": {"type": "string", "format": "date-time"},
            "session_id": {"type": "string"},
            "turn_id": {"type": ["string", "null"]},
            "kind": {"type": "string"},
            "data": {"type": "object"},
        },
        "allOf": kinds,
        "$defs": dict(sorted(definitions.items())),
    }


def text() -> str:
    """Return the schema in the form of the shipped file."""
    return json.dumps(schema(), indent=1) + "\n"


def _of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(each, definitions) for each in inner]}
    if origin in (tuple, frozenset):
        return {"type": "array", "items": _of(inner[0], definitions)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], definitions)}
    return _record(hint, definitions)


def _record(cls: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = cls.__name__
    if name not in definitions:
        definitions[name] = {}  # a record may hold itself
        fields, hints = cls.__attrs_attrs__, get_type_hints(cls)
        properties = {field.name: _of(hints[field.name], definitions) for field in fields}
        required = [field.name for field in fields if _has_no_default(field)]
        if cls in _TAGS:
            properties = {"type": {"const": _TAGS[cls]}, **properties}
            required = ["type", *required]
        says = (cls.__doc__ or "").partition("\n")[0]
        definitions[name] = {
            "description": says, "type": "object", "required": required, "properties": properties
        }  # fmt: skip
    return {"$ref": f"#/$defs/{name}"}


def _has_no_default(field: Any) -> bool:
    import attrs

    return field.default is attrs.NOTHING


if __name__ == "__main__":
    sys.stdout.write(text())
