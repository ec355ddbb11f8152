"""Where is Y: the place, what stands there, who goes there, and the next best places."""

from __future__ import annotations

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_ways
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Symbol, context, hits, said
from inarch_offline.plans.defining import say_code, say_sites
from inarch_offline.plans.explaining import file_named, is_answered, is_said_unclear, say_more, say_texts
from inarch_offline.plans.naming import LINKED, is_named, say_note
from inarch_offline.plans.outlining import explain_file
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import (
    best_hits,
    definition_search,
    say_closest,
    say_hits,
    say_symbols,
    significant,
    text_search,
)
from inarch_offline.readme import plain_text
from inarch_offline.steps import docstring_of, most_telling, steps_of, told
from inarch_offline.writing import Page, cut, fitted, shortened


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
        defined = by_name and any(hits(named) for named in named_results)
        others = found.candidates
        path = "" if defined else (yield from file_named(intent))
        if path:
            page = yield from explain_file(intent._replace(path=path))
            return page
        if defined:
            for one in named_results:
                say_hits(page, subject, one)
            say_symbols(page, "Definitions with similar words", others, 4)
        elif subject:
            lines = [hit for one in searched for hit in best_hits(hits(one), significant(subject))]
            if len(subject.split()) == 1 and (others or lines):
                page.absent(f"“{cut(subject, 60)}” was not found.")
            say_closest(page, subject, (), others, lines)
            for note in dict.fromkeys(filter(None, map(said, searched))):
                page.note(note)  # such as that folders beside this one were not searched
        else:
            page.absent("The question names nothing to look for.")
    else:
        asked = intent._replace(subject=subject)
        if not is_named(intent, target) and (yield from is_said_unclear(page, asked, result, found)):
            return page
        if target.is_text:
            yield from say_texts(page, asked, found)
            return page
        target = yield from whole_code(target)
        _say_place(page, target)
        say_code(page, target, 20 if intent.long else 5)
        _say_key_lines(page, target, [site.qualname.rpartition(".")[2] for site in found.callees], intent.long)
        own_callers = [site for site in found.callers if not is_aside(site.place.path)]
        say_sites(page, "Called from", own_callers, 4 if intent.long else 2, found.more_callers, int(not intent.long))
        if intent.long:
            say_symbols(page, "Other places", [one for one in found.others if one.place != target.place])
            say_ways(page, result, 1, 3)
        say_more(page, intent, found)
    say_note(page, result, LINKED, named=is_answered(intent, found))
    return page


def _say_place(page: Page, target: Symbol) -> None:
    lines = f", {target.end - target.place.line + 1} lines" if target.end > target.place.line else ""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, 140)}`{lines}", target.place)
    doc = docstring_of(target)
    if doc:
        page.say(cut(plain_text(doc.text), 240), doc.place)


def _say_key_lines(page: Page, target: Symbol, named: list[str], long: bool) -> None:
    shown = most_telling(steps_of(target, named), 4)
    if shown:
        page.head("What it does there")
    for step in shown:
        page.item(fitted(told(step), step.place, 2, int(not long)), step.place)
