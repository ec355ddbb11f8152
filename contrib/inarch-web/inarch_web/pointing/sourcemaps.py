"""Where a place in a module that a server sent stands in the source it was made of (source maps, version 3)."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase, digits
from urllib.parse import unquote, urljoin

from attrs import frozen

_DIGITS = {char: number for number, char in enumerate(f"{ascii_uppercase}{ascii_lowercase}{digits}+/")}
_LINK = re.compile(r"^[ \t]*//[#@] ?sourceMappingURL=(\S+)[ \t]*$", re.MULTILINE)
_FRAME = re.compile(r"(https?://[^\s()]+?):(\d+):(\d+)\)?\s*$")
_LIBRARY = re.compile(r"/node_modules/|/@vite/|/@react-refresh|/@id/|/jsx[-_](dev[-_])?runtime|/react[-_]jsx")
_BOTTOM = "react_stack_bottom_frame"
"""Below it a stack of React is in React itself."""
_SHORTEST_SEGMENT = 4
_LARGEST_SHIFT = 30
"""Numbers of a map have 32 bits: one with digits without an end would take longer for each."""


@frozen
class Place:
    """A place in a file: `line` and `column` counted from 1."""

    file: str
    line: int
    column: int


def first_place(stack: str) -> Place | None:
    """Return the innermost place of a JavaScript stack that is not in a library."""
    for line in stack.partition(_BOTTOM)[0].splitlines():
        found = _FRAME.search(line.strip())
        if found and not _LIBRARY.search(found.group(1)):
            return Place(found.group(1), int(found.group(2)), int(found.group(3)))
    return None


def link_of(module: str) -> str:
    """Return where a module says its map is, empty where it says nothing; the last such line counts."""
    found = _LINK.findall(module)
    return str(found[-1]) if found else ""


def inline_map(link: str) -> str | None:
    """Return the map that stands in the link itself, None where it doesn't."""
    if not link.startswith("data:"):
        return None
    kind, _, data = link.partition(",")
    try:
        return base64.b64decode(data).decode() if kind.endswith(";base64") else unquote(data)
    except (binascii.Error, ValueError):
        return None


def original(text: str, place: Place) -> Place | None:
    """Return what a map says of a place, None where it says nothing.

    Args:
        text: The map.
        place: A place in the module; its `file` is the module's address.
    """
    try:
        told = json.loads(text)
        sources, mappings = told["sources"], told["mappings"]
        root = told.get("sourceRoot") or ""
        found = _segment(mappings, place.line - 1, place.column - 1)
        if found is None:
            return None
        number, line, column = found
        return Place(urljoin(place.file, f"{root}{sources[number]}"), line + 1, column + 1)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def _segment(mappings: str, line: int, column: int) -> tuple[int, int, int] | None:
    """Return source, line and column of the last segment before a place of the made module, all counted from 0."""
    source = source_line = source_column = 0
    best: tuple[int, int, int] | None = None
    for number, group in enumerate(mappings.split(";")):
        if number > line:
            break
        made = 0
        for text in filter(None, group.split(",")):
            values = tuple(_numbers(text))
            made += values[0]
            if len(values) < _SHORTEST_SEGMENT:
                continue
            source, source_line, source_column = source + values[1], source_line + values[2], source_column + values[3]
            if number == line and (made <= column or best is None):
                best = source, source_line, source_column
    return best if best is not None and min(best) >= 0 else None


def _numbers(text: str) -> Iterator[int]:
    """Yield the numbers of base 64 digits: five bits each, the lowest first, the last bit of all is the sign."""
    value = shift = 0
    for char in text:
        digit = _DIGITS[char]
        if shift > _LARGEST_SHIFT:
            raise ValueError(text[:20])
        value += (digit & 31) << shift
        shift += 5
        if not digit & 32:
            yield -(value >> 1) if value & 1 else value >> 1
            value = shift = 0
