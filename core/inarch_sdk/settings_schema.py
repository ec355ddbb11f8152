"""JSON Schema (2020-12) of a configuration table, from its class."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from inarch_sdk.docstrings import describe_fields
from inarch_sdk.settings import Key, Kind, keys_of

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Path: {"type": "string"},
    Decimal: {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^[0-9]*\.?[0-9]+$"}]},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    type(None): {"type": "null"},
}


def table_schema(cls: type, within: tuple[type, ...] = ()) -> dict[str, Any]:
    """Return the schema of a table of this class; a key's own description takes precedence over the docstring's."""
    keys, within = keys_of(cls), (*within, cls)
    table: dict[str, Any] = {
        "type": "object",
        "description": (cls.__doc__ or "").strip().partition("\n")[0],
        "properties": {name: _key(key, within) for name, key in keys.items()},
        "additionalProperties": False,
    }
    meanings = describe_fields(cls)
    for name, key in keys.items():
        if meaning := key.doc or meanings.get(key.attribute.name) or meanings.get(name):
            table["properties"][name]["description"] = meaning
    required = [name for name, key in keys.items() if key.is_required]
    return table | ({"required": required} if required else {})


def _key(key: Key, within: tuple[type, ...]) -> dict[str, Any]:
    result = _of(key.kind, within)
    if key.check is not None and key.each:
        next(one for one in result.get("anyOf", (result,)) if "items" in one)["items"] |= key.check.schema
    elif key.check is not None:
        result |= key.check.schema
    if key.one_or_more:
        result = {"anyOf": [result, result["items"]]}
    default = key.default
    if isinstance(default, tuple) and all(isinstance(item, str) for item in default):
        default = list(default)
    if isinstance(default, (str, int, float, list)):
        result["default"] = default
    return result


def _of(kind: Kind, within: tuple[type, ...]) -> dict[str, Any]:
    inner = _of(kind.of[0], within) if kind.of else {}
    match kind.form:
        case "scalar":
            return dict(_SCALARS[kind.type])
        case "choice":
            return {"enum": list(kind.choices)}
        case "either":  # TOML has no null: an optional key may be omitted
            return {"anyOf": [_of(member, within) for member in kind.of]}
        case "list":
            return {"type": "array", "items": inner}
        case "table":
            return {"type": "object", "additionalProperties": inner}
        case "record":
            return {"type": "object"} if kind.type in within else table_schema(kind.type, within)
        case _:
            return {}
