"""JSON Schemas of annotations: a tool's parameters as models see them and as each call is checked against."""

from __future__ import annotations

import types
import typing
from collections import abc
from collections.abc import Callable, Iterator
from enum import Enum, Flag
from pathlib import Path, PurePath
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin

from inarch_sdk.docstrings import describe_record

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    Any: {},
    object: {},
}
_CONVERTED: dict[tuple[str, str], dict[str, Any]] = {  # by name: users of these types import the modules
    ("datetime", "datetime"): {"type": "string", "format": "date-time"},
    ("datetime", "date"): {"type": "string", "format": "date"},
    ("datetime", "time"): {"type": "string", "format": "time"},
    ("uuid", "UUID"): {"type": "string", "format": "uuid"},
    ("decimal", "Decimal"): {"type": ["number", "string"]},
    ("builtins", "bytes"): {"type": "string", "contentEncoding": "base64"},
}
_LISTS: tuple[Any, ...] = (list, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable)
_SETS: tuple[Any, ...] = (set, frozenset, abc.Set, abc.MutableSet)
_OBJECTS: tuple[Any, ...] = (dict, abc.Mapping, abc.MutableMapping)
_WRAPPERS: tuple[Any, ...] = (Required, NotRequired)
_KNOWN = "use str, int, float, bool, None, list, dict, tuple, set, Literal, an Enum, a TypedDict, a dataclass"


class Unsupported(TypeError):
    """An annotation has no JSON Schema."""


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema of one annotation.

    Raises:
        Unsupported: The annotation has no JSON Schema.
    """
    schemas = Schemas()
    return schemas.closed(schemas.of(annotation))


class Schemas:
    """Builder of the schemas of one document. Records are inlined; recursive ones become `$defs`."""

    def __init__(self) -> None:
        self._open: list[Any] = []
        self._names: dict[Any, str] = {}
        self._definitions: dict[str, Any] = {}

    def closed(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the document's schema with the definitions that it refers to."""
        return {**schema, "$defs": self._definitions} if self._definitions else schema

    def of(self, annotation: Any) -> dict[str, Any]:
        """Return the schema of an annotation.

        Raises:
            Unsupported: The annotation has no JSON Schema.
        """
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is None:
            return self._of_class(annotation)
        if origin is typing.Annotated:
            described = next((item for item in arguments[1:] if isinstance(item, str)), None)
            return {**self.of(arguments[0]), **({"description": described} if described else {})}
        if origin is Literal:
            return _enum_schema(annotation, [_value(item) for item in arguments])
        if origin in (Union, types.UnionType):
            return _either([self.of(member) for member in arguments])
        if origin in _WRAPPERS:
            return self.of(arguments[0])
        if origin is tuple:
            return self._tuple(arguments)
        if origin in _LISTS or origin in _SETS:
            return {"type": "array", **({"items": self.of(arguments[0])} if arguments else {})}
        if origin in _OBJECTS:
            return self._mapping(*arguments)
        raise _unsupported(annotation)

    def _of_class(self, annotation: Any) -> dict[str, Any]:
        if not isinstance(annotation, abc.Hashable):
            raise _unsupported(annotation)
        if annotation in _SCALARS:
            return dict(_SCALARS[annotation])
        if hasattr(annotation, "__supertype__"):  # a NewType
            return self.of(annotation.__supertype__)
        if hasattr(annotation, "__value__") and not isinstance(annotation, type):  # `type X = ...`
            return self._nested(annotation, lambda alias: self.of(alias.__value__))
        if not isinstance(annotation, type):
            raise _unsupported(annotation)
        known = _CONVERTED.get((annotation.__module__, annotation.__qualname__))
        if known is not None:
            return dict(known)
        if issubclass(annotation, Enum) and not issubclass(annotation, Flag):
            return _enum_schema(annotation, [member.value for member in annotation])
        if is_record(annotation):
            return self._nested(annotation, self._record)
        if annotation in _LISTS or annotation in _SETS or annotation is tuple:
            return {"type": "array"}
        if annotation in _OBJECTS:
            return {"type": "object"}
        if annotation in (Path, PurePath) or (issubclass(annotation, str) and not issubclass(annotation, Enum)):
            return {"type": "string"}
        raise _unsupported(annotation)

    def _tuple(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        if not arguments:
            return {"type": "array"}
        if arguments[-1] is Ellipsis:
            return {"type": "array", "items": self.of(arguments[0])}
        each = [self.of(argument) for argument in arguments]
        same = all(schema == each[0] for schema in each)
        return {
            "type": "array",
            **({"items": each[0]} if same else {"prefixItems": each}),
            "minItems": len(each),
            "maxItems": len(each),
        }

    def _mapping(self, key: Any = str, value: Any = Any) -> dict[str, Any]:
        names, values = self.of(key), self.of(value)
        if names.get("type", "string") != "string":
            raise Unsupported(f"the keys of a JSON object are text, not {_shown(key)}; use dict[str, ...]")
        limited = {"propertyNames": names} if "enum" in names else {}
        return {"type": "object", **limited, **({"additionalProperties": values} if values else {})}

    def _nested(self, key: Any, build: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        if key not in self._names:
            if key not in self._open:
                self._open.append(key)
                schema = build(key)
                self._open.pop()
                if key not in self._names:
                    return schema
                self._definitions[self._names[key]] = schema
            else:
                taken = [name for name in self._names.values() if name.rstrip("0123456789") == key.__name__]
                self._names[key] = f"{key.__name__}{len(taken) + 1 if taken else ''}"
        return {"$ref": f"#/$defs/{self._names[key]}"}

    def _record(self, cls: Any) -> dict[str, Any]:
        summary, texts = describe_record(cls)
        properties: dict[str, Any] = {}
        required: list[str] = []
        for name, annotation, is_required, default in _fields(cls):
            schema = self.of(annotation)
            if name in texts:
                schema["description"] = texts[name]
            properties[name] = schema if is_required else with_default(schema, default)
            if is_required:
                required.append(name)
        described = {"description": summary} if summary else {}
        schema = {"type": "object", **described, "properties": properties, "additionalProperties": False}
        return {**schema, **({"required": required} if required else {})}


def is_record(annotation: Any) -> bool:
    """Return whether the annotation is a class with named fields: attrs, a dataclass, a named tuple or a TypedDict."""
    return isinstance(annotation, type) and (
        hasattr(annotation, "__attrs_attrs__")
        or hasattr(annotation, "__dataclass_fields__")
        or (issubclass(annotation, tuple) and hasattr(annotation, "_field_defaults"))
        or is_typed_dict(annotation)
    )


def is_typed_dict(annotation: Any) -> bool:
    """Return whether the annotation is a TypedDict, of `typing` or `typing_extensions`."""
    return isinstance(annotation, type) and issubclass(annotation, dict) and hasattr(annotation, "__required_keys__")


def _fields(cls: Any) -> Iterator[tuple[str, Any, bool, Any]]:
    """Yield name, annotation, whether it is required, and default of each field that a caller can set."""
    hints = _hints(cls)
    if hasattr(cls, "__attrs_attrs__"):
        from attrs import NOTHING, Factory

        for item in cls.__attrs_attrs__:
            if item.init:
                default = None if isinstance(item.default, Factory) else item.default  # type: ignore[arg-type]
                hint = hints.get(item.name, item.type or Any)
                yield item.alias or item.name, hint, default is NOTHING, default
    elif hasattr(cls, "__dataclass_fields__"):
        from dataclasses import MISSING, fields

        for field in fields(cls):
            if field.init:
                required = field.default is MISSING and field.default_factory is MISSING
                yield field.name, hints[field.name], required, field.default
    elif is_typed_dict(cls):
        for name, hint in hints.items():  # also from the wrappers: text annotations hide them from __required_keys__
            optional = get_origin(hint) is NotRequired
            yield name, hint, get_origin(hint) is Required or (name in cls.__required_keys__ and not optional), None
    else:
        defaults = cls._field_defaults
        for name in cls._fields:
            yield name, hints.get(name, Any), name not in defaults, defaults.get(name)


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise Unsupported(f"class {cls.__name__}: {error}; define the missing names at the top of a module") from error


def with_default(schema: dict[str, Any], default: Any) -> dict[str, Any]:
    """Return the schema with the default if that has a JSON form and is not empty."""
    if default is None:
        return schema
    if type(default) not in (str, int, bool):
        from json import dumps

        from inarch.contract.codec import to_data

        try:
            default = to_data(default)
            dumps(default, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return schema
    return {**schema, "default": default}


def _enum_schema(annotation: Any, values: list[Any]) -> dict[str, Any]:
    if not values or not all(type(value) in _SCALARS for value in values):
        raise Unsupported(f"{_shown(annotation)} has values that are not text, numbers or booleans; use only these")
    kinds = {_SCALARS[type(value)]["type"] for value in values}
    return {**({"type": kinds.pop()} if len(kinds) == 1 else {}), "enum": values}


def _value(item: Any) -> Any:
    return item.value if isinstance(item, Enum) else item


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    unique = [schema for number, schema in enumerate(schemas) if schema not in schemas[:number]]
    if {} in unique or len(unique) == 1:
        return {} if {} in unique else unique[0]
    if all(schema.keys() == {"type"} for schema in unique):
        named = [[kind] if isinstance(kind, str) else kind for kind in (schema["type"] for schema in unique)]
        return {"type": list(dict.fromkeys(kind for kinds in named for kind in kinds))}
    return {"anyOf": unique}


def _unsupported(annotation: Any) -> Unsupported:
    return Unsupported(f"{_shown(annotation)} has no JSON Schema; {_KNOWN}")


def _shown(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else f"{annotation!r}"


def takes_plain(annotation: Any, within: tuple[Any, ...] = ()) -> bool:
    """Return whether a JSON value of this annotation can be passed without conversion."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated or origin in _WRAPPERS:
        return takes_plain(arguments[0], within)
    if origin is Literal:
        return not any(isinstance(item, Enum) for item in arguments)
    if origin is not None:
        if origin is tuple or origin in _SETS:
            return False
        return all(takes_plain(item, within) for item in arguments)
    if annotation in _SCALARS or annotation in _LISTS or annotation in _OBJECTS or annotation in within:
        return True
    if hasattr(annotation, "__supertype__"):
        return takes_plain(annotation.__supertype__, within)
    if hasattr(annotation, "__value__") and not isinstance(annotation, type):
        return takes_plain(annotation.__value__, (*within, annotation))
    return is_typed_dict(annotation) and all(
        takes_plain(hint, (*within, annotation)) for hint in _hints(annotation).values()
    )
