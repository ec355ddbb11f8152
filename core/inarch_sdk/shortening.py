"""Plain data that is too long for a message: measured, and cut to head and tail in the shape that it has."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any


def shortened(data: Any, ref: str, room: int) -> Any:
    """Return `data` in the same shape with about `room` characters: head and tail of what is long.

    A text that was cut says so in its middle, a list leaves items out; nothing else changes.
    """
    if isinstance(data, str):
        return _cut_text(data, ref, room)
    if isinstance(data, list):
        return _cut_list(data, ref, room)
    if isinstance(data, Mapping):
        return _cut_members(data, ref, room)
    return data


def measured(data: Any) -> int:
    """Return about how many characters plain data has as JSON, escapes not counted; much cheaper than encoding it.

    Raises:
        ValueError: It has a number that JSON can't say.
    """
    cls = type(data)
    if cls is str:
        return len(data) + 2
    if cls is dict:
        return 2 + sum([len(name) + 4 + measured(value) for name, value in data.items()])
    if cls is list:
        return 2 + sum(map(measured, data)) + len(data)
    if cls is float and not isfinite(data):
        raise ValueError(f"{data} is no JSON number")
    return len(str(data))


def _cut_text(text: str, ref: str, room: int) -> str:
    if len(text) <= room:
        return text
    head, tail = room * 3 // 4, room // 4
    left = len(text) - head - tail
    whole = f'the whole is output_ref "{ref}"' if ref else "the whole could not be kept"
    return f"{text[:head]}\n… {left} characters left out, {whole} …\n{text[len(text) - tail :]}"


def _cut_list(items: list[Any], ref: str, room: int) -> list[Any]:
    if measured(items) <= room:
        return items
    largest = max(room // 4, 1)
    head = _fitting(items, ref, room * 3 // 4, largest)
    tail = _fitting(items[len(head) :][::-1], ref, room // 4, largest)
    return head + tail[::-1]


def _fitting(items: list[Any], ref: str, room: int, largest: int) -> list[Any]:
    taken: list[Any] = []
    for item in items:
        small = shortened(item, ref, largest)
        room -= measured(small)
        if room < 0:
            break
        taken.append(small)
    return taken


def _cut_members(data: Mapping[str, Any], ref: str, room: int) -> dict[str, Any]:
    """Give each member a fair share: small ones stay whole and leave their rest to the long ones."""
    result = dict(data)
    sizes = {name: measured(value) for name, value in data.items()}
    left = len(sizes)
    for name in sorted(sizes, key=lambda name: sizes[name]):
        share = room // left
        if sizes[name] > share:
            result[name] = shortened(data[name], ref, share)
        room -= min(sizes[name], share)
        left -= 1
    return result
