"""A tool's schema in the form for models: every request carries all schemas, so obvious parts are left out.

Calls are still checked against the whole schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

LOW, HIGH = 1, 1_000


def _is_low(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= LOW


def _is_high(value: Any) -> bool:
    return isinstance(value, int) and value >= HIGH


_UNSAID: Mapping[str, Callable[[Any], bool]] = {
    "title": lambda value: isinstance(value, str),
    "$comment": lambda value: isinstance(value, str),
    "additionalProperties": lambda value: value is False,
    "default": lambda value: value is None or value is False or value in ("", [], {}),
    "minLength": _is_low,
    "minItems": _is_low,
    "minimum": _is_low,
    "maxLength": _is_high,
    "maxItems": _is_high,
    "maximum": _is_high,
}
_BY_NAME = ("$defs", "definitions", "patternProperties")
_WITHIN = ("items", "additionalProperties", "not")
_EACH = ("anyOf", "oneOf", "allOf", "prefixItems")


def told_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without titles, and without bounds and defaults that calls do not need.

    >>> told_schema({"title": "Read", "properties": {"title": {"type": "string", "minLength": 1}}})
    {'properties': {'title': {'type': 'string'}}}
    """
    told: dict[str, Any] = {}
    required = schema.get("required", ())
    for key, value in schema.items():
        if key in _UNSAID and _UNSAID[key](value):
            continue
        if key == "properties" and isinstance(value, Mapping):
            told[key] = {name: _told(item if name in required else _given(item)) for name, item in value.items()}
        elif key in _BY_NAME and isinstance(value, Mapping):
            told[key] = {name: _told(item) for name, item in value.items()}
        elif key in _WITHIN:
            told[key] = _told(value)
        elif key in _EACH and isinstance(value, (list, tuple)):
            told[key] = [_told(item) for item in value]
        else:
            told[key] = value
    return told


def _given(schema: Any) -> Any:
    """Return the schema of a given argument: an optional one is left out rather than null."""
    kinds = schema.get("type") if isinstance(schema, Mapping) else None
    if not isinstance(kinds, (list, tuple)) or len(kinds) != 2 or "null" not in kinds or "enum" in schema:
        return schema
    (kind,) = (kind for kind in kinds if kind != "null")
    return {**schema, "type": kind}


def _told(value: Any) -> Any:
    return told_schema(value) if isinstance(value, Mapping) else value
