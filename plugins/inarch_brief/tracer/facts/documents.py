"""Searchable documents of a file: one for each symbol, with its words split into fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from inarch_brief.search import documents
from inarch_brief.search.comment_text import Parted
from inarch_brief.search.documents import Document
from inarch_brief.tracer.facts.file_facts import CLASS, CONSTANT, METHOD, MODULE, TESTING, Facts, Symbol
from inarch_brief.tracer.facts.modules import CODE, EXAMPLE, TEST, VENDORED
from inarch_brief.tracer.facts.source import is_generated

_NATURES: Mapping[str, str] = MappingProxyType(
    {CODE: documents.PRODUCT, TEST: documents.TEST, EXAMPLE: documents.EXAMPLE, VENDORED: documents.VENDORED}
)
# An unclosed string with an escape ends with its line: otherwise each escaped quote would begin another.
_LINE = r"""\"[^"\\\n]*+(?:\"|(?:\\.[^"\\\n]*+)++"?)|'[^'\\\n]*+(?:'|(?:\\.[^'\\\n]*+)++'?)"""
_ASIDE = re.compile(
    r'#[^\n]*|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|'
    r"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|" + _LINE,
    re.DOTALL,
)
"""Comments and strings of Python."""
_ASIDE_ELSEWHERE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|#(?![\w\[!])[^\n]*|"
    r"`[^`\\]*+(?:`|(?:\\.[^`\\]*+)++`?)|" + _LINE,
    re.DOTALL,
)
"""The same for C-like and shell-like languages."""
_LONGEST = 400
"""Characters of a string that count."""
_DOCSTRING = 3_000
_CHILDREN = 60
_TRIPLE = ('"""', "'''")


def documents_of(path: str, module: str, role: str, facts: Facts, text: str) -> list[Document]:
    """Return the documents of a file. Tests have only names, and generated code counts less."""
    nature = documents.GENERATED if role == CODE and is_generated(text) else _NATURES[role]
    if role == TEST:
        return [_named(path, module, nature, symbol) for symbol in facts.symbols if symbol.kind != CONSTANT]
    return list(
        _documents(path, module, nature, facts, Parted.of(text, _ASIDE_ELSEWHERE if facts.language else _ASIDE))
    )


def _named(path: str, module: str, nature: str, symbol: Symbol) -> Document:
    qualified = f"{module}.{symbol.name}" if symbol.name else module
    name = qualified.rpartition(".")[2]
    if nature == documents.PRODUCT and symbol.flags & TESTING:
        nature = documents.TEST
    return Document(path, symbol.line, symbol.end, symbol.kind, nature, name, qualified)


def _documents(path: str, module: str, nature: str, facts: Facts, text: Parted) -> Iterator[Document]:
    symbols = facts.symbols
    called: dict[int, dict[str, None]] = {}
    for call in facts.calls:
        called.setdefault(call.scope, {})[call.callee.rpartition(".")[2]] = None
    for place, symbol in enumerate(symbols):
        document = _named(path, module, nature, symbol)
        if symbol.kind == CONSTANT:
            yield document._replace(signature=symbol.signature, summary=symbol.doc)
            continue
        first, last, more = _own_lines(place, symbols)
        code = text.code[first - 1 : last]
        if symbol.kind == MODULE:
            code, more = _top_level(text.code, symbols), list(facts.exports or ())
        strings = text.strings_in(first, last)
        docstring = next((text for text in strings if text[:3] in _TRIPLE), "") if symbol.doc else ""
        if docstring:
            strings.remove(docstring)
        yield document._replace(
            signature=symbol.signature,
            summary=symbol.doc,
            docstring=docstring.partition("\n\n")[2][:_DOCSTRING],
            comments=text.comments_of(first, last),
            strings=" ".join(string[:_LONGEST] for string in strings),
            body=" ".join([*code, *more, *(facts.exports or ())])
            if symbol.kind == MODULE
            else " ".join([*code, *more]),
            callees=" ".join(called.get(place, ())),
        )


def _own_lines(place: int, symbols: Sequence[Symbol]) -> tuple[int, int, list[str]]:
    """Return a symbol's own lines, and the names of members with their own documents: the methods of a class."""
    symbol = symbols[place]
    first, last = symbol.decorated or symbol.line, symbol.end
    if symbol.kind == MODULE:
        inner = [other.decorated or other.line for other in symbols[1:] if other.kind != CONSTANT]
        return first, min(inner, default=last + 1) - 1, []
    if symbol.kind != CLASS:
        return first, last, []
    methods = [other for other in symbols[place + 1 :] if other.kind == METHOD and other.line <= last]
    own = min((other.decorated or other.line for other in methods), default=last + 1) - 1
    return first, own, [other.name.rpartition(".")[2] for other in methods[:_CHILDREN]]


def _top_level(code: Sequence[str], symbols: Sequence[Symbol]) -> list[str]:
    """Return the lines of code outside of classes and functions."""
    kept: list[str] = []
    last = 0
    for symbol in symbols[1:]:
        if symbol.kind != CONSTANT and symbol.line > last:
            kept += code[last : (symbol.decorated or symbol.line) - 1]
            last = max(last, symbol.end)
    return kept + list(code[last:])
