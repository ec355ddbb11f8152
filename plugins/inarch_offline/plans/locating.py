"""Where is Y: the place, what stands there, who goes there, and the next best places."""

from __future__ import annotations

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_ways
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Symbol, context, hits
from inarch_offline.plans.explaining import is_named, say_note, say_sites
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import definition_search, say_hits, say_symbols, text_search
from inarch_offline.readme import plain_text
from inarch_offline.steps import docstring_of, most_telling, steps_of, told
from inarch_offline.writing import Page, cut, shortened


def locate(intent: Intent) -> Plan:
    """Answer with places, best first."""
    subject = intent.subject or " ".join(intent.names)
    by_name = [definition_search(intent.names[0])] if intent.names else []
    result, *named_results = yield [calls.context_get(subject), *by_name]
    found = context(result)
    page = Page()
    target = found.target
    if target is None or (by_name and not is_named(intent, target) and len(subject.split()) == 1):
        wanted = [] if any(hits(named) for named in named_results) else text_search(subject)
        searched = [*named_results, *((yield wanted) if wanted else [])]
        told = sum(say_hits(page, subject, one) for one in searched) > 0
        if not told:
            page.absent(
                f"“{cut(subject, 60)}” was not found." if subject else "The question names nothing to look for."
            )
        say_symbols(page, "Definitions with similar words", [one for one in (target, *found.others) if one], 4)
    else:
        target = yield from whole_code(target)
        if not is_named(intent, target):
            page.plain(f"The closest place for “{cut(subject, 70)}”:")
        _say_place(page, target)
        _say_key_lines(page, target, [site.qualname.rpartition(".")[2] for site in found.callees])
        say_symbols(page, "Other places", [one for one in found.others if one.place != target.place])
        own_callers = [site for site in found.callers if not is_aside(site.place.path)]
        say_sites(page, "Called from", own_callers, 4, found.more_callers)
        say_ways(page, result, 1, 3)
    say_note(page, result)
    return page


def _say_place(page: Page, target: Symbol) -> None:
    lines = f", {target.end - target.place.line + 1} lines" if target.end > target.place.line else ""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, 140)}`{lines}", target.place)
    doc = docstring_of(target)
    if doc:
        page.say(cut(plain_text(doc.text), 240), doc.place)


def _say_key_lines(page: Page, target: Symbol, named: list[str]) -> None:
    shown = most_telling(steps_of(target, named), 4)
    if shown:
        page.head("What it does there")
    for step in shown:
        page.item(told(step), step.place)
