"""Who calls Y, what uses Y, and what Y calls."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_tests, say_ways
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Context, Hit, Site, context, hits
from inarch_offline.plans.defining import say_definition, say_sites, say_steps
from inarch_offline.plans.naming import is_named, meant_by, say_note
from inarch_offline.plans.searching import say_hits, say_symbols, written
from inarch_offline.writing import Page, code, counted, cut, joined

_MOST_CALLERS = 12


def callers(intent: Intent) -> Plan:
    """Answer with the call sites, then the other lines that name it."""
    name = _name(intent)
    result, mentions = yield [
        calls.context_get(intent.subject or name),
        calls.search(_mentions(name), limit=60) if name else calls.list_files(limit=1),
    ]
    found = context(result)
    page = Page()
    if found.target is None or not is_named(intent, found.target):
        if not intent.names and len(intent.subject.split()) > 1:
            page = yield from _described(intent, found)
            return page
        if not (name and say_hits(page, name, mentions, 12)):
            page.absent(f"Nothing here is called “{cut(name or intent.subject, 60)}”.")
        say_symbols(page, "Definitions with similar words", found.candidates, 4)
    elif meant := (yield from meant_by(found.target)):
        page.say(f"`{found.target.qualname}` is another name for this", found.target.place)
        page.add((yield from callers(intent._replace(subject=meant.qualname, names=(meant.qualname,)))))
        return page
    else:
        _say_callers(page, found, hits(mentions))
        say_ways(page, result, 5)
        say_tests(page, result, 3)
    say_note(page, result)
    return page


def _mentions(name: str) -> str:
    """Write the expression for lines that have a name; a field that keeps what a property gives has it behind `_`."""
    last = name.rpartition(".")[2]
    return rf"\b{'_?' * ('_' in last.strip('_') and last[0] != '_')}{calls.literal(last)}\b"


def _described(intent: Intent, found: Context) -> Plan:
    """Answer who calls what is described: what bears the words as its name, else what comes closest."""
    joined = "".join(intent.subject.lower().split())
    named = next((one for one in found.candidates if one.name.lower().replace("_", "") == joined), None)
    if named is not None:
        page = yield from callers(intent._replace(subject=named.qualname, names=(named.qualname,)))
        return page
    from inarch_offline.plans.explaining import say_unclear

    page = Page()
    if not found.unknown:
        page.absent(f"Nothing here is called “{cut(intent.subject, 60)}”.")
    yield from say_unclear(page, intent, found, found.unknown)
    return page


def callees(intent: Intent) -> Plan:
    """Answer with what a definition calls, in order."""
    [result] = yield [calls.context_get(intent.subject or _name(intent))]
    found = context(result)
    page = Page()
    if found.target is None:
        page.absent(f"Nothing here is called “{cut(intent.subject, 60)}”.")
    else:
        say_definition(page, found.target)
        own = [site for site in found.callees if site.defined is not None]
        foreign = [site for site in found.callees if site.defined is None]
        if own:
            number = counted(len(own), "place", more=found.more_callees)
            page.head(f"It calls {number} of this code" if len(own) > 1 else "It calls")
        for site in own[:_MOST_CALLERS]:
            page.item(f"{site.qualname}, defined at {site.defined}", site.place)
        if len(own) > _MOST_CALLERS:
            rest = [site.qualname.rpartition(".")[2] for site in own[_MOST_CALLERS:]]
            page.item(f"and {joined(rest, 8)}", own[_MOST_CALLERS].place)
        say_sites(page, "It also calls what is not defined here", foreign, 6)
        if not found.callees:
            page.note("none of its calls leads to a definition that the index knows")
            say_steps(page, "What it does", found)
    say_note(page, result)
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
