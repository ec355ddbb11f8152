"""Which functions, classes or methods do something: a list by names and descriptions, never one alone."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import Symbol, context, symbols
from inarch_offline.plans.explaining import explain, is_named
from inarch_offline.plans.searching import say_closest, say_symbols, significant
from inarch_offline.writing import Page

_KINDS = {
    "class": "class", "classe": "class", "type": "class", "function": "function", "method": "method",
    "constant": "constant",
}  # fmt: skip
_MOST = 8


def gather(intent: Intent) -> Plan:
    """List the definitions of a kind whose names or first sentences have the words."""
    kind = _KINDS.get(intent.facet, "")
    result, owner = yield [
        calls.find_symbols(intent.subject, kind=kind, limit=30),
        calls.context_get(intent.subject),
    ]
    target = context(owner).target
    if kind == "method" and target is not None and target.kind == "class" and is_named(intent, target):
        page = yield from explain(intent._replace(long=True))
        return page
    words = [word.lower() for word in significant(intent.subject)]
    found = [one for one in symbols(result) if not one.test and not one.name.startswith("__")]
    held = {one.qualname: _held(one, words) for one in found}
    most = max(held.values(), default=0)
    page = Page()
    good = [one for one in found if held[one.qualname] == most and 2 * most >= max(len(words), 1)]
    if not good:
        say_closest(page, intent.subject, (), found)
        return page
    plural = f"{intent.facet}es" if intent.facet == "class" else f"{intent.facet}s"
    say_symbols(page, f"{plural.capitalize()} with these words in their names or descriptions", good, _MOST)
    if len(good) > _MOST:
        page.note(f"{len(good) - _MOST} more have them")
    return page


def _held(one: Symbol, words: list[str]) -> int:
    told = re.sub(r"[\W_]+", " ", f"{one.qualname} {one.doc}").lower()
    return sum(word in told for word in words)
