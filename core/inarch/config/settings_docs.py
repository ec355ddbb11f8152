"""A plugin's settings in words: taken from its settings class, for `plugins show` and the reference page."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from attrs import NOTHING, Attribute, Factory

from inarch.config.environment import plugin_variable
from inarch.config.scalars import ARRAYS
from inarch.config.values import fields_of, hints
from inarch.contract.errors import PluginError
from inarch.contract.guarding import guarded

_WORDS = {"str": "string", "bool": "boolean", "int": "whole number", "float": "number", "Decimal": "amount"} | {
    "Path": "path", "date": "date", "datetime": "date and time", "Any": "anything", "object": "anything",
}  # fmt: skip


class Setting(NamedTuple):
    """One key of `[plugins.NAME]`: `default` as it would be written, "" where it is required or stands for no value."""

    key: str
    type: str
    default: str
    required: bool
    meaning: str
    variable: str


def settings_of(plugin: str, cls: type) -> tuple[Setting, ...]:
    """Return what a table of the plugin may set."""
    meanings = {**_beside_fields(cls), **_args(cls)}
    beginning = plugin_variable(plugin)
    return tuple(
        Setting(
            key,
            kind_in_words(_annotation(cls, attribute)),
            _default(plugin, attribute),
            attribute.default is NOTHING,
            str(attribute.metadata.get("doc") or meanings.get(attribute.name) or meanings.get(key, "")),
            f"{beginning}{key.upper()}",
        )
        for key, attribute in fields_of(cls).items()
    )


def kind_in_words(annotation: Any) -> str:
    """Return an annotation in the words of the reference: `list of strings`, ``"fast"` or `"slow"``."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return kind_in_words(arguments[0])
    if origin is Literal:
        return _choice(arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(kind_in_words(item) for item in arguments if item is not type(None)))
    kind = origin or annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice([member.value for member in kind])
    if kind in ARRAYS or kind in (Sequence, Collection):
        return _list_in_words(kind, arguments)
    if isinstance(kind, type) and (issubclass(kind, Mapping) or hasattr(kind, "__attrs_attrs__")):
        element = kind_in_words(arguments[1]) if len(arguments) == 2 else "anything"
        return "table" if element == "anything" else f"table of {_plural(element)}"
    name = getattr(kind, "__name__", str(kind))
    return _WORDS.get(name, name)


def _list_in_words(kind: Any, arguments: tuple[Any, ...]) -> str:
    if kind is tuple and arguments and Ellipsis not in arguments:
        return "list of " + ", ".join(kind_in_words(item) for item in arguments)
    return f"list of {_plural(kind_in_words(arguments[0]))}" if arguments else "list"


def _choice(values: Sequence[Any]) -> str:
    return " or ".join(_written(value) for value in values)


def _plural(words: str) -> str:
    plain = words.replace(" ", "").isalpha() and " or " not in words
    return f"{words}s" if plain and words != "anything" else words


def _annotation(cls: type, attribute: Attribute[Any]) -> Any:
    try:
        return hints(cls)[attribute.name]
    except (NameError, KeyError, TypeError):  # an annotation that can't be resolved is shown as it is written
        return attribute.type


def _default(plugin: str, attribute: Attribute[Any]) -> str:
    default: Any = attribute.default
    if isinstance(default, Factory):  # type: ignore[arg-type]  # attrs types it as a function
        if default.takes_self:
            return ""
        try:
            with guarded(plugin, "settings"):
                default = default.factory()
        except PluginError:  # a default that can't be made is none to show
            return ""
    return "" if default is NOTHING or default is None else _written(default)


def _written(value: Any) -> str:
    """Write a value as in TOML."""
    if isinstance(value, Enum):
        return _written(value.value)
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{json.dumps(str(key), ensure_ascii=False)} = {_written(item)}" for key, item in value.items()
        )
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)


def _args(cls: type) -> dict[str, str]:
    """Return the sentences of the docstring's `Args:`, by name."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    found = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", doc, re.M | re.S)
    if found is None:
        return {}
    parts = re.findall(r"^(\w+)(?: \([^)]*\))?: *(.*?)(?=^\w|\Z)", textwrap.dedent(found[1]), re.M | re.S)
    return {name: " ".join(text.split()) for name, text in parts}


def _beside_fields(cls: type) -> dict[str, str]:
    """Return the texts that stand below the fields in the class's source, where that can be read."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)] or [[]]
    found = {}
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value.value if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = " ".join(text.split())
    return found
