"""Single values: text, numbers, amounts, paths, days and choices, and the messages for wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from inarch_sdk.settings import KeyPath, Kind, shown
from inarch_sdk.suggestions import nearest

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
        if type(item) is type(value) and item == value:
            return item
    texts = [item for item in choices if isinstance(item, str)]
    hint = nearest(value, texts) if isinstance(value, str) and texts else ""
    listed = ", ".join(repr(item) for item in choices)
    raise Wrong(f"must be one of {listed}, not {shown(value)}", (), hint if hint.startswith("did") else "")
