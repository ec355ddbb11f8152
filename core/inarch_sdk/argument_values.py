"""Conversion of valid arguments to the types that a function takes: dates, paths, enums, records and so on."""

from __future__ import annotations

import types
import typing
from collections import abc
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from inarch.contract.errors import ToolFailed
from inarch_sdk.schemas import is_typed_dict, schema_of

if TYPE_CHECKING:
    from cattrs import Converter

_ITERABLES: tuple[Any, ...] = (abc.Iterable, abc.Collection, abc.Sequence, abc.MutableSequence)

_ANNOTATED: tuple[Any, ...] = (typing.Annotated,)


def structured(tool: str, arguments: Mapping[str, Any], annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with those in `annotations` converted.

    Raises:
        ToolFailed: A value cannot be converted (`validation`); the message names its position.
    """
    import cattrs

    values = dict(arguments)
    for name in arguments.keys() & annotations.keys():
        try:
            values[name] = _converter().structure(arguments[name], annotations[name])
        except (cattrs.BaseValidationError, ValueError, TypeError, LookupError, ArithmeticError) as error:
            faults = cattrs.transform_error(error, name, _told)
            raise ToolFailed("validation", f"{tool}: {'; '.join(faults)}", "give a value of the right form") from error
    return values


def _told(error: BaseException, wanted: type | None) -> str:
    import cattrs

    if isinstance(error, (ValueError, TypeError)) and str(error):
        return str(error)
    return str(cattrs.v.format_exception(error, wanted))


@cache
def _converter() -> Converter:
    import cattrs
    from attrs import has
    from cattrs.cols import is_namedtuple, namedtuple_dict_structure_factory
    from cattrs.gen import make_dict_structure_fn

    converter = cattrs.Converter()
    for cls, read in _readers().items():
        converter.register_structure_hook(cls, _hook(read))
    converter.register_structure_hook_factory(
        has, lambda cls: make_dict_structure_fn(cls, converter, _cattrs_use_alias=True)
    )
    converter.register_structure_hook_factory(is_namedtuple, namedtuple_dict_structure_factory)
    converter.register_structure_hook_func(_is_union, lambda value, union: _member(converter, value, union))
    # Not by cattrs: before Python 3.13 text annotations hide NotRequired from it.
    converter.register_structure_hook_func(is_typed_dict, lambda value, cls: _members(converter, value, cls))
    converter.register_structure_hook_func(
        lambda annotation: get_origin(annotation) in _ITERABLES,
        lambda value, annotation: [converter.structure(item, get_args(annotation)[0]) for item in value],
    )
    converter.register_structure_hook_func(
        lambda annotation: get_origin(annotation) in _ANNOTATED,
        lambda value, annotation: converter.structure(value, get_args(annotation)[0]),
    )
    return converter


def _hook(read: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda value, cls: read(value)


def _readers() -> dict[Any, Callable[[Any], Any]]:
    from base64 import b64decode
    from datetime import date, datetime, time
    from decimal import Decimal, InvalidOperation
    from pathlib import Path, PurePath
    from uuid import UUID

    def decimal(value: Any) -> Decimal:
        try:
            return Decimal(str(value))
        except InvalidOperation:
            raise ValueError(f"{value!r} is not a number") from None

    return {
        bytes: lambda value: b64decode(value, validate=True),
        datetime: datetime.fromisoformat,
        date: date.fromisoformat,
        time: time.fromisoformat,
        Decimal: decimal,
        Path: Path,
        PurePath: PurePath,
        UUID: UUID,
    }


def _members(converter: Converter, value: Any, cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)  # without Required and NotRequired
    return {name: converter.structure(item, hints[name]) for name, item in value.items()}


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def _member(converter: Converter, value: Any, union: Any) -> Any:
    """Return the value as the first member of the union whose schema and converter accept it."""
    members = [member for member in get_args(union) if member is not type(None)]
    if value is None and len(members) < len(get_args(union)):
        return None
    if len(members) == 1:
        return converter.structure(value, members[0])
    faults: list[Exception] = []
    for member in members:
        if not _fits(member).is_valid(value):
            continue
        try:
            return converter.structure(value, member)
        except Exception as error:  # noqa: BLE001 - the next member may take it; the last one's reason is told
            faults.append(error)
    raise faults[-1] if faults else ValueError(f"{value!r:.80} is none of {union}")


@cache
def _fits(annotation: Any) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema_of(typing.Annotated[annotation, ""]))
