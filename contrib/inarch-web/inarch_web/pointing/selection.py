"""The selected element, read from the page's description of it. The description is untrusted."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from attrs import field, frozen

import inarch

_MOST = {"selector": 1001, "tag": 64, "text": 1001, "html": 4001, "id": 201, "address": 1001}
_CLASSES, _SOURCES, _MOST_LISTED, _LONGEST_STACK = 20, 4, 200, 4001
_PNG = b"\x89PNG\r\n\x1a\n"
_TAG = re.compile(r"[A-Za-z][\w.:-]*", re.ASCII)
_TOLD = ("selector", "text", "html", "address", "sourceLocation")
LARGEST_PICTURE = 1_500_000


@frozen
class Source:
    """The source location of an element according to its development build.

    Args:
        file: A path, or an address of the page's server.
        line: The line, counted from 1, or 0 if unknown.
        column: The column, counted from 1, or 0 if unknown.
        component: The component that contains the element.
        stack: A JavaScript stack instead of a file. Its lines are those of the module as served.
        up: How many levels above the selected element the described element is.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    component: str = ""
    stack: str = ""
    up: int = 0


@frozen
class Pointed:
    """An element as its page describes it.

    Args:
        selector: A CSS selector that matches only it.
        tag: Its name.
        text: Its text, cut.
        html: Its HTML, cut.
        rectangle: Left, top, width and height in the frame, in CSS pixels.
        id: Its id.
        classes: Its classes.
        address: Path and query of its page.
        sources: Its possible source locations, the best first.
    """

    selector: str
    tag: str
    text: str = ""
    html: str = ""
    rectangle: tuple[int, int, int, int] = (0, 0, 0, 0)
    id: str = ""
    classes: tuple[str, ...] = ()
    address: str = ""
    sources: tuple[Source, ...] = field(default=())


def read_pointed(told: object) -> Pointed:
    """Return the element that a page describes.

    Raises:
        UsageError: The description is not from the picker.
    """
    if not isinstance(told, Mapping):
        raise _wrong("is no object")
    texts = {name: _text(told, name, most) for name, most in _MOST.items()}
    if not texts["selector"] or not _TAG.fullmatch(texts["tag"]):
        raise _wrong("has no selector or no tag")
    classes = told.get("classes", ())
    if not _is_list(classes, _CLASSES) or not all(isinstance(one, str) and len(one) <= 201 for one in classes):
        raise _wrong("has no list of classes")
    sources = told.get("sources", ())
    if not _is_list(sources, _SOURCES):
        raise _wrong("has no list of sources")
    return Pointed(
        **texts, rectangle=_rectangle(told.get("rectangle", (0, 0, 0, 0))), classes=tuple(classes),
        sources=tuple(_source(one) for one in sources),
    )  # fmt: skip


def read_listed(told: object) -> dict[str, Any]:
    """Return a page's list of elements: only known members, and texts within the picker's limits.

    Raises:
        UsageError: The list is not from the picker.
    """
    elements = told.get("elements") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not _is_list(elements, _MOST_LISTED):
        raise _wrong("is no list")
    more = told.get("more")
    return {
        "title": _text(told, "title", 201), "address": _text(told, "address", 1001),
        "elements": [_listed(one) for one in elements], "more": min(more, 1_000_000) if isinstance(more, int) else 0,
    }  # fmt: skip


def read_picture(told: object) -> bytes:
    """Return the PNG of an element.

    Raises:
        UsageError: The data is not a PNG, or it is too large.
    """
    text = told.get("png") if isinstance(told, Mapping) else None
    if not isinstance(text, str) or len(text) > LARGEST_PICTURE:
        raise _wrong("has no picture")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _wrong("has no picture") from None
    if not data.startswith(_PNG):
        raise _wrong("has no picture")
    return data


def words_of(selection: Mapping[str, Any]) -> str:
    """Return one line about a selection for a person: `Selected <footer> at src/App.tsx:45–50`."""
    known = named(selection)
    if selection.get("sourceLocation"):
        return f"Selected {known}"
    return f"Selected {known} ({inarch.escape(str(selection['selector']), keep_newlines=False)})"


def named(selection: Mapping[str, Any]) -> str:
    """Return the tag of a selection and its place in the workspace, without any text of the page."""
    place = selection.get("sourceLocation")
    if not place:
        return f"<{selection['tag']}>"
    lines = "" if not place.get("line") else f":{place['line']}"
    if lines and place.get("end_line", place["line"]) > place["line"]:
        lines += f"–{place['end_line']}"
    guess = " (a guess from its text and classes)" if place.get("guess") else ""
    return f"<{selection['tag']}> at {inarch.escape(place['file'], keep_newlines=False)}{lines}{guess}"


def as_data(selection: Mapping[str, Any]) -> str:
    """Return a selection for a model as one line of JSON. Text of the page cannot break out of it."""
    told = {key: selection[key] for key in _TOLD if selection.get(key)}
    return inarch.escape_json(json.dumps(told, ensure_ascii=False))


def _listed(told: object) -> dict[str, Any]:
    if not isinstance(told, Mapping):
        raise _wrong("is no object")
    classes = told.get("classes", ())
    if not _is_list(classes, _CLASSES):
        raise _wrong("has no list of classes")
    found: dict[str, Any] = {
        name: _text(told, name, 1001) for name in ("selector", "tag", "text", "role", "label", "id")
    }
    found["classes"] = [str(one)[:200] for one in classes]
    found["rectangle"] = list(_rectangle(told.get("rectangle", (0, 0, 0, 0))))
    return {key: value for key, value in found.items() if value}


def _source(told: object) -> Source:
    if not isinstance(told, Mapping):
        raise _wrong("has a source that is no object")
    numbers = {name: told.get(name) or 0 for name in ("line", "column", "up")}
    if not all(isinstance(number, int) and 0 <= number < 10_000_000 for number in numbers.values()):
        raise _wrong("has a source without numbers")
    return Source(
        _text(told, "file", 1001), numbers["line"], numbers["column"], _text(told, "component", 201),
        _text(told, "stack", _LONGEST_STACK), numbers["up"],
    )  # fmt: skip


def _text(told: Mapping[str, Any], name: str, most: int) -> str:
    value = told.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most:
        raise _wrong(f"has no text of at most {most} characters as {name}")
    return value.encode("utf-8", "replace").decode()  # a lone surrogate cannot be stored


def _rectangle(told: object) -> tuple[int, int, int, int]:
    if not _is_list(told, 4) or len(told) != 4:
        raise _wrong("has no rectangle")
    for number in told:
        if not isinstance(number, int | float) or not math.isfinite(number) or abs(number) > 1e9:
            raise _wrong("has no rectangle")
    left, top, width, height = map(round, told)
    return left, top, width, height


def _is_list(told: object, most: int) -> TypeGuard[Sequence[Any]]:
    return isinstance(told, Sequence) and not isinstance(told, str | bytes) and len(told) <= most


def _wrong(how: str) -> inarch.UsageError:
    return inarch.UsageError(f"what the page says of an element {how}", "select it again")
