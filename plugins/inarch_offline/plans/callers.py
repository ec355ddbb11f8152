"""Who calls Y, what Y calls, and the code of Y."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_tests, say_ways
from inarch_offline.intents import EXPLAIN, Intent
from inarch_offline.layout import is_aside
from inarch_offline.lookup import is_named, say_definition, say_hits, say_note, say_sites, say_symbols, written
from inarch_offline.page import Page, Place, code, counted, cut, joined, shortened
from inarch_offline.reading import whole_code
from inarch_offline.results import Context, Hit, Site, context, hits
from inarch_offline.words import paths_in

_MOST_CALLERS = 12
_MOST_LINES, _ALL_LINES = 60, 400
_COLUMNS = 200


def callers(intent: Intent) -> Plan:
    """Answer with the call sites, then the other lines that name it."""
    name = _name(intent)
    result, mentions = yield [
        calls.context_get(intent.subject or name),
        calls.search(_mentions(name), limit=60) if name else calls.list_files(limit=1),
    ]
    found = context(result)
    page = Page()
    if found.target is not None and is_named(intent, found.target):
        _say_callers(page, found, hits(mentions))
        say_ways(page, found.flow, 5)
        say_tests(page, found.flow, 3)
    elif not intent.names and len(intent.subject.split()) > 1:
        joined_words = "".join(intent.subject.lower().split())
        named = next((one for one in found.candidates if one.name.lower().replace("_", "") == joined_words), None)
        if named is not None:
            page = yield from callers(intent._replace(subject=named.qualname, names=(named.qualname,)))
            return page
        page = yield from _places(intent)
        return page
    elif say_hits(page, f"Closest lines for “{cut(name, 60)}” (text search)", hits(mentions), _MOST_CALLERS):
        say_symbols(page, "Definitions with similar words", found.candidates, 4)
    else:
        page = yield from _places(intent)
        return page
    say_note(page, result)
    return page


def _places(intent: Intent) -> Plan:
    from inarch_offline.plans.places import explain

    return explain(intent._replace(kind=EXPLAIN))


def _mentions(name: str) -> str:
    """Write the expression for lines that have a name; a field that keeps what a property gives has it behind `_`."""
    last = name.rpartition(".")[2]
    return rf"\b{'_?' * ('_' in last.strip('_') and last[0] != '_')}{calls.literal(last)}\b"


def callees(intent: Intent) -> Plan:
    """Answer with what a definition calls, in order."""
    [result] = yield [calls.context_get(intent.subject or _name(intent))]
    found = context(result)
    page = Page()
    if found.target is None or not is_named(intent, found.target):
        page = yield from _places(intent)
        return page
    say_definition(page, found.target)
    own = [site for site in found.callees if site.defined is not None]
    if own:
        number = counted(len(own), "place", more=found.more_callees)
        page.head(f"It calls {number} of this code" if len(own) > 1 else "It calls")
    for site in own[:_MOST_CALLERS]:
        page.item(f"{site.qualname}, defined at {site.defined}", site.place)
    if len(own) > _MOST_CALLERS:
        rest = [site.qualname.rpartition(".")[2] for site in own[_MOST_CALLERS:]]
        page.item(f"and {joined(rest, 8)}", own[_MOST_CALLERS].place)
    say_sites(page, "It also calls what is not defined here", [one for one in found.callees if one.defined is None], 6)
    if not found.callees:
        page.note("none of its calls leads to a definition that the index knows")
    say_note(page, result)
    return page


def source(intent: Intent) -> Plan:
    """Show the code of a definition, with the numbers of the lines."""
    [result] = yield [calls.context_get(intent.subject)]
    target = context(result).target
    page = Page()
    if paths_in(intent.subject) == (intent.subject,) or (target is not None and target.kind == "module"):
        from inarch_offline.plans.outline import explain_file

        path = target.place.path if target is not None and target.kind == "module" else intent.subject
        page = yield from explain_file(intent._replace(path=path))
        return page
    if target is None or not is_named(intent, target):
        page = yield from _places(intent)
        return page
    target = yield from whole_code(target)
    page.say(f"{target.kind} `{shortened(target.qualname)}`", target.place)
    lines = target.code.splitlines()
    shown = lines[: _ALL_LINES if intent.long else _MOST_LINES]
    page.code([line[:_COLUMNS] for line in shown], target.place.line)
    if target.place.line + len(shown) <= max(target.end, target.place.line + len(lines) - 1):
        page.item("… the rest", Place(target.place.path, target.place.line + len(shown)))
    return page


def _say_callers(page: Page, found: Context, mentions: Sequence[Hit]) -> None:
    target = found.target
    assert target is not None
    say_definition(page, target)
    by_role = sorted(found.callers, key=lambda site: is_aside(site.place.path))  # else as the look-up ranks them
    number = counted(len(by_role), "place", more=found.more_callers)
    say_sites(page, f"Called from {number}", by_role, _MOST_CALLERS, found.more_callers)
    known = {site.place for site in by_role}
    others = [
        Site(hit.path, hit.place, hit.text)
        for hit in sorted(written(mentions), key=lambda hit: (is_aside(hit.path), hit.path, hit.line))
        if hit.place not in known
        and not target.place.line <= hit.line <= max(target.end, target.place.line) * _same(hit, target.place.path)
    ]
    if not by_role:
        page.note("no direct call was found; it may be called through an object, a registry or from outside")
    if others:
        page.head("Also named in" if by_role else "Named in")
    is_called = any(not is_aside(site.place.path) for site in by_role)
    for site in others[: 6 if is_called else _MOST_CALLERS]:
        page.item(code(site.text), site.place)


def _same(hit: Hit, path: str) -> int:
    return 1 if hit.path == path else 0


def _name(intent: Intent) -> str:
    return intent.names[0] if intent.names else (intent.subject.split() or [""])[-1]
