"""Text of a plugin's settings, from its settings class, for `plugins show` and the reference page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from attrs import NOTHING, Factory

from inarch import PluginError
from inarch.host import guarded
from inarch_sdk.docstrings import describe_fields
from inarch_sdk.settings import Kind, keys_of, plugin_variable

_WORDS = {"str": "string", "bool": "boolean", "int": "whole number", "float": "number", "Decimal": "amount"} | {
    "Path": "path", "date": "date", "datetime": "date and time",
}  # fmt: skip


class Setting(NamedTuple):
    """One key of `[plugins.NAME]`; `default` is TOML text, or "" if the key is required or has no default value."""

    key: str
    type: str
    default: str
    required: bool
    meaning: str
    variable: str


def settings_of(plugin: str, cls: type) -> tuple[Setting, ...]:
    """Return the settings that a plugin's table may contain."""
    meanings, beginning = describe_fields(cls), plugin_variable(plugin)
    rows = []
    for name, key in keys_of(cls).items():
        try:
            kind = key.kind
        except (NameError, TypeError):  # show an annotation that cannot be resolved as written
            kind = Kind("odd", key.attribute.type)
        meaning = key.doc or meanings.get(key.attribute.name) or meanings.get(name, "")
        default, variable = _default(plugin, key.default), f"{beginning}{name.upper()}"
        rows.append(Setting(name, _in_words(kind), default, key.is_required, meaning, variable))
    return tuple(rows)


def _in_words(kind: Kind) -> str:
    """Return a kind of value as text: `list of strings`, ``"fast"` or `"slow"``."""
    match kind.form:
        case "any":
            return "anything"
        case "choice":
            return " or ".join(map(_written, kind.choices))
        case "either":
            return " or ".join(dict.fromkeys(map(_in_words, kind.of)))
        case "list" if kind.is_fixed:
            return f"list of {', '.join(map(_in_words, kind.of))}"
        case "list":
            return f"list of {_plural(kind.of[0])}" if kind.of else "list"
        case "table":
            return f"table of {_plural(kind.of[0])}" if kind.of and kind.of[0].form != "any" else "table"
        case "record":
            return "table"
    name = getattr(kind.type, "__name__", str(kind.type))
    return _WORDS.get(name, name)


def _plural(kind: Kind) -> str:
    words = _in_words(kind)
    plain = words.replace(" ", "").isalpha() and " or " not in words
    return f"{words}s" if plain and words != "anything" else words


def _default(plugin: str, default: Any) -> str:
    if isinstance(default, Factory):  # type: ignore[arg-type]  # attrs types it as a function
        if default.takes_self:
            return ""
        try:
            with guarded(plugin, "settings"):
                default = default.factory()
        except PluginError:  # a default that cannot be computed is not shown
            return ""
    return "" if default is NOTHING or default is None else _written(default)


def _written(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, Enum):
        return _written(value.value)
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_written(str(key))} = {_written(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)
