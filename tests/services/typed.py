"""Checks a request's body against the types of an official SDK, member by member, in lists, too.

pydantic is no judge here: it takes unknown members of these types, and looks into lists only when they are iterated.
"""

from __future__ import annotations

import collections.abc as abc
import math
import types
import typing
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

typing_extensions = pytest.importorskip("typing_extensions")  # which every official SDK brings
_DRESSES = (
    Annotated,
    typing_extensions.Required,
    typing_extensions.NotRequired,
    typing_extensions.ReadOnly,
    typing.Required,
    typing.NotRequired,
)
_LISTS = (list, tuple, set, abc.Iterable, abc.Sequence)


def wrong(value: Any, kind: Any, at: str = "body") -> list[str]:
    """Return what is wrong with a value, a line each; nothing if it is of the kind."""
    if isinstance(kind, typing_extensions.TypeAliasType):
        return wrong(value, kind.__value__, at)
    origin, args = get_origin(kind), get_args(kind)
    if origin in _DRESSES:
        return wrong(value, args[0], at)
    if kind is Any or kind is object:
        return []
    if origin in (Union, types.UnionType):
        return min((wrong(value, one, at) for one in args), key=len)
    if origin is Literal:
        fits = any(value == one and type(value) is type(one) for one in args)
        return [] if fits else [f"{at}: {value!r:.60} is not one of {args[:6]}"]
    if typing_extensions.is_typeddict(kind):
        return _members(value, kind, at)
    if origin in _LISTS or "Sequence" in getattr(origin, "__name__", ""):
        if not isinstance(value, (list, tuple)):
            return [f"{at}: not a list"]
        return [line for number, one in enumerate(value) for line in wrong(one, args[0], f"{at}[{number}]")]
    if origin in (dict, abc.Mapping):
        return [] if isinstance(value, dict) else [f"{at}: not an object"]
    return _plain(value, kind, at)


def _members(value: Any, kind: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{at}: not an object"]
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    needed = {name for name, hint in hints.items() if get_origin(hint) in (typing_extensions.Required, typing.Required)}
    lines = [f"{at}.{name}: unknown member" for name in value.keys() - hints.keys()]
    lines += [f"{at}.{name}: missing" for name in needed - value.keys()]
    known = ((name, one) for name, one in value.items() if name in hints)
    return lines + [line for name, one in known for line in wrong(one, hints[name], f"{at}.{name}")]


def _plain(value: Any, kind: Any, at: str) -> list[str]:
    if kind is None or kind is type(None):
        return [] if value is None else [f"{at}: not null"]
    if kind is float:
        kind = (int, float)
    if not isinstance(kind, (type, tuple)):
        return []
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    return [] if fits and value != math.inf else [f"{at}: {value!r:.60} is not of {kind}"]
