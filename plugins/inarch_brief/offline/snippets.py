"""The most telling lines of a definition's code, and the methods of a class, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inarch_brief.offline.page import Place
from inarch_brief.offline.results import Symbol
from inarch_brief.offline.words import held

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|\"{3}|'{3}|--)")
_TELLING = re.compile(r"\s*(?:(?:return|raise|throw|yield|await|panic!?)\b|(?:else )?(?:if|elif|match|switch)\b)")
_BLOCK = re.compile(r"\s*(?:for|while|with|async|try|except|catch|loop)\b")
_EMPTY = re.compile(r"\W*(?:pass|else|try|finally|end|self|return None|return)?\W*")
_PYTHON_METHOD = r"^(?P<margin>[ \t]+)(?:async )?def (?P<name>\w+)\((?P<rest>.*?)\)(?P<gives> *->[^\n]*?)?:[^\n]*$"
_OTHER_METHOD = (
    r"^(?P<margin>[ \t]+)(?:(?:public|protected|static|async|get|set|abstract|override|final|pub|fn|func|def|fun|"
    r"[A-Z]\w*|void|int|boolean) +)*(?P<name>[A-Za-z_$][\w$]*)\s*\((?P<rest>[^)\n]*)\)?(?P<gives>[^{;\n]*)\{[ \t]*$"
)
_NO_METHOD = frozenset(("if", "for", "while", "switch", "return", "catch", "super", "function", "match"))


class Line(NamedTuple):
    """A line of code with its number in the file."""

    number: int
    text: str


class Method(NamedTuple):
    """A method as its class declares it."""

    name: str
    signature: str
    place: Place
    doc: str = ""
    weight: int = 0
    """Its importance: its lines, more if it has a docstring."""


def telling_lines(symbol: Symbol, words: Iterable[str], called: Iterable[str], most: int) -> list[Line]:
    """Return the most telling lines of a body: they hold words of the question, call code of this project, decide."""
    body = [Line(symbol.place.line + index, line) for index, line in _body(symbol.code.split("\n"))]
    stems, names = [word.lower() for word in words], [f"{name}(" for name in called]

    def weight(line: Line) -> float:
        calls = any(name in line.text for name in names)
        says = bool(_TELLING.match(line.text)) + 0.5 * bool(_BLOCK.match(line.text)) + 0.5 * ("(" in line.text)
        is_part = line.text.lstrip()[:1] in "\"'fF)]}" and "(" not in line.text
        return 2 * held(line.text, stems) + 2 * calls + says - 2 * is_part - (line.text.rstrip()[-1:] in "([{")

    kept = sorted(body, key=lambda line: -weight(line))[:most] if len(body) > most else body
    return sorted(kept)


def _body(lines: Sequence[str]) -> Iterable[tuple[int, str]]:
    """Yield the lines after the signature and the docstring, without mere brackets and comments."""
    start, depth = 0, 0
    for index, line in enumerate(lines):
        depth += sum(line.count(sign) for sign in "([") - sum(line.count(sign) for sign in ")]")
        if depth <= 0 and line.rstrip().endswith((":", "{")) and not line.lstrip().startswith("@"):
            start = index + 1
            break
    quote = ""
    for index, line in enumerate(lines[start:], start):
        opened = re.match(r"\s*[rRuUbB]?(\"{3}|'{3})", line)
        if quote or opened:
            rest = line if quote else line[opened.end() if opened else 0 :]
            quote = quote or (opened[1] if opened else "")
            quote = "" if quote in rest else quote
        elif not (_COMMENT.match(line) or _EMPTY.fullmatch(line)):
            yield index, line


def methods_of(symbol: Symbol) -> list[Method]:
    """Return the methods that the code of a class declares, in order."""
    pattern = _PYTHON_METHOD if symbol.place.path.endswith((".py", ".pyi")) else _OTHER_METHOD
    declared = [one for one in re.finditer(pattern, symbol.code, re.M | re.S) if one["name"] not in _NO_METHOD]
    own = [one for one in declared if one["margin"] == declared[0]["margin"]]
    found: dict[str, Method] = {}
    for match, end in zip(own, [*(one.start() for one in own[1:]), len(symbol.code)], strict=True):
        taken = re.sub(r"^(?:self|cls)\b(?:, ?)?", "", re.sub(r"\s+", " ", match["rest"]).strip(" ,"))
        place = Place(symbol.place.path, symbol.place.line + symbol.code.count("\n", 0, match.start("name")))
        doc = re.match(r"\s*[rRuU]?(?:\"{3}|'{3})\s*((?:[^\n\"]+\n?)+)", symbol.code[match.end() :])
        weight = symbol.code.count("\n", match.start(), end) + 3 * bool(doc)
        signature = f"({taken}){(match['gives'] or '').rstrip()}"
        found[match["name"]] = Method(match["name"], signature, place, " ".join(doc[1].split()) if doc else "", weight)
    return list(found.values())
