"""What data may be to pass through a turn: plain JSON, no deeper than all can read, and no number it can't say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

DEEPEST = 100
"""Levels of lists and objects in each other. Encoding, redaction and schemas go down a few frames a level, and Python
ends at a thousand."""
LONGEST_INTEGER = 14_000
"""Bits; Python neither writes nor reads integers of more than 4,300 digits."""
MOST_TOKENS = 1_000_000_000
"""A service that counts more has not counted."""

_PLAIN = frozenset({str, bool, type(None)})


def fault_of(data: Any) -> str:
    """Return why data can't pass, "" where it can; looks at it level by level, whatever its depth."""
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
    """Return about how many bytes data has as JSON, whatever its depth; beyond `enough` it is not looked at further."""
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
        return "" if isfinite(value) else f"{value} is no JSON number"
    if isinstance(value, int):
        return "" if value.bit_length() <= LONGEST_INTEGER else "an integer has more digits than anybody reads"
    from inarch.contract.codec import to_data

    try:
        to_data(value)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return ""


def read_json(text: str, *, strict: bool = True) -> Any:
    """Return the value of JSON text that may come from anywhere.

    Args:
        text: The text.
        strict: Whether line breaks and other control characters within its texts are errors, as JSON says.

    Raises:
        ValueError: It is no JSON, or data that can't pass; the message says which.
    """
    try:
        value = json.loads(text, parse_constant=_no_number, strict=strict)
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    if fault := fault_of(value):
        raise ValueError(fault)
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")
