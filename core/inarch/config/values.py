"""Plain data into what an annotation asks for, with the path to whatever is wrong.

Small on purpose: every run passes through it, and a converter library costs more to import than this costs to run.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from attrs import NOTHING, Attribute, Converter, field

from inarch.config.scalars import ARRAYS, SCALARS, Wrong, choice, kind_of, mismatch
from inarch.config.sources import Given, KeyPath, Source, nearest, shown
from inarch.contract.errors import ConfigError

MANY = 100
"""Problems after which hints are left out: a hostile file could hold a hundred thousand, and each hint costs time."""


class Check(NamedTuple):
    """What a value must be beyond its type: a test, its words for a message and for the JSON Schema."""

    holds: Callable[[Any], bool]
    wanted: str
    schema: Mapping[str, Any]


def key(doc: str, default: Any = NOTHING, check: Check | None = None, **more: Any) -> Any:
    """Return the attrs field of a key: a sentence for people, its default and what it must be.

    Args:
        more: `each`: the check is for every element; `one_or_more`: one string stands for a list of one.
    """
    return field(default=default, metadata={"doc": doc, "check": check, **more})


@cache
def hints(cls: type) -> dict[str, Any]:
    """Return the resolved annotations of a class; where a field has a converter, what that takes."""
    found = typing.get_type_hints(cls)
    for item in getattr(cls, "__attrs_attrs__", ()):
        if item.converter is not None:
            found[item.name] = _taken_by(item.converter)
    return found


def _taken_by(converter: Any) -> Any:
    function = getattr(converter, "converter", converter)  # attrs.Converter holds the function
    try:
        taken = [kind for name, kind in typing.get_type_hints(function).items() if name != "return"]
    except (TypeError, NameError):  # a class or something built in says nothing of what it takes
        taken = []
    return taken[0] if taken else Any


def fields_of(cls: type) -> dict[str, Attribute[Any]]:
    """Return the attrs fields that a table can set, by key; `key` in a field's metadata says False for the others."""
    attributes = typing.cast("tuple[Attribute[Any], ...]", cls.__attrs_attrs__)  # type: ignore[attr-defined]
    return {item.alias or item.name: item for item in attributes if item.init and item.metadata.get("key", True)}


def read_value(annotation: Any, value: Any) -> Any:
    """Return `value` as the annotation asks for.

    Raises:
        Wrong: It can't be.
    """
    if annotation is Any or annotation is object:
        return value
    if annotation in SCALARS:
        return SCALARS[annotation](value)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return read_value(arguments[0], value)
    if origin is Literal:
        return choice(arguments, value)
    if origin in (Union, types.UnionType):
        return _any_of(annotation, arguments, value)
    kind = origin or annotation
    if isinstance(kind, type):
        if kind in ARRAYS or kind is Sequence or kind is Collection:
            return _array(kind, arguments, value)
        if issubclass(kind, Mapping):
            return _table(arguments, value)
        if issubclass(kind, Enum):
            return kind(choice(tuple(member.value for member in kind), value))
        if hasattr(kind, "__attrs_attrs__"):
            return _record(kind, value)
    raise TypeError(f"settings can't be of type {annotation!r}")


def read_field(annotation: Any, attribute: Attribute[Any], value: Any) -> Any:
    """Return `value` as a field wants it: its type, then its `check`.

    Raises:
        Wrong: It can't be.
    """
    metadata = attribute.metadata
    if metadata.get("one_or_more") and isinstance(value, str):
        value = [value]
    result = read_value(annotation, value)
    check: Check | None = metadata.get("check")
    if check is None or result is None:
        return result
    items = enumerate(result) if metadata.get("each") else [(None, result)]
    for index, item in items:
        if not check.holds(item):
            raise Wrong(f"must be {check.wanted}, not {shown(item)}", () if index is None else (index,))
    return result


def read_table(
    cls: type, table: Any, source: Source, path: KeyPath, problems: list[ConfigError], also: Collection[str] = ()
) -> dict[str, Given]:
    """Return the values of a table, checked against the fields of an attrs class; report the rest as problems.

    Args:
        also: Keys that are read elsewhere, to be named in a hint.
    """
    if not isinstance(table, Mapping):
        problems.append(source.error(path, f"must be a table, not {kind_of(table)}"))
        return {}
    given = {str(name): Given(value, source, (*path, str(name))) for name, value in table.items()}
    return read_given(cls, given, Given(table, source, path), problems, also)


def read_given(
    cls: type, given: Mapping[str, Given], place: Given, problems: list[ConfigError], also: Collection[str] = ()
) -> dict[str, Given]:
    """Return values from several places, checked against the fields of an attrs class; `place` is their table's."""
    fields = fields_of(cls)
    values: dict[str, Given] = {}
    for name, one in given.items():
        if name not in fields:
            hint = nearest(name, {*fields, *also}) if len(problems) < MANY else ""
            problems.append(one.error("unknown key", hint))
            continue
        try:
            value = read_field(hints(cls)[fields[name].name], fields[name], one.value)
        except Wrong as wrong:
            problems.append(one.source.error((*one.path, *wrong.path), wrong.message, wrong.remedy))
        else:
            values[name] = Given(value, one.source, one.path)
    for name, attribute in fields.items():
        if attribute.default is NOTHING and name not in given:
            problems.append(place.error(f"{name!r} is missing", f"add {name} = ..."))
    return values


def plain(values: Mapping[str, Given]) -> dict[str, Any]:
    """Return the values without their places."""
    return {name: given.value for name, given in values.items()}


def culprit(error: Exception, cls: type, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key that a validator or converter complains of ("" if it does not say) and the complaint."""
    message = str(error.args[0] if error.args else error)  # attrs puts the attribute and more behind it
    named = [item.name for item in error.args if isinstance(item, Attribute)]
    for key, attribute in fields_of(cls).items():
        if attribute.name in named or f"'{attribute.name}'" in message:
            return key, message
    return next((key for key, value in values.items() if not _converts(fields_of(cls)[key], value)), ""), message


def _converts(attribute: Attribute[Any], value: Any) -> bool:
    try:
        if attribute.converter is not None and not isinstance(attribute.converter, Converter):
            attribute.converter(value)
    except (TypeError, ValueError):
        return False
    return True


def _any_of(annotation: Any, members: tuple[Any, ...], value: Any) -> Any:
    real = [member for member in members if member is not type(None)]
    if value is None and len(real) < len(members):
        return None
    if len(real) == 1:
        return read_value(real[0], value)
    for member in real:
        try:
            return read_value(member, value)
        except Wrong:
            continue
    raise mismatch(annotation, value)


def _array(kind: Any, arguments: tuple[Any, ...], value: Any) -> Any:
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise mismatch(list, value)
    fixed = kind is tuple and arguments and Ellipsis not in arguments
    if fixed and len(arguments) != len(value):
        raise Wrong(f"must have {len(arguments)} elements, not {len(value)}")
    item = arguments[0] if arguments else Any
    read: list[Any] = []
    for index, element in enumerate(value):
        read.append(_at(index, arguments[index] if fixed else item, element))
    return read if kind is list else kind(read) if kind in ARRAYS else tuple(read)


def _table(arguments: tuple[Any, ...], value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise mismatch(dict, value)
    read: dict[str, Any] = {}
    for name, element in value.items():
        read[str(name)] = _at(str(name), arguments[1] if arguments else Any, element)
    return read


def _record(cls: type, value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise mismatch(cls, value)
    fields = fields_of(cls)
    read: dict[str, Any] = {}
    for name, element in value.items():
        if name not in fields:
            raise Wrong("unknown key", (str(name),), nearest(str(name), fields))
        read[name] = _at(name, hints(cls)[fields[name].name], element, fields[name])
    missing = [name for name, item in fields.items() if item.default is NOTHING and name not in read]
    if missing:
        raise Wrong(f"{missing[0]!r} is missing")
    try:
        return cls(**read)
    except (TypeError, ValueError) as error:  # a validator of the class
        name, message = culprit(error, cls, read)
        raise Wrong(message, (name,) if name in read else ()) from None


def _at(part: str | int, annotation: Any, value: Any, attribute: Attribute[Any] | None = None) -> Any:
    """Read an element of a list or table; what is wrong carries the way to it."""
    try:
        return read_value(annotation, value) if attribute is None else read_field(annotation, attribute, value)
    except Wrong as wrong:
        raise Wrong(wrong.message, (part, *wrong.path), wrong.remedy) from None
