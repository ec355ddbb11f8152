"""Facts of a file in another language than Python, in the form of Python's: one store, one search, one graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inarch_brief_tracer.facts.file_facts import (
    CLASS,
    FULL,
    FUNCTION,
    LIGHT,
    METHOD,
    NESTED,
    TESTING,
    Call,
    Facts,
    Import,
    Shown,
    Symbol,
)
from inarch_brief_tracer.facts.source import first_paragraph, sound

if TYPE_CHECKING:
    from inarch_languages import Entry, FileFacts
    from inarch_languages import Symbol as Read

_TESTING = re.compile(r"#\[(?:cfg\((?:all\()?test\b|(?:\w+::)*test\b|rstest\b)")
"""What Rust says above a test, and above a module of tests in a file of product code."""


def facts_of_other(found: FileFacts) -> Facts:
    """Write what was read of a file as facts."""
    kinds = {symbol.name: symbol.kind for symbol in found.symbols}
    return Facts(
        LIGHT if found.problem else FULL,
        tuple([_symbol(symbol, kinds) for symbol in found.symbols]),
        tuple([Import(item.name, item.source, item.target, item.line) for item in found.imports]),
        tuple([Call(sound(call.callee), call.line, call.scope) for call in found.calls]),
        unparsable=found.problem,
        language=found.language,
        package=found.package,
        shown=tuple([_shown(entry) for entry in found.entries]),
        handed=(*found.exports, *[(item.name, item.name) for item in found.imports if item.exported]),
    )


def _shown(entry: Entry) -> Shown:
    kind, name, scope, line, how, target = entry
    return Shown(kind, sound(name), scope, line, sound(how), sound(target))


def _symbol(symbol: Read, kinds: dict[str, str]) -> Symbol:
    around = kinds.get(symbol.name.rpartition(".")[0], "")
    flags = NESTED if around in (FUNCTION, METHOD) and symbol.kind in (FUNCTION, CLASS) else 0
    flags |= TESTING if any(map(_TESTING.match, symbol.annotations)) else 0
    return Symbol(
        symbol.kind, sound(symbol.name), symbol.line, symbol.end, sound(symbol.signature),
        first_paragraph(sound(symbol.doc)), tuple(map(sound, symbol.annotations)), symbol.bases, flags, symbol.first,
    )  # fmt: skip
