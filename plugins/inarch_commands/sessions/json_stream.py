"""Printing JSON of any size: an object member by member, and of a list one element at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from inarch import escape_json


def print_json_object(members: Iterable[tuple[str, Any]]) -> None:
    """Write an object to standard output as `print_json` does; a member that is an iterator becomes a list."""
    for piece in pieces(members):
        sys.stdout.write(escape_json(piece))
    sys.stdout.write("\n")


def pieces(members: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield the text of an object in pieces."""
    before = "{\n  "
    for name, value in members:
        yield f"{before}{json.dumps(name, ensure_ascii=False)}: "
        yield from _list(value) if isinstance(value, Iterator) else (_indented(value, 2),)
        before = ",\n  "
    yield "{}" if before == "{\n  " else "\n}"


def _list(values: Iterator[Any]) -> Iterator[str]:
    before = "[\n    "
    for value in values:
        yield f"{before}{_indented(value, 4)}"
        before = ",\n    "
    yield "[]" if before == "[\n    " else "\n  ]"


def _indented(value: Any, columns: int) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * columns)
