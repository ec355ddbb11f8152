"""The most telling lines of a definition's code, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from inarch_brief.offline.results import Site, Symbol
from inarch_brief.offline.words import held

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*(?!\w)|\"{3}|'{3}|--)")
_TELLING = re.compile(
    r"\s*(?:(?:return|raise|throw|yield|await|panic|bail|reject)\b|(?:Ok|Err)\("
    r"|(?:\} )?(?:else )?(?:if|elif|match|switch)\b)"
)
_BLOCK = re.compile(r"\s*(?:for|while|with|async|try|except|catch|loop)\b")
_ROUTINE = re.compile(
    r"\s*(?:if err != nil|return (?:nil, )?err$|return (?:nil|null|None|value|this|self)?;?$|defer\b|\w+\+\+;?$"
    r"|(?:\w+(?:\.|::))*(?:debug|log|trace|console)\w*!?[.(])",
    re.IGNORECASE,
)
"""Statements that most functions have: errors passed on, logs."""
_HEAD = re.compile(r"\s*(?:(?:[\w, ]+ :?= )?((?:throw|raise|panic)\b|[\w.:$]+!?\()|(if|elif|switch|match)\b)")
_TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")
_RUST_TEXT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'")
_KEY = re.compile(r"\s*['\"]?\w+['\"]?: [^=]*,$")
_EMPTY = re.compile(r"\W*(?:pass|else|try|finally|end|self|return None|return)?\W*")


class Line(NamedTuple):
    """A line of code with its number in the file."""

    number: int
    text: str


def telling_lines(symbol: Symbol, words: Iterable[str], callees: Iterable[Site], most: int) -> list[Line]:
    """Return the most telling statements of a body: they hold words of the question, call code of this project, decide.

    A statement is on one line here. Of those that begin alike, such as calls of one function, the first tells most.
    """
    body = _body(symbol)
    stems = [low for word in words if not f".{symbol.qualname.lower()}".endswith(f".{(low := word.lower())}")]
    called = {site.place.line: 2 - site.by_name for site in callees}
    names = [f"{site.qualname.rpartition('.')[2]}(" for site in callees if not site.by_name]
    margin = min((len(line.text) - len(line.text.lstrip()) for line in body), default=0)

    def weight(line: Line) -> float:
        calls = called.get(line.number, 0) or 2 * any(name in line.text for name in names)
        says = bool(_TELLING.match(line.text)) + 0.5 * bool(_BLOCK.match(line.text)) + 0.5 * ("(" in line.text)
        is_part = (line.text.lstrip()[:1] in "\"'fF)]}" and "(" not in line.text) or bool(_KEY.match(line.text))
        is_outer = "(" in line.text and not line.text[margin : margin + 1].isspace()
        dull = 2 * bool(_ROUTINE.match(line.text)) + 3 * is_part + (line.text.rstrip()[-1:] in "([{")
        return 2 * held(line.text, stems) + calls + says + 0.5 * is_outer - dull

    kept, span = list[Line](), symbol.code.count("\n") + 1  # of equal statements, those apart tell more
    left = [(weight(line), line) for line in body]
    while left and len(kept) < most:
        best = max(left, key=lambda one: one[0] + min((abs(one[1][0] - it[0]) for it in kept), default=0) / span)
        kept.append(best[1])
        head = _head(best[1])
        left = [(value - 1.5 * bool(head and head == _head(line)), line) for value, line in left if line != best[1]]
    return sorted(kept)


def _head(line: Line) -> str:
    found = _HEAD.match(line.text)
    return (found[1] or found[2]) if found else ""


def _body(symbol: Symbol) -> list[Line]:
    """Return the statements after the signature and the docstring, without mere brackets and comments."""
    quotes = _RUST_TEXT if symbol.place.path.endswith(".rs") else _TEXT
    lines: list[Line] = []
    opened = ""
    for number, text in _code(symbol):
        if opened[-1:] in ("(", "[") and lines:
            before = lines.pop()
            tight = before.text[-1:] in "([" or text.lstrip()[:1] in ".)]"
            lines.append(Line(before.number, f"{before.text.rstrip()}{'' if tight else ' '}{text.strip()}"))
        elif lines and text.lstrip().startswith((".", "&& ", "|| ", "? ", "and ", "or ")):
            before = lines.pop()
            lines.append(
                Line(before.number, f"{before.text.rstrip()}{'' if text.lstrip()[0] == '.' else ' '}{text.strip()}")
            )
        elif not _EMPTY.fullmatch(text):
            lines.append(Line(number, text))
        for sign in re.findall(r"[(){}\[\]]", quotes.sub("", text)):
            opened = opened + sign if sign in "([{" else opened[:-1]
    return lines


def _code(symbol: Symbol) -> Iterable[tuple[int, str]]:
    """Yield the lines after the signature and the docstring with their numbers, without comments."""
    lines, start, depth = symbol.code.split("\n"), 0, 0
    for index, line in enumerate(lines):
        depth += sum(line.count(sign) for sign in "([") - sum(line.count(sign) for sign in ")]")
        if depth <= 0 and line.rstrip().endswith((":", "{")) and not line.lstrip().startswith("@"):
            start = index + 1
            break
    quote = ""
    for number, line in enumerate(lines[start:], symbol.place.line + start):
        opened = re.match(r"\s*[rRuUbB]?(\"{3}|'{3})", line)
        if quote or opened:
            rest = line if quote else line[opened.end() if opened else 0 :]
            quote = quote or (opened[1] if opened else "")
            quote = "" if quote in rest else quote
        elif not _COMMENT.match(line):
            yield number, line
