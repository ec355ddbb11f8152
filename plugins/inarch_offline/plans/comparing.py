"""Several things side by side: what each is, and what they share."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import Context, Symbol, context
from inarch_offline.plans.defining import say_definition, say_sites, say_steps
from inarch_offline.plans.naming import is_named
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import say_symbols
from inarch_offline.readme import plain_text
from inarch_offline.steps import Method, methods_of
from inarch_offline.writing import Page, cut, fitting, joined, sentence

_ROOM = 300


def compare(intent: Intent) -> Plan:
    """Show each of the things that are asked about, then what two classes have in common."""
    results = yield [calls.context_get(name) for name in intent.names]
    page = Page()
    shown: list[Symbol] = []
    for name, result in zip(intent.names, results, strict=True):
        found = context(result)
        page.gap()
        if found.target is None:
            page.absent(f"Nothing here is called “{cut(name, 60)}”.")
            continue
        target = yield from whole_code(found.target)
        asked = intent._replace(subject=name, names=(name,))
        if not is_named(asked, target):
            page.plain(f"The closest definition for “{cut(name, 60)}”:")
        _say_one(page, found._replace(target=target), target)
        if not is_named(asked, target):
            say_symbols(page, "Or", found.others, 2)
        shown.append(target)
    if len(shown) == 2 and all(one.kind == "class" for one in shown):
        page.gap()
        _say_methods(page, shown[0], shown[1])
    return page


def _say_one(page: Page, found: Context, target: Symbol) -> None:
    say_definition(page, target)
    if target.kind == "class":
        made = next((method for method in methods_of(target) if method.name == "__init__"), None)
        if made and made.signature != "(self)":
            page.say(f"Made with {cut(made.signature.replace('(self, ', '('), 160)}", made.place)
    else:
        say_steps(page, "Step by step", found, 4)
    say_sites(page, "Called from", found.callers, 2, found.more_callers)


def _say_methods(page: Page, one: Symbol, other: Symbol) -> None:
    """Say which methods both classes define themselves, and which only one of them does."""
    mine, theirs = _public(one), _public(other)
    shared = [method for method in mine if method.name in {their.name for their in theirs}]
    if shared:
        page.head("Methods that both define")
        page.item(joined([method.name for method in shared], 12), shared[0].place)
    for owner, own, foreign in ((one, mine, theirs), (other, theirs, mine)):
        names = {method.name for method in foreign}
        only = [method for method in own if method.name not in names]
        if only:
            page.head(f"Only {owner.name} defines")
            _say_only(page, only)


def _say_only(page: Page, methods: Sequence[Method]) -> None:
    for method in methods[:4]:
        doc = sentence(plain_text(method.doc), 90) if method.doc else ""
        page.item(f"{method.name}{cut(method.signature, 60)}" + (f" — {doc}" if doc else ""), method.place)
    if len(methods) > 4:
        page.item(f"and {fitting([method.name for method in methods[4:]], _ROOM, 12)}", methods[4].place)


def _public(owner: Symbol) -> list[Method]:
    found = {method.name: method for method in methods_of(owner) if not method.name.startswith("_")}
    return list(found.values())
