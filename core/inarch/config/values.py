"""Values with their origins, and conversion of plain data into the kind that a key requires.

It is small on purpose: every run executes it, and importing a converter library would cost more than running this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from attrs import Attribute, Converter, field, frozen

from inarch.contract.errors import ConfigError
from inarch_sdk.settings import ANYTHING, Key, KeyPath, Kind, dotted, keys_of, shown
from inarch_sdk.suggestions import nearest


class Origin(NamedTuple):
    """Place of a value, for the user; `line` counts from 1 and is None outside files."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen(eq=False, repr=False)
class Source:
    """Source of values; `text` is a file's TOML text, None for all others."""

    name: str
    text: str | None = None
    _lines: dict[KeyPath, int] = field(factory=dict)

    def line(self, path: KeyPath) -> int | None:
        """Return the line of `path`, or of the nearest table around it."""
        if self.text is None:
            return None
        if not self._lines:
            from inarch_lib.toml import key_lines

            self._lines.update(key_lines(self.text))
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1

    def error(self, path: KeyPath, message: str, remedy: str = "") -> ConfigError:
        """Return the error for the value at `path`."""
        return ConfigError(message, source=self.name, line=self.line(path), key=dotted(path), remedy=remedy)


BUILT_IN = Source("built-in")


@frozen(eq=False, repr=False)
class Given:
    """Checked value and its origin."""

    value: Any
    source: Source
    path: KeyPath = ()

    @property
    def origin(self) -> Origin:
        """Origin of the value, with its line."""
        return Origin(self.source.name, self.source.line(self.path))

    def error(self, message: str, remedy: str = "") -> ConfigError:
        """Return the error for this value."""
        return self.source.error(self.path, message, remedy)


_WORDS: dict[Any, str] = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Decimal: "an amount such as 0.50",
    Path: "a path",
    date: "a date",
    datetime: "a date and time",
    type(None): "nothing",
}


class Wrong(Exception):
    """A value has the wrong shape; `path` leads to it from the value that was read."""

    def __init__(self, message: str, path: KeyPath = (), remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.remedy = remedy


def wanted(kind: Kind) -> str:
    """Return a kind of value in the words of a message."""
    match kind.form:
        case "scalar":
            return _WORDS[kind.type]
        case "choice":
            return "one of " + ", ".join(repr(item) for item in kind.choices)
        case "either":
            return " or ".join(map(wanted, kind.of))
        case "list":
            return "a list"
    return "a table"


def kind_of(value: Any) -> str:
    """Return the kind of this value in the words of a message."""
    if isinstance(value, (list, tuple)):
        return "a list"
    return "a table" if isinstance(value, Mapping) else _WORDS.get(type(value), f"a {type(value).__name__}")


def mismatch(words: str, value: Any) -> Wrong:
    """Return the error for a value that is not of the described kind."""
    return Wrong(f"must be {words}, not {kind_of(value)}")


_NOT_MEANT: dict[Any, type] = {int: bool, date: datetime}  # subclasses


def _exactly(kind: Any, written: str = "") -> Callable[[Any], Any]:
    """Return a reader for values of a kind; `written` describes its text form, if it has one."""

    def read(value: Any) -> Any:
        if written and isinstance(value, str):
            try:
                value = kind.fromisoformat(value)
            except ValueError:
                raise Wrong(f"must be {written}, not {shown(value)}") from None
        if not isinstance(value, kind) or isinstance(value, _NOT_MEANT.get(kind, ())):
            raise mismatch(_WORDS[kind], value)
        return value

    return read


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise mismatch(_WORDS[float], value)
    try:
        number = value if isinstance(value, float) else float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Wrong("must be a finite number")
    return number


def _amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise mismatch(_WORDS[Decimal], value)
    try:
        amount = Decimal(str(value))  # through text: 0.1 means 0.1, not the nearest binary fraction
    except (InvalidOperation, ValueError):
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise Wrong(f"must be an amount such as 0.50, not {shown(value)}")
    return amount


def _path(value: Any) -> Path:
    if not isinstance(value, (str, Path)) or "\0" in str(value):
        raise mismatch(_WORDS[Path], value)
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise Wrong(f"names a home folder that can't be found: {shown(value)}") from error


SCALARS: dict[Any, Callable[[Any], Any]] = {
    str: _exactly(str),
    bool: _exactly(bool),
    int: _exactly(int),
    type(None): _exactly(type(None)),
    float: _number,
    Decimal: _amount,
    Path: _path,
    date: _exactly(date, "a date such as 2030-12-31"),
    datetime: _exactly(datetime, "a time such as 2030-12-31T12:00:00Z"),
}


def choice(choices: tuple[Any, ...], value: Any) -> Any:
    """Return `value` if it is one of the choices.

    Raises:
        Wrong: It is not; with the nearest one.
    """
    for item in choices:
        if type(item) is type(value) and item == value:  # 1 == True == 1.0
            return item
    texts = [item for item in choices if isinstance(item, str)]
    hint = nearest(value, texts) if isinstance(value, str) and texts else ""
    listed = ", ".join(repr(item) for item in choices)
    raise Wrong(f"must be one of {listed}, not {shown(value)}", (), hint if hint.startswith("did") else "")


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
            deeper = wrong if wrong.path else deeper  # an error inside a member shows that this member was meant
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
