"""Where the members of a JSON object stand in its text; the text must be one that `json` accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_BLANK = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """A member: where its key begins, and where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


def members(text: str, at: int) -> Iterator[Member]:
    """Yield the members of the object whose brace stands at a place."""
    at = _blank(text, at + 1)
    while text[at] == '"':
        key, end = _DECODER.raw_decode(text, at)
        value = _blank(text, _blank(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield Member(key, at, value, end)
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at


def put_first(text: str, at: int, depth: int, key: str, value: Any) -> str:
    """Return what goes behind the brace at a place, so that the object has one more member, as the text is written.

    Args:
        text: The whole text.
        at: Where the object's brace stands.
        depth: How deep its members are.
        key: The member's name, which the object doesn't have.
        value: The member's value.
    """
    is_empty = next(members(text, at), None) is None
    if "\n" not in text.strip():
        return f"{json.dumps({key: value})[1:-1]}{'' if is_empty else ', '}"
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps({key: value}, indent=unit).splitlines()[1:-1]
    written = "".join(f"{end}{unit * (depth - 1)}{line}" for line in lines)
    if not is_empty:
        return f"{written},"
    return written if "\n" in text[at : _blank(text, at + 1)] else f"{written}{end}{unit * (depth - 1)}"


def cut_member(text: str, at: int, key: str) -> str:
    """Return the text without a member of the object at a place, and without the comma that parted it from another."""
    found = list(members(text, at))
    place = next(place for place, one in enumerate(found) if one.key == key)
    if place + 1 < len(found):
        return text[: found[place].start] + text[found[place + 1].start :]
    start = found[place - 1].end if place else at + 1
    return text[:start] + text[found[place].end if place else _blank(text, found[place].end) :]


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
