"""The picture of the execution path that a turn found, without anything that a page would run or load."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from inarch.transcripts import Call, Exchange

LONGEST_S = 30.0
"""Seconds that a picture may take."""
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


def drawn(root: str, exchange: Exchange) -> str:
    """Return the picture of the code as it is now as SVG for the page, or "" without one."""
    call = path_call(exchange)
    if call is None:
        return ""
    given = {name: str(value) for name, value in call.arguments.items()}
    if call.name == "context_get":
        words = ["context", "get", "--svg", "--", given.get("query", "")]
    else:
        way = given.get("direction", "both")
        depth = ["--depth", given["depth"]] if "depth" in given and way != "both" else []
        words = ["trace", "show" if way == "both" else way, "--svg", *depth, "--", given.get("function", "")]
    run = [sys.executable, "-P", "-m", "inarch", *words]
    try:
        done = subprocess.run(run, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST_S)
    except (subprocess.TimeoutExpired, OSError, ValueError):  # a model's argument may be no argument of a program
        return ""
    return clean(done.stdout.decode()) if done.stdout.startswith(b"<svg") else ""


def clean(svg: str) -> str:
    """Keep known elements and attributes. The path and line of a link become `data-path` and `data-line`."""
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
