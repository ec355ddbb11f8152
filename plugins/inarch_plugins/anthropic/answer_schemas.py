"""JSON Schemas of structured answers in the words that the API takes.

It takes a part of JSON Schema and wants every object closed (Anthropic, page on structured outputs, and
`anthropic/lib/_parse/_transform.py` of anthropic 2.14.0, seen Nov 2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = ("title", "description", "enum", "const", "$ref", "required")
_DEFS = ("$defs", "definitions")


def closed_schema(schema: Any) -> dict[str, Any] | None:
    """Return a schema with closed objects; None if it cannot be said so: an object may have any member, say.

    >>> closed_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'additionalProperties': False}
    >>> closed_schema({"type": "object"})
    """
    try:
        return _closed(schema)
    except ValueError:
        return None


def _closed(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise ValueError("anything fits")
    closed: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    closed |= {key: {name: _closed(one) for name, one in schema[key].items()} for key in _DEFS if key in schema}
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        closed["anyOf"] = [_closed(one) for one in choices]
    elif not closed.keys() & {"enum", "const", "$ref"}:
        closed |= _typed(schema)
    return closed


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else list(kinds or ())
    typed: dict[str, Any] = {"type": kinds}
    if "object" in names:
        if not schema.get("properties") and schema.get("additionalProperties") is not False:
            raise ValueError("an object of any members")
        members = schema.get("properties") or {}
        typed |= {"properties": {name: _closed(one) for name, one in members.items()}, "additionalProperties": False}
    if "array" in names:
        typed["items"] = _closed(schema.get("items"))
    if not names or "allOf" in schema:
        raise ValueError("no type")
    return typed
