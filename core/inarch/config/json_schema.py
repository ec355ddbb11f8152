"""The JSON Schema (2020-12) of the configuration file, from the same classes that read it."""

from __future__ import annotations

import types
import typing
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from attrs import NOTHING, Attribute

from inarch.config.grants import CommandGrant, Isolation, Rule
from inarch.config.layers import VERSION
from inarch.config.scalars import ARRAYS
from inarch.config.settings_docs import settings_of
from inarch.config.tables import Profile
from inarch.config.values import Check, fields_of, hints

DIALECT = "https://json-schema.org/draft/2020-12/schema"
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


def schema(plugin_settings: Mapping[str, type] | None = None) -> dict[str, Any]:
    """Return the schema of the file; `[plugins.NAME]` is checked for the plugins whose settings class is given."""
    plugins = {name: _plugin_table(name, cls) for name, cls in (plugin_settings or {}).items()}
    profile = _table(Profile)
    profile["properties"] = {
        "extends": {"type": "string", "description": "The profile that gives what this one does not set."},
        **profile["properties"],
    }
    return {
        "$schema": DIALECT,
        "title": "Inarch configuration",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": VERSION, "description": "The version of this file's keys.", "default": VERSION},
            "profile": {"type": "string", "description": "The profile to use.", "default": "default"},
            "profiles": {"type": "object", "additionalProperties": profile},
            "plugins": {"type": "object", "properties": plugins, "additionalProperties": {"type": "object"}},
            "isolation": {"type": "object", "additionalProperties": _table(Isolation)},
            "rules": {"type": "array", "items": _table(Rule)},
            "commands": {"type": "object", "additionalProperties": _table(CommandGrant)},
        },
    }


def _plugin_table(name: str, cls: type) -> dict[str, Any]:
    """Describe a plugin's table; what its class says of a key in a docstring is its description."""
    table = _table(cls)
    for one in settings_of(name, cls):
        if one.meaning:
            table["properties"][one.key].setdefault("description", one.meaning)
    return table


def _table(cls: type) -> dict[str, Any]:
    fields = fields_of(cls)
    required = [name for name, item in fields.items() if item.default is NOTHING]
    table: dict[str, Any] = {
        "type": "object",
        "description": (cls.__doc__ or "").strip().partition("\n")[0],
        "properties": {name: _field(hints(cls)[item.name], item) for name, item in fields.items()},
        "additionalProperties": False,
    }
    return table | ({"required": required} if required else {})


def _field(annotation: Any, attribute: Attribute[Any]) -> dict[str, Any]:
    metadata = attribute.metadata
    result = _of(annotation)
    check: Check | None = metadata.get("check")
    if check is not None and metadata.get("each"):
        result["items"] = {**result["items"], **check.schema}
    elif check is not None:
        result |= check.schema
    if metadata.get("one_or_more"):
        result = {"anyOf": [result, result["items"]]}
    if metadata.get("doc"):
        result["description"] = metadata["doc"]
    default = attribute.default
    if isinstance(default, tuple) and all(isinstance(item, str) for item in default):
        default = list(default)
    if isinstance(default, (str, int, float, list)):
        result["default"] = default
    return result


def _of(annotation: Any) -> dict[str, Any]:
    if annotation is Any or annotation is object:
        return {}
    if annotation in _SCALARS:
        return dict(_SCALARS[annotation])
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return _of(arguments[0])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        # TOML has no null: an optional key is one that may be left out.
        members = [_of(item) for item in arguments if item is not type(None)]
        return members[0] if len(members) == 1 else {"anyOf": members}
    kind = origin or annotation
    if kind in ARRAYS or kind in (Sequence, Collection):
        return {"type": "array", "items": _of(arguments[0]) if arguments else {}}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _of(arguments[1]) if arguments else {}}
    return _table(kind) if hasattr(kind, "__attrs_attrs__") else {}
