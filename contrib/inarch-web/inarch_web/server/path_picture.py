"""The picture of the execution path that a turn found, without anything that a page would run or load."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import inarch
from inarch.transcripts import Call, Exchange

TOOLS = ("context_get", "trace_execution")
_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = frozenset(f"{_SVG}{name}" for name in ("svg", "title", "desc", "rect", "g", "path", "a", "text"))
_ATTRIBUTES = frozenset(("class", "x", "y", "width", "height", "viewBox", "rx", "d", "textLength", "lengthAdjust"))
_CODE = re.compile(r"([^/:?#][^:?#]*)#L(\d+)")


def path_call(exchange: Exchange) -> Call | None:
    """Return the last call of a turn whose result has an execution path."""
    return next((call for call in reversed(exchange.calls) if call.name in TOOLS and _has_path(call)), None)


def _has_path(call: Call) -> bool:
    data = (call.result or {}).get("data")
    if call.status != "success" or not isinstance(data, Mapping):
        return False
    return bool(data.get("flow") or data.get("paths") or "Execution Flow" in str(data.get("found")))


def drawn(app: inarch.App, session_id: str, exchange: Exchange) -> str:
    """Return the picture as SVG for the page, or "" without one.

    Raises:
        UsageError: No plugin draws paths.
    """
    call = path_call(exchange)
    return clean(app.extension(session_id, "paths").drawn(call.name, call.arguments)) if call else ""


def clean(svg: str) -> str:
    """Keep known elements and attributes. The path and line of a link become `data-path` and `data-line`."""
    from urllib.parse import unquote

    if not svg:
        return ""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag not in _ELEMENTS:
                parent.remove(child)
    for element in root.iter():
        given: dict[str, Any] = dict(element.attrib)
        element.attrib = {name: given[name] for name in given if name in _ATTRIBUTES}
        if code := _CODE.fullmatch(given.get("href", "")):
            element.attrib |= {"data-path": unquote(code[1]), "data-line": code[2], "tabindex": "0", "role": "button"}
    root.set("role", "group")
    root.set("aria-label", root.findtext(f"{_SVG}title") or "Execution path")
    ElementTree.register_namespace("", _SVG[1:-1])
    return ElementTree.tostring(root, "unicode")
