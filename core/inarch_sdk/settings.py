"""A configuration table as its attrs class defines it: its keys, and the kind of value of each.

This is the only reader of the annotations. Values from files and variables, the JSON Schema and the settings pages
all use `Kind`.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin

from attrs import NOTHING, Attribute, field, frozen, validators

if TYPE_CHECKING:
    from inarch.contract.records import Limits

KeyPath = tuple[str | int, ...]
SCALARS = frozenset({str, bool, int, float, Decimal, Path, date, datetime, type(None)})
_LISTS = (list, tuple, set, frozenset)


class Kind(NamedTuple):
    """Kind of value of an annotation.

    Args:
        form: Its form, or `odd` for a type that no setting can have.
        type: The class of a scalar, a list, a record or an enumeration; for `odd`, the annotation.
        of: Kinds of a list's elements or a table's values (empty for any), or the alternatives of a union.
        choices: The allowed plain values.
        is_optional: Whether the value may be absent.
        is_fixed: Whether a list has exactly the elements `of`, each with its own kind.
    """

    form: Literal["any", "scalar", "choice", "either", "list", "table", "record", "odd"]
    type: Any = None
    of: tuple[Kind, ...] = ()
    choices: tuple[Any, ...] = ()
    is_optional: bool = False
    is_fixed: bool = False


ANYTHING = Kind("any")


class Check(NamedTuple):
    """Constraint beyond the type: a test, with its text for messages and for the JSON Schema."""

    holds: Callable[[Any], bool]
    wanted: str
    schema: Mapping[str, Any]


class Key(NamedTuple):
    """Key of a table: its attrs field and the class.

    Args:
        doc: A sentence for people, "" for none.
        check: The constraint beyond the type.
        each: Whether the check applies to every element.
        one_or_more: Whether one string means a list of one.
    """

    attribute: Attribute[Any]
    table: type
    doc: str = ""
    check: Check | None = None
    each: bool = False
    one_or_more: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of value it accepts.

        Raises:
            NameError: An annotation of the class contains an undefined name.
        """
        return _kinds(self.table)[self.attribute.name]

    @property
    def default(self) -> Any:
        """The default in attrs' form."""
        return self.attribute.default

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.attribute.default is NOTHING


def key(doc: str, default: Any = NOTHING, check: Check | None = None, **more: Any) -> Any:
    """Return the attrs field of a key: a sentence for people, its default and its check.

    Args:
        more: `each`: the check applies to every element; `one_or_more`: one string means a list of one.
    """
    return field(default=default, metadata={"doc": doc, "check": check, **more})


def keys_of(cls: type) -> dict[str, Key]:
    """Return the keys of a table of this class; fields with `key` False in their metadata are not keys."""
    attributes = typing.cast("tuple[Attribute[Any], ...]", cls.__attrs_attrs__)  # type: ignore[attr-defined]
    own_first = sorted(attributes, key=lambda item: item.inherited)  # type: ignore[attr-defined] # the stub lacks it
    found: dict[str, Key] = {}
    for item in own_first:
        if item.init and item.metadata.get("key", True):
            told = {name: item.metadata[name] for name in Key._fields[2:] if item.metadata.get(name)}
            found[item.alias or item.name] = Key(item, cls, **told)
    return found


@cache
def _kinds(cls: type) -> dict[str, Kind]:
    """Return the kind of each field; if a field has a converter, the kind of the converter's argument."""
    hints = typing.get_type_hints(cls)
    for item in cls.__attrs_attrs__:  # type: ignore[attr-defined]
        if item.converter is not None:
            hints[item.name] = _taken_by(item.converter)
    return {name: kind_of(annotation) for name, annotation in hints.items()}


def _taken_by(converter: Any) -> Any:
    function = getattr(converter, "converter", converter)  # attrs.Converter holds the function
    try:
        taken = [kind for name, kind in typing.get_type_hints(function).items() if name != "return"]
    except (TypeError, NameError):  # classes and built-ins do not describe their argument
        taken = []
    return taken[0] if taken else Any


def kind_of(annotation: Any) -> Kind:
    """Return the kind of value of an annotation."""
    if annotation is Any or annotation is object:
        return ANYTHING
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return kind_of(arguments[0])
    if origin is Literal:
        return Kind("choice", choices=arguments)
    if origin in (Union, types.UnionType):
        members = tuple(kind_of(item) for item in arguments if item is not type(None))
        kind = members[0] if len(members) == 1 else Kind("either", of=members)
        return kind._replace(is_optional=len(members) < len(arguments))
    return _of_class(origin or annotation, arguments)


def _of_class(cls: Any, arguments: tuple[Any, ...]) -> Kind:
    if not isinstance(cls, type):
        return Kind("odd", cls)
    if cls in SCALARS:
        return Kind("scalar", cls)
    if cls in _LISTS or cls in (Sequence, Collection):
        is_fixed = cls is tuple and bool(arguments) and Ellipsis not in arguments
        elements = arguments if is_fixed else arguments[:1]
        return Kind("list", cls if cls in _LISTS else tuple, tuple(map(kind_of, elements)), is_fixed=is_fixed)
    if issubclass(cls, Mapping):
        return Kind("table", dict, tuple(map(kind_of, arguments[1:])))
    if issubclass(cls, Enum):
        return Kind("choice", cls, choices=tuple(member.value for member in cls))
    return Kind("record" if hasattr(cls, "__attrs_attrs__") else "odd", cls)


_POSITIVE: Any = validators.gt(0)


@frozen(eq=False, repr=False)
class ServiceSettings:
    """Settings shared by the plugins of all services; each plugin's class inherits them.

    Args:
        silence_s: Seconds without a byte after which a reply times out.
        requests_per_minute: Requests a minute that the service allows for one model; unknown by default.
        tokens_per_minute: Tokens a minute that it allows.
    """

    silence_s: float = field(default=120.0, validator=_POSITIVE)
    requests_per_minute: int | None = field(default=None, validator=validators.optional(_POSITIVE))
    tokens_per_minute: int | None = field(default=None, validator=validators.optional(_POSITIVE))

    @property
    def a_minute(self) -> Limits:
        """The service's limits per minute, without those of single models."""
        from inarch.contract.records import Limits

        return Limits(requests_per_minute=self.requests_per_minute, tokens_per_minute=self.tokens_per_minute)


def dotted(path: KeyPath) -> str:
    """Write a key path as in TOML, such as `profiles.default.plugins[2]`, with unprintable characters escaped."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            bare = part.replace("-", "").replace("_", "").isalnum() and part.isascii()
            text += ("." if text else "") + (part if bare else shown(part))
    return text


def shown(value: Any) -> str:
    """Return a short, printable form of a value for a message."""
    text = str(value) if isinstance(value, Decimal) else repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def plugin_variable(plugin: str) -> str:
    """Return the common prefix of the variables of a plugin's settings."""
    return f"INARCH_PLUGIN_{plugin.upper().replace('-', '_').replace('.', '_')}__"
