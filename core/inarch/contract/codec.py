"""Records to plain JSON data and back: one encoding for the journal, for `--output json` and for child processes.

A record becomes an object of its fields; parts and deltas carry their class in `type`; bytes are base64, money is text,
sets are sorted lists. Encoding is written by hand because every event passes through it; decoding uses cattrs.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
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
_PLAIN = frozenset({str, int, float, bool, type(None)})


_FIELDS: dict[type, tuple[str, ...] | None] = {}


def _fields(cls: type) -> tuple[str, ...] | None:
    try:
        return _FIELDS[cls]
    except KeyError:
        attributes = getattr(cls, "__attrs_attrs__", None)
        names = _FIELDS[cls] = None if attributes is None else tuple(item.name for item in attributes)
        return names


def to_data(value: Any) -> Any:
    """Return `value` as plain JSON data.

    Raises:
        TypeError: A value has no JSON form.
    """
    cls = type(value)
    if cls in _PLAIN:
        return value
    if cls is tuple or cls is list:
        return [to_data(item) for item in value]
    if cls is dict or isinstance(value, Mapping):
        return {str(key): to_data(item) for key, item in value.items()}
    names = _fields(cls)
    if names is not None:
        return _record_data(value, cls, names)
    return _rare_data(value)


def _record_data(value: Any, cls: type, names: tuple[str, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {"type": _TAGS[cls]} if cls in _TAGS else {}
    for name in names:
        item = getattr(value, name)
        if name == "provider_data" and item is None:
            continue
        data[name] = item if type(item) in _PLAIN else to_data(item)
    return data


def _rare_data(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (set, frozenset)):
        return sorted(to_data(item) for item in value)
    if isinstance(value, Enum):
        return to_data(value.value)
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, (str, int, float)):  # subclasses
        return str(value) if isinstance(value, str) else value
    raise TypeError(f"{type(value).__name__} has no JSON form")


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
