"""Methods of a class of a script or of Java, read from its code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.material import Symbol
from inarch_offline.steps import Method
from inarch_offline.writing import Place

_BRACED = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".java")
_METHOD = (
    r"(?:(?:public|protected|static|async|get|set|abstract|override|final|default|void|int|boolean|long|"
    r"[A-Z][\w<>\[\], ]*) +)*(?P<name>[A-Za-z_$][\w$]*)\s*(?:<[^>(]*>)?(?P<rest>\([^)]*\)?[^{;]*)[{;]?\s*$"
)
_NO_METHODS = frozenset(
    ("constructor", "if", "for", "while", "switch", "return", "catch", "super", "function", "throw")
)


def methods_elsewhere(target: Symbol) -> list[Method]:
    """Give the methods of a class of a script or of Java: what begins a line at the margin of its body."""
    if not target.place.path.endswith(_BRACED):
        return []
    lines = target.code.split("\n")
    margin = next((found for line in lines[1:] if (found := re.match(r"\s+(?=[^\s/*])", line))), None)
    methods: dict[str, Method] = {}
    is_comment = False
    for index, line in enumerate(lines):
        was_comment, is_comment = is_comment, _goes_on(line, is_comment)
        read = re.match(rf"{margin[0]}{_METHOD}", line) if margin and not was_comment else None
        if read and read["name"] not in _NO_METHODS:
            place = Place(target.place.path, target.place.line + index)
            signature, doc = read["rest"].strip(" {"), _above(lines, index)
            methods.setdefault(read["name"], Method(read["name"], place, signature, doc, ()))
    return list(methods.values())


def _goes_on(line: str, is_comment: bool) -> bool:
    """Whether the next line stands in a comment."""
    opened, closed = line.rfind("/*"), line.rfind("*/")
    return opened > closed if opened != closed else is_comment


def _above(lines: Sequence[str], index: int) -> str:
    """Give the first line that says something in the comment above a line."""
    first = index
    while first and re.match(r"\s*(?:\*|/\*\*|//)", lines[first - 1]):
        first -= 1
    told = (re.sub(r"^\s*(?:/\*+|\*+/?|//+)\s*|\s*\*/\s*$", "", line) for line in lines[first:index])
    return next((text for text in told if text and not text.startswith("@")), "")
