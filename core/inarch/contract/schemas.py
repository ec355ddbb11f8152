"""JSON Schema from a function's annotations, and arguments back into what the function takes."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Path: {"type": "string"},
    Any: {},
    dict: {"type": "object"},
    list: {"type": "array"},
    object: {},
}
_ARRAYS = (list, tuple, set, frozenset)


class Unsupported(TypeError):
    """An annotation has no JSON Schema."""


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema of one annotation.

    Raises:
        Unsupported: The annotation can't be said in JSON Schema.
    """
    if annotation in _SCALARS:
        return dict(_SCALARS[annotation])
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        described = next((item for item in arguments[1:] if isinstance(item, str)), None)
        return schema_of(arguments[0]) | ({"description": described} if described else {})
    if origin is Literal:
        return _enum_schema(list(arguments))
    if origin in (Union, types.UnionType):
        return _union_schema(arguments)
    if origin is not None and issubclass(origin, (*_ARRAYS, typing.Sequence)) and origin is not str:
        item = next((argument for argument in arguments if argument is not Ellipsis), Any)
        return {"type": "array", "items": schema_of(item)}
    if origin is not None and issubclass(origin, Mapping):
        value = schema_of(arguments[1])
        return {"type": "object"} | ({"additionalProperties": value} if value else {})
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _enum_schema([member.value for member in annotation])
    if is_record(annotation):
        return _record_schema(annotation)
    raise Unsupported(f"{annotation!r} has no JSON Schema; use str, int, float, bool, list, dict, Literal, a dataclass")


def is_record(annotation: Any) -> bool:
    """Whether the annotation is an attrs class or a dataclass."""
    return isinstance(annotation, type) and (
        hasattr(annotation, "__attrs_attrs__") or hasattr(annotation, "__dataclass_fields__")
    )


def _enum_schema(values: list[Any]) -> dict[str, Any]:
    kinds = {_SCALARS[type(value)]["type"] for value in values}
    return ({"type": kinds.pop()} if len(kinds) == 1 else {}) | {"enum": values}


def _union_schema(members: tuple[Any, ...]) -> dict[str, Any]:
    schemas = [schema_of(member) for member in members]
    if all(set(schema) == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}


def _record_schema(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, optional in _record_fields(cls):
        properties[name] = schema_of(hints[name])
        if not optional:
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _record_fields(cls: Any) -> list[tuple[str, bool]]:
    if hasattr(cls, "__dataclass_fields__"):
        import dataclasses

        missing = dataclasses.MISSING
        return [
            (f.name, f.default is not missing or f.default_factory is not missing)
            for f in dataclasses.fields(cls)
            if f.init
        ]
    import attrs

    return [(f.alias or f.name, f.default is not attrs.NOTHING) for f in attrs.fields(cls) if f.init]


def describe(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return the summary and the argument texts of a docstring in Google style."""
    doc = inspect.getdoc(function) or ""
    head, _, rest = doc.partition("\nArgs:\n")
    summary = " ".join(head.split("\n\n")[0].split())
    texts: dict[str, str] = {}
    name = ""
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        stripped = line.strip()
        if line.startswith("    ") and not line.startswith("     ") and ":" in stripped:
            name, _, text = stripped.partition(":")
            name = name.split(" ")[0]
            texts[name] = text.strip()
        elif name and stripped:
            texts[name] += " " + stripped
    return summary, texts


def parameters_schema(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON Schema of a function's parameters, without `context`.

    Raises:
        Unsupported: A parameter has no annotation, or one without a JSON Schema; the message names it.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    _, texts = describe(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "context":
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise Unsupported(f"parameter {name!r} of {function.__name__}: only named parameters become a schema")
        if name not in hints:
            raise Unsupported(f"parameter {name!r} of {function.__name__} has no annotation")
        schema = schema_of(hints[name])
        if name in texts:
            schema["description"] = texts[name]
        if parameter.default is parameter.empty:
            required.append(name)
        elif isinstance(parameter.default, (str, int, float, bool)):
            schema["default"] = parameter.default
        properties[name] = schema
    result: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return result | ({"required": required} if required else {})


def takes_plain(annotation: Any) -> bool:
    """Whether a JSON value of this annotation can be handed over as it is."""
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return takes_plain(get_args(annotation)[0])
    if annotation is Path or is_record(annotation):
        return False
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return False
    if origin is Literal or annotation in _SCALARS:
        return True
    if origin in (tuple, set, frozenset):
        return False
    return all(takes_plain(item) for item in get_args(annotation) if item is not Ellipsis)
