"""Which functions, classes or methods do something: a list by names and descriptions, never one alone."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import Symbol, context, hits, symbols
from inarch_offline.plans.explaining import explain
from inarch_offline.plans.families import say_by_file, say_family
from inarch_offline.plans.naming import is_named
from inarch_offline.plans.searching import say_closest, say_symbols, significant, stem, without_copies
from inarch_offline.writing import Page, counted

_KINDS = {
    "class": "class", "classe": "class", "type": "class", "function": "function", "method": "method",
    "constant": "constant",
}  # fmt: skip
_BOUND = r"^[a-z][a-z0-9_]* *(: *[A-Za-z].*)?= *[A-Za-z_]"
"""Names at the top of a module that stand for what a call made."""
_MOST = 8


def gather(intent: Intent) -> Plan:
    """List the definitions of a kind whose names or first sentences have the words."""
    kind = _KINDS.get(intent.facet, "")
    page = Page()
    if not kind and (yield from say_family(page, intent.subject)):
        return page
    result, owner = yield [
        calls.find_symbols(intent.subject, kind=kind, limit=30),
        calls.context_get(intent.subject),
    ]
    target = context(owner).target
    words = [word.lower() for word in significant(intent.subject)]
    module = next((one for one in symbols(result) if one.kind == "module" and _is_called(one.name, words)), None)
    if not kind and module is not None:
        page = yield from _inside(module)
        return page
    if kind == "method" and target is not None and target.kind == "class" and is_named(intent, target):
        page = yield from explain(intent._replace(long=True))
        return page
    found = without_copies([one for one in symbols(result) if not one.test and not one.name.startswith("__")])
    held = {one.qualname: _held(one, words) for one in found}
    most = max(held.values(), default=0)
    good = [one for one in found if held[one.qualname] == most and 2 * most >= max(len(words), 1)]
    if not good:
        say_closest(page, intent.subject, (), found)
        return page
    plural = f"{intent.facet}es" if intent.facet == "class" else f"{intent.facet or 'definition'}s"
    say_symbols(page, f"{plural.capitalize()} with these words in their names or descriptions", good, _MOST)
    if len(good) > _MOST:
        page.note(f"{len(good) - _MOST} more have them")
    return page


def _is_called(name: str, words: list[str]) -> bool:
    return len(words) == 1 and stem(name.strip("_").lower()) == words[0]


def _inside(module: Symbol) -> Plan:
    """List the public functions and classes of a module."""
    path = module.place.path.removesuffix("/__init__.py")
    [searched] = yield [
        calls.search(r"^(class|def|async def|(export )?(async )?function) [A-Za-z]", path=path, limit=300)
    ]
    found = {match[1]: hit for hit in hits(searched) if (match := re.search(r"(?:class|def|function) (\w+)", hit.text))}
    if not found:
        [searched] = yield [calls.search(_BOUND, path=path, limit=300)]
        found = {match[1]: hit for hit in hits(searched) if (match := re.match(r"(\w+)", hit.text))}
    page = Page()
    page.head(f"{counted(len(found), 'public definition')} in {path}")
    say_by_file(page, [(name, hit.place) for name, hit in found.items()])
    return page


def _held(one: Symbol, words: list[str]) -> int:
    told = re.sub(r"[\W_]+", " ", f"{one.qualname} {one.doc}").lower()
    return sum(word in told for word in words)
