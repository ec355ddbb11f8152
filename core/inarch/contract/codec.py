"""Conversion of records to plain JSON data and back, for the journal, `--output json` and child processes.

A record becomes an object of its fields. Parts and deltas have their class in `type`; bytes are base64, money is text,
sets are sorted lists. Encoding is written by hand because every event passes through it. Decoding uses cattrs.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from operator import methodcaller
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar, cast

from inarch.contract import records

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")

_TAGS: dict[type, str] = {
    records.Text: "text",
    records.Reasoning: "reasoning",
    records.CallPart: "call",
    records.ResultPart: "result",
    records.Image: "image",
}
_RARE: dict[type, str] = {records.CallPart: "called", records.ToolResult: "images"}
"""Fields that are left out if empty."""
_PLAIN = frozenset({str, int, float, bool, type(None)})


_WAYS: dict[type, Callable[[Any], Any]] = {}
"""Encoder of each class, looked up once per class because every event passes through here."""


def to_data(value: Any) -> Any:
    """Return `value` as plain JSON data.

    Raises:
        TypeError: A value has no JSON form.
    """
    cls = type(value)
    if cls in _PLAIN:
        return value
    way = _WAYS.get(cls)
    if way is None:
        way = _WAYS[cls] = _way_of(cls)
    return way(value)


def _way_of(cls: type) -> Callable[[Any], Any]:
    if hasattr(cls, "__attrs_attrs__"):
        return _record_way(cls)
    for base, way in _BASES:
        if issubclass(cls, base):
            return way
    if hasattr(cls, "__dataclass_fields__"):
        return _record_way(cls)
    if cls.__module__ == "datetime" and cls.__name__ in ("date", "time", "datetime"):
        return methodcaller("isoformat")
    raise TypeError(f"{cls.__name__} has no JSON form")


def _record_way(cls: Any) -> Callable[[Any], dict[str, Any]]:
    """Return the encoder of a record: an object of its fields; a part also has a tag."""
    names = tuple(item.name for item in getattr(cls, "__attrs_attrs__", None) or cls.__dataclass_fields__.values())
    tag, rare = _TAGS.get(cls), _RARE.get(cls)

    def encode(value: Any) -> dict[str, Any]:
        data: dict[str, Any] = {} if tag is None else {"type": tag}
        for name in names:
            item = getattr(value, name)
            data[name] = item if type(item) in _PLAIN else to_data(item)
        if tag is not None and data["provider_data"] is None:
            del data["provider_data"]
        if rare and not data[rare]:
            del data[rare]
        return data

    return encode


def _list(value: Iterable[Any]) -> list[Any]:
    return [item if type(item) in _PLAIN else to_data(item) for item in value]


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    data = {}
    for key, item in value.items():
        data[str(key)] = item if type(item) in _PLAIN else to_data(item)
    return data


# The first matching base decides; subclasses of plain types lose their additions.
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (Enum, lambda value: to_data(value.value)),  # before str and int: a member may be one, too
    (str, str.__str__),
    (bool, bool),
    (int, int),
    (float, float),
    (tuple, _list),
    (list, _list),
    (Mapping, _object),
    (Decimal, str),
    (bytes, lambda value: base64.b64encode(value).decode("ascii")),
    (bytearray, lambda value: base64.b64encode(value).decode("ascii")),
    (set, lambda value: sorted(_list(value))),
    (frozenset, lambda value: sorted(_list(value))),
    (PurePath, PurePath.as_posix),
)


def from_data(cls: type[T], data: Any) -> T:
    """Return the record of class `cls` that `data` (made by `to_data`) describes.

    Raises:
        ValueError: The data does not have the record's shape; the message carries the path to the wrong value.
    """
    import cattrs

    try:
        return _converter().structure(data, cls)
    except (cattrs.BaseValidationError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"not a {cls.__name__}: {'; '.join(cattrs.transform_error(error))}"
            if isinstance(error, cattrs.BaseValidationError)
            else f"not a {cls.__name__}: {error}"
        ) from error


@cache
def _converter() -> Converter:
    import cattrs

    converter = cattrs.Converter()
    converter.register_structure_hook(bytes, lambda data, _: base64.b64decode(data))
    converter.register_structure_hook(Decimal, lambda data, _: Decimal(data))
    by_tag = {tag: cls for cls, tag in _TAGS.items()}

    def part(data: Any, _: Any) -> records.Part:
        cls = by_tag[data["type"]]
        return cast("records.Part", converter.structure({k: v for k, v in data.items() if k != "type"}, cls))

    converter.register_structure_hook_func(lambda cls: cls == records.Part, part)
    return converter
