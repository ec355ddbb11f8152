"""Callers, importers and subclasses of Y, its callees, its code, and its tests."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole_code
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import is_aside, is_test
from inarch_brief.offline.lookup import best_hits, is_named, written
from inarch_brief.offline.page import (
    Page,
    Plan,
    counted,
    cut,
    joined,
    say_definition,
    say_hits,
    say_note,
    say_sites,
    say_tests,
    say_ways,
    shortened,
)
from inarch_brief.offline.results import Context, Hit, Place, context, hits
from inarch_brief.offline.words import paths_in, significant

_MOST_CALLERS, _MOST_MENTIONS = 12, 6
_TEST = r"^\s*(async )?(def test|class Test|func Test|fn )\w*(ABOUT)|\b(it|test|describe)(\.\w+)?\(['\"`].*(ABOUT)"
"""The first line of a test; ABOUT is replaced by the words of the question."""
_DEPENDING = r"\s*(?:export |pub |public |abstract )*(?:from|import|use|mod|#?include|require|class|struct|trait)\b"
_MOST_LINES, _ALL_LINES, _COLUMNS = 60, 400, 200


def callers(intent: Intent) -> Plan:
    """Answer with the call sites, then the other lines that contain the name."""
    name = intent.names[0] if intent.names else (intent.subject.split() or [""])[-1]
    last = name.rpartition(".")[2]
    # The field behind a property has its name with `_` in front.
    pattern = rf"\b{'_?' * ('_' in last.strip('_') and last[0] != '_')}{calls.literal(last)}\b"
    result, mentions = yield [
        calls.context_get(intent.subject or name),
        calls.search(pattern, limit=60) if name else calls.list_files(limit=1),
    ]
    found, lines = context(result), hits(mentions)
    page = Page()
    if found.target is not None and is_named(intent, found.target):
        _say_callers(page, found, lines)
        say_ways(page, found.ways, 5)
        say_tests(page, found.ways, 3)
    elif (not intent.names and " " in intent.subject) or not say_hits(
        page, f"Closest lines for “{cut(name, 60)}” (text search)", _important_first(lines), _MOST_CALLERS
    ):
        page = yield from _places(intent)
        return page
    say_note(page, result)
    return page


def _places(intent: Intent) -> Plan:
    from inarch_brief.offline.plans.places import explain

    return explain(intent)


def _say_callers(page: Page, found: Context, mentions: list[Hit]) -> None:
    target = found.target
    assert target is not None
    say_definition(page, target)
    by_role = sorted(found.callers, key=lambda site: is_aside(site.place.path))  # otherwise in the lookup's order
    number = counted(len(by_role), "place", more=found.more_callers)
    say_sites(page, f"Called from {number}", by_role, _MOST_CALLERS, found.more_callers)
    known = {site.place for site in by_role}
    own = range(target.place.line, target.end + 1)
    others = [
        hit
        for hit in _important_first(mentions)
        if hit.place not in known and not (hit.path == target.place.path and hit.line in own)
    ]
    if not by_role:
        page.note("no direct call was found; it may be called through an object, a registry or from outside")
    is_called = any(not is_aside(site.place.path) for site in by_role)
    title = "Also named in" if by_role else "Named in"
    say_hits(page, title, others, _MOST_MENTIONS if is_called else _MOST_CALLERS)


def _important_first(mentions: Iterable[Hit]) -> list[Hit]:
    """Put the product's lines first, and of these imports and class heads, which show dependents."""
    return sorted(
        written(list(mentions)),
        key=lambda hit: (is_aside(hit.path), not re.match(_DEPENDING, hit.text), hit.path, hit.line),
    )


def tests_of(intent: Intent) -> Plan:
    """List the tests that call the subject and those that reach it, or else those with its words in their names."""
    name = intent.names[0] if intent.names else intent.subject
    [result] = yield [calls.context_get(name)] if name else [calls.list_files(limit=1)]
    found, page = context(result), Page()
    sites = [site for site in found.callers if is_test(site.place.path)]
    reached = any(way.is_test for way in found.ways)
    if found.target is None or not is_named(intent._replace(subject=name), found.target) or not (sites or reached):
        words = significant(name)
        [named] = yield [
            calls.search(_TEST.replace("ABOUT", calls.any_of(words or [name])), ignore_case=True, limit=500)
        ]
        lines = best_hits([hit for hit in hits(named) if is_test(hit.path)], words)
        if not say_hits(page, f"Tests that are named for “{cut(name, 60)}”", lines, _MOST_CALLERS):
            page = yield from _places(intent._replace(subject=f"test {name}"))
        return page
    page.say(f"{found.target.kind} `{shortened(found.target.qualname)}`", found.target.place)
    number = counted(len(sites), "place", more=found.more_callers)
    say_sites(page, f"Called in tests from {number}", sites, _MOST_MENTIONS, found.more_callers)
    say_tests(page, found.ways, _MOST_MENTIONS)
    say_note(page, result)
    return page


def callees(intent: Intent) -> Plan:
    """Answer with the callees of a definition, in order."""
    [result] = yield [calls.context_get(intent.subject)]
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
    if rest := own[_MOST_CALLERS:]:
        page.item(f"and {joined([site.qualname.rpartition('.')[2] for site in rest], 8)}", rest[0].place)
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
        from inarch_brief.offline.plans.places import explain_path

        path = target.place.path if target is not None and target.kind == "module" else intent.subject
        page = yield from explain_path(intent._replace(path=path))
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
