"""Limits of data in a turn: plain JSON, of limited depth, with numbers that JSON can express."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

DEEPEST = 100
"""Maximum levels of nested lists and objects. Encoding, redaction and schemas use a few frames a level, and Python
allows a thousand."""
LONGEST_INTEGER = 14_000
"""Maximum bits of an integer; Python neither writes nor reads integers of more than 4,300 digits."""
MOST_TOKENS = 1_000_000_000
"""Maximum plausible token count of a service."""

_PLAIN = frozenset({str, bool, type(None)})


def fault_of(data: Any) -> str:
    """Return why data cannot pass, "" if it can; works level by level, so depth does not matter."""
    level = [data]
    for _ in range(DEEPEST + 1):
        if not level:
            return ""
        below: list[Any] = []
        for value in level:
            cls = type(value)
            if cls in _PLAIN:
                continue
            if isinstance(value, Mapping):
                below.extend(value.values())
            elif isinstance(value, (list, tuple)):
                below.extend(value)
            elif fault := _fault_of_leaf(value):
                return fault
        level = below
    return f"nested deeper than {DEEPEST} levels" if level else ""


def size_of(data: Any, enough: int) -> int:
    """Return the approximate JSON size of data in bytes, whatever its depth; stop counting beyond `enough`."""
    size, waiting = 0, [data]
    while waiting and size <= enough:
        value = waiting.pop()
        size += len(value) if isinstance(value, str) else 8
        if isinstance(value, Mapping):
            size += sum(len(key) for key in value if isinstance(key, str))
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
    return size


def _fault_of_leaf(value: Any) -> str:
    if isinstance(value, float):
        return "" if isfinite(value) else f"{value} is not a JSON number"
    if isinstance(value, int):
        return "" if value.bit_length() <= LONGEST_INTEGER else "an integer has too many digits"
    from inarch.contract.codec import to_data

    try:
        to_data(value)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return ""


def read_json(text: str, *, strict: bool = True) -> Any:
    """Parse JSON text of any origin.

    Args:
        text: The text.
        strict: Whether control characters such as line breaks in its texts are errors, as in JSON.

    Raises:
        ValueError: It is not JSON, or data that cannot pass; the message says which.
    """
    try:
        value = json.loads(text, parse_constant=_no_number, strict=strict)
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    if fault := fault_of(value):
        raise ValueError(fault)
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
