"""Small reads of syntax nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = re.compile(r"[\w$#@~!?=<>+\-*/%&|^\[\]]+(?:\(\))?")
_BLANKS = re.compile(r"\s+")
_CHAIN = re.compile(r"[\w$@#]+(?:(?:\.|::|->|\?\.|\\)[\w$#]+)*")
_SEPARATOR = re.compile(r"::|->|\?\.|\\")
_LAST = re.compile(r"(?:\.|::|->|\\)\s*([\w$#]+)$")
_GENERIC = re.compile(r"(?:::)?<[^()]*>$|\[[^()\[\]]*\]$")
_THIS = re.compile(r"^(?:(?:this|self|Self|\$this)\b|@+(?=\w+\.))")
_VERSION = re.compile(r"^v\d+$")
MOST_CALLEE = 200
"""Bytes of a callee that are read: the end of a long chain of calls is the callee."""


def field(node: Node | None, name: str) -> Node | None:
    """Return a node's field, or None."""
    return None if node is None else node.child_by_field_name(name)


def text_of(node: Node | None) -> str:
    """Return a node's text; "" for None."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def line_of(node: Node) -> int:
    """Return the line a node begins on, from 1."""
    return node.start_point[0] + 1


def unquoted(text: str) -> str:
    """Remove the quotes of a literal."""
    return text.strip("'\"`<>")


def last_of(source: str) -> str:
    """Return the usual name of a package from its path: `gopkg.in/go-yaml.v3` is `yaml`."""
    parts = [part for part in source.split("/") if not _VERSION.match(part)] or [source]
    return re.sub(r"\.v\d+$|^go-|-go$", "", parts[-1])


def flat(text: str, most: int = 300) -> str:
    """Put a text on one line."""
    return _BLANKS.sub(" ", text[: most * 3]).strip()[:most]


def plain_name(text: str) -> str:
    """Return a name without quotes, or "" for a computed one."""
    name = text.strip("'\"` ")
    return name if len(name) <= 120 and _NAME.fullmatch(name) else ""


def dotted(text: str) -> str:
    """Return a callee with dots: `a::b` and `a->b` become `a.b`, other expressions `?`."""
    text = _GENERIC.sub("", _BLANKS.sub("", text[-4 * MOST_CALLEE :]).rstrip("!"))
    if len(text) < MOST_CALLEE and _CHAIN.fullmatch(text):
        return _THIS.sub(_own, _SEPARATOR.sub(".", text).lstrip("."))
    last = _LAST.search(text[-MOST_CALLEE:])
    return f"?.{last[1]}" if last else "?"


def _own(found: re.Match[str]) -> str:
    return "self." if found[0].startswith("@") else "self"


def type_name(text: str) -> str:
    """Return the class in a type: `*gin.Context` is `gin.Context`, `&mut Vec<T>` is `Vec`."""
    text = re.sub(r"^(?:[*&\[\]\s?]|mut\b|const\b|dyn\b|impl\b|'\w+|struct\b|class\b|enum\b|readonly\b)+", "", text)
    found = _CHAIN.match(text.strip())
    return _SEPARATOR.sub(".", found[0]) if found else ""
