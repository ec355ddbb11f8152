"""The selected element, read from the page's description of it. The description is untrusted."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

import inarch
from inarch_lib.schemas.validation import Schema

LARGEST_PICTURE = 1_500_000
_PNG = b"\x89PNG\r\n\x1a\n"
_TOLD = ("selector", "text", "html", "address", "sourceLocation")
_TEXTS = {"selector": 1001, "tag": 64, "text": 1001, "html": 4001, "id": 201, "address": 1001}
_LISTED = ("selector", "tag", "text", "role", "label", "id", "classes", "rectangle")


def _text(most: int) -> dict[str, Any]:
    return {"type": ["string", "null"], "maxLength": most}


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}


_NUMBER = {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 10_000_000}
_LENGTH = {"type": "number", "minimum": -1e9, "maximum": 1e9}
_SHAPE = {
    "classes": {"type": "array", "items": {"type": "string", "maxLength": 201}, "maxItems": 20},
    "rectangle": {"type": "array", "items": _LENGTH, "minItems": 4, "maxItems": 4},
}
_SOURCE = {
    "file": _text(1001), "line": _NUMBER, "column": _NUMBER, "component": _text(201), "stack": _text(4001),
    "up": _NUMBER,
}  # fmt: skip
_NAMES = {
    "selector": {"type": "string", "minLength": 1, "maxLength": _TEXTS["selector"]},
    "tag": {"type": "string", "pattern": r"^[A-Za-z][A-Za-z0-9_.:-]*\Z", "maxLength": _TEXTS["tag"]},
}
_POINTED_SCHEMA = Schema(
    _object(
        {
            **{name: _text(most) for name, most in _TEXTS.items()},
            **_NAMES,
            **_SHAPE,
            "sources": {"type": "array", "items": _object(_SOURCE), "maxItems": 4},
        },
        *_NAMES,
    )
)
_ONE_LISTED = _object({**{name: _text(1001) for name in _LISTED}, **_SHAPE})
_LISTED_SCHEMA = Schema(
    _object(
        {
            "title": _text(201),
            "address": _text(1001),
            "elements": {"type": "array", "items": _ONE_LISTED, "maxItems": 200},
            "more": _NUMBER,
        },
        "elements",
    )
)


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
    """Return the element that a page describes."""
    kept = _checked(_POINTED_SCHEMA, told)
    left, top, width, height = map(round, kept.get("rectangle", (0, 0, 0, 0)))
    sources = [{name: one[name] for name in _SOURCE if one.get(name)} for one in kept.get("sources", ())]
    return Pointed(
        **{name: kept.get(name) or "" for name in _TEXTS}, rectangle=(left, top, width, height),
        classes=tuple(kept.get("classes", ())), sources=tuple(Source(**one) for one in sources),
    )  # fmt: skip


def read_listed(told: object) -> dict[str, Any]:
    """Return a page's list of elements: only known members, and texts within the picker's limits."""
    kept = _checked(_LISTED_SCHEMA, told)
    elements = [{name: one[name] for name in _LISTED if one.get(name)} for one in kept["elements"]]
    found = {"title": kept.get("title") or "", "address": kept.get("address") or ""}
    return {**found, "elements": elements, "more": kept.get("more") or 0}


def read_picture(told: object) -> bytes:
    """Return the PNG of an element."""
    text = told.get("png") if isinstance(told, Mapping) else None
    try:
        is_short = isinstance(text, str) and len(text) <= LARGEST_PICTURE
        data = base64.b64decode(str(text), validate=True) if is_short else b""
    except ValueError:
        data = b""
    if not data.startswith(_PNG):
        raise inarch.UsageError("the page's picture of an element is none", "select it again")
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


def _checked(schema: Schema, told: object) -> dict[str, Any]:
    if schema.faults(told):
        raise inarch.UsageError("what the page says of an element is not from the picker", "select it again")
    text = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")  # a lone surrogate cannot be stored
    kept: dict[str, Any] = json.loads(text)
    return kept
