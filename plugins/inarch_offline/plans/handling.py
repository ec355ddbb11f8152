"""Which files handle something: by their names, by what they define, and by how often they speak of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, Symbol, hits, is_partial, symbols
from inarch_offline.plans.searching import named, significant
from inarch_offline.writing import Page, Place, counted, cut

_MOST = 10
_LIMIT = 400
_PROSE = (".md", ".rst", ".txt", ".po", ".lock")


class _Handler(NamedTuple):
    """A file with what speaks for it."""

    path: str
    score: float
    lines: int
    place: Place
    symbol: Symbol | None


def list_handlers(intent: Intent) -> Plan:
    """List the files that have to do with a subject, those most about it first."""
    words = [word.lower() for word in significant(intent.subject)]
    if not words:
        page = Page()
        page.plain("The question names nothing to look for.")
        return page
    searched, found = yield [
        calls.search(calls.any_of(words), ignore_case=True, limit=_LIMIT),
        calls.find_symbols(intent.subject, limit=20),
    ]
    ranked = _ranked(hits(searched), symbols(found), words)
    page = Page()
    if not ranked:
        page.absent(f"No file here mentions “{cut(intent.subject, 60)}”.")
        return page
    page.head(f"Files about “{cut(intent.subject, 60)}”")
    for one in ranked[:_MOST]:
        lines = counted(one.lines, "line", more=is_partial(searched)) if one.lines else "by name"
        page.item(f"{one.path}: {lines}" + (f"; {named(one.symbol)}" if one.symbol else ""), one.place)
    if len(ranked) > _MOST:
        page.item(f"… {len(ranked) - _MOST:,}{' or more' * is_partial(searched)} others", ranked[_MOST].place)
    return page


def _ranked(found: Sequence[Hit], defined: Sequence[Symbol], words: Sequence[str]) -> list[_Handler]:
    by_path: dict[str, list[Hit]] = {}
    for hit in found:
        by_path.setdefault(hit.path, []).append(hit)
    own: dict[str, Symbol] = {}
    for symbol in defined:
        if any(word in symbol.qualname.lower() for word in words):
            own.setdefault(symbol.place.path, symbol)
    handlers = [_handler(path, by_path, own.get(path), words) for path in {**by_path, **own}]
    everywhere = max((_held(by_path.get(one.path, ()), words) for one in handlers), default=0)
    kept = [one for one in handlers if one.symbol or _held(by_path.get(one.path, ()), words) == everywhere]
    return sorted(kept, key=lambda one: (is_aside(one.path) or one.path.endswith(_PROSE), -one.score, one.path))


def _handler(path: str, by_path: Mapping[str, Sequence[Hit]], symbol: Symbol | None, words: Sequence[str]) -> _Handler:
    lines = by_path.get(path, ())
    in_path = sum(word in path.lower() for word in words)
    defining = sum(
        bool(re.search(r"\b(class|def|function|func|fn|struct|interface|type)\b", hit.text)) for hit in lines
    )
    score = 6 * in_path + 3 * bool(symbol) + 2 * _held(lines, words) + min(defining, 5) + min(len(lines), 30) / 10
    return _Handler(path, score, len(lines), symbol.place if symbol else lines[0].place, symbol)


def _held(lines: Sequence[Hit], words: Sequence[str]) -> int:
    """Count the words that a file's lines hold."""
    return sum(any(word in hit.text.lower() for hit in lines) for word in words)
