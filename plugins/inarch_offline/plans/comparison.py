"""Several things side by side: what each is, and what they share."""

from __future__ import annotations

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.lookup import is_named, say_definition, say_sites
from inarch_offline.page import Page, Place, code, cut, fitting, joined
from inarch_offline.reading import whole_code
from inarch_offline.results import Symbol, context
from inarch_offline.snippets import methods_of, telling_lines

_MOST = 4


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
        if not is_named(intent._replace(subject=name, names=(name,)), target):
            page.plain(f"The closest definition for “{cut(name, 60)}”:")
        say_definition(page, target)
        called = [site.qualname.rpartition(".")[2] for site in found.callees]
        for line in telling_lines(target, (), called, _MOST) if target.kind != "class" else ():
            page.item(code(line.text, 100), Place(target.place.path, line.number))
        say_sites(page, "Called from", found.callers, 2, found.more_callers)
        shown.append(target)
    if len(shown) == 2 and all(one.kind == "class" for one in shown):
        page.gap()
        _say_methods(page, shown[0], shown[1])
    return page


def _say_methods(page: Page, one: Symbol, other: Symbol) -> None:
    """Say which methods both classes define themselves, and which only one of them does."""
    mine, theirs = ({method.name: method for method in methods_of(each)} for each in (one, other))
    if shared := [method for name, method in mine.items() if name in theirs and name[0] != "_"]:
        page.head("Methods that both define")
        page.item(joined([method.name for method in shared], 12), shared[0].place)
    for owner, own, foreign in ((one, mine, theirs), (other, theirs, mine)):
        only = [method for name, method in own.items() if name not in foreign and name[0] != "_"]
        if only:
            page.head(f"Only {owner.name} defines")
        for method in only[:_MOST]:
            page.item(f"{method.name}{cut(method.signature, 90)}", method.place)
        if rest := only[_MOST:]:
            page.item(f"and {fitting([method.name for method in rest], 300, 12)}", rest[0].place)
