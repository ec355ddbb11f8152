"""Conversion of plain data into the kind that a key requires, with the path of each error.

It is small on purpose: every run executes it, and importing a converter library would cost more than running this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from attrs import Attribute, Converter

from inarch.config.scalars import SCALARS, Wrong, choice, kind_of, mismatch, wanted
from inarch.config.sources import Given, Source
from inarch.contract.errors import ConfigError
from inarch_sdk.settings import ANYTHING, Key, KeyPath, Kind, keys_of, shown
from inarch_sdk.suggestions import nearest

MANY = 100
"""Problems above which hints are left out: a hostile file could have 100,000, and each hint takes time."""


def read_value(kind: Kind, value: Any) -> Any:
    """Return `value` converted to a kind.

    Raises:
        Wrong: It cannot be converted.
    """
    if value is None and kind.is_optional:
        return None
    match kind.form:
        case "any":
            return value
        case "scalar":
            return SCALARS[kind.type](value)
        case "choice":
            chosen = choice(kind.choices, value)
            return chosen if kind.type is None else kind.type(chosen)
        case "either":
            return _either(kind, value)
        case "list":
            return _list(kind, value)
        case "table":
            return _table(kind, value)
        case "record":
            return _record(kind.type, value)
    raise TypeError(f"settings can't be of type {kind.type!r}")


def read_key(key: Key, value: Any) -> Any:
    """Return `value` as a key requires it: its kind, then its check.

    Raises:
        Wrong: It cannot be converted.
    """
    result = read_value(key.kind, [value] if key.one_or_more and isinstance(value, str) else value)
    if key.check is None or result is None:
        return result
    elements: Any = () if isinstance(result, bool) else result  # `true` may replace a list
    for index, item in enumerate(elements) if key.each else [(None, result)]:
        if not key.check.holds(item):
            raise Wrong(f"must be {key.check.wanted}, not {shown(item)}", () if index is None else (index,))
    return result


def read_table(
    cls: type, table: Any, source: Source, path: KeyPath, problems: list[ConfigError], also: Collection[str] = ()
) -> dict[str, Given]:
    """Return the values of a table, checked against the fields of an attrs class; report the rest as problems.

    Args:
        also: Keys that are read elsewhere, for hints.
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
    keys = keys_of(cls)
    values: dict[str, Given] = {}
    for name, one in given.items():
        if name not in keys:
            hint = nearest(name, {*keys, *also}) if len(problems) < MANY else ""
            problems.append(one.error("unknown key", hint))
            continue
        try:
            value = read_key(keys[name], one.value)
        except Wrong as wrong:
            problems.append(one.source.error((*one.path, *wrong.path), wrong.message, wrong.remedy))
        else:
            values[name] = Given(value, one.source, one.path)
    for name, key in keys.items():
        if key.is_required and name not in given:
            problems.append(place.error(f"{name!r} is missing", f"add {name} = ..."))
    return values


def plain(values: Mapping[str, Given]) -> dict[str, Any]:
    """Return the values without their places."""
    return {name: given.value for name, given in values.items()}


def culprit(error: Exception, cls: type, values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key that a validator or converter rejected ("" if it does not say) and the message."""
    message = str(error.args[0] if error.args else error)  # attrs appends the attribute and more
    named = [item.name for item in error.args if isinstance(item, Attribute)]
    keys = keys_of(cls)
    for name, key in keys.items():
        if key.attribute.name in named or f"'{key.attribute.name}'" in message:
            return name, message
    return next((name for name, value in values.items() if not _converts(keys[name], value)), ""), message


def _converts(key: Key, value: Any) -> bool:
    converter = key.attribute.converter
    try:
        if converter is not None and not isinstance(converter, Converter):
            converter(value)
    except (TypeError, ValueError):
        return False
    return True


def _either(kind: Kind, value: Any) -> Any:
    deeper: Wrong | None = None
    for member in kind.of:
        try:
            return read_value(member, value)
        except Wrong as wrong:
            deeper = wrong if wrong.path else deeper
    raise deeper or mismatch(wanted(kind), value)


def _list(kind: Kind, value: Any) -> Any:
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise mismatch(wanted(kind), value)
    if kind.is_fixed and len(kind.of) != len(value):
        raise Wrong(f"must have {len(kind.of)} elements, not {len(value)}")
    kinds = kind.of if kind.is_fixed else (_element(kind),) * len(value)
    pairs = enumerate(zip(kinds, value, strict=True))
    return kind.type([_at(index, read_value, one, element) for index, (one, element) in pairs])


def _table(kind: Kind, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise mismatch(wanted(kind), value)
    return {str(name): _at(str(name), read_value, _element(kind), element) for name, element in value.items()}


def _element(kind: Kind) -> Kind:
    return kind.of[0] if kind.of else ANYTHING


def _record(cls: type, value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise mismatch("a table", value)
    keys = keys_of(cls)
    read: dict[str, Any] = {}
    for name, element in value.items():
        if name not in keys:
            raise Wrong("unknown key", (str(name),), nearest(str(name), keys))
        read[name] = _at(name, read_key, keys[name], element)
    missing = [name for name, key in keys.items() if key.is_required and name not in read]
    if missing:
        raise Wrong(f"{missing[0]!r} is missing")
    try:
        return cls(**read)
    except (TypeError, ValueError) as error:  # a validator of the class
        name, message = culprit(error, cls, read)
        raise Wrong(message, (name,) if name in read else ()) from None


def _at(part: str | int, read: Callable[[Any, Any], Any], kind: Kind | Key, value: Any) -> Any:
    """Read an element of a list or table; an error includes the path to it."""
    try:
        return read(kind, value)
    except Wrong as wrong:
        raise Wrong(wrong.message, (part, *wrong.path), wrong.remedy) from None
