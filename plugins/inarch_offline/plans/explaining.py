"""How does X work: signature, docstring, the steps of its code, callers, callees and related places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import IN_FULL, Intent
from inarch_offline.layout import is_aside, is_test
from inarch_offline.material import Context, Site, Symbol, context, files, hits, symbols
from inarch_offline.plans.defining import say_class, say_code, say_definition, say_members, say_sites, say_steps
from inarch_offline.plans.folding import folded
from inarch_offline.plans.naming import LINKED, bears, is_named, meant_by, say_note
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import (
    MOST_CLOSEST,
    best_hits,
    definition_search,
    say_closest,
    say_hits,
    say_symbols,
    significant,
    text_search,
)
from inarch_offline.plans.whole import is_the_whole
from inarch_offline.sections import say_section, told_in
from inarch_offline.steps import steps_of
from inarch_offline.writing import Page, cut, joined
from inarch_search.confidence import SURE

SURE_OF_A_CASE = 0.75
"""How sure an answer must be to what happens in some case: the case is most of it, and words alone don't tell it."""
_MOST_SITES = 5
_FURTHER = 16
_MOST_SHOWN = 3
"""Places of which it is shown what they do where none of them clearly is the answer."""
_FILE = r"[\w@+./-]*\w\.\w{1,8}"
_SETTING = frozenset(
    ["set", "change", "limit", "specify", "pass", "disable", "enable", "increase", "reduce", "adjust", "override"]
)
"""Verbs that ask for what can be set rather than for what is done."""
_DOING = frozenset(
    ["make", "send", "do", "get", "create", "build", "write", "run", "call", "start", "open", "read", "test"]
)
"""Verbs that ask for what is done."""


def explain(intent: Intent) -> Plan:
    """Explain what the words or the name of a question stand for."""
    if intent.whole and (yield from is_the_whole(intent.whole)):
        page = yield from _overview(intent)
        return page
    [result] = yield [calls.context_get(intent.subject or " ".join(intent.names))]
    found = context(result)
    page = Page()
    target = found.target
    if target is not None and is_named(intent, target) and (meant := (yield from meant_by(target))):
        page.say(f"`{target.qualname}` is another name for this", target.place)
        page.add((yield from explain(intent._replace(subject=meant.qualname, names=(meant.qualname,), whole=""))))
        return page
    if target is not None and target.kind == "module" and is_named(intent, target):
        page = yield from _outlined(intent, target.place.path)
        path = target.place.path
        say_symbols(page, "See also", [other for other in found.others if other.place.path != path], 4)
    elif not (intent.if_so or (target is not None and is_named(intent, target))) and (
        path := (yield from file_named(intent))
    ):
        page = yield from _outlined(intent, path)
        return page
    elif target is not None and target.is_text:
        if not found.unknown or is_named(intent, target) or intent.tongue:
            yield from say_texts(page, intent, found)
        else:
            yield from say_unclear(page, intent, found, found.unknown)
    elif target is not None and not _is_unrelated(intent, target):
        if not is_named(intent, target):
            if intent.how_to and (yield from _documented(page, intent)):
                say_symbols(page, "Close to it in the code", [target, *found.others], 4)
                return page
            verb = intent.subject.partition(" ")[0].lower()
            if verb in _SETTING and (settings := (yield from _set(intent))):
                return settings
            if (yield from is_said_unclear(page, intent, result, found)):
                settings = (yield from _set(intent)) if verb not in _DOING else None
                return settings or page
        found = found._replace(target=(yield from whole_code(target)))
        delegate = yield from _delegate(found)
        say_target(page, intent, found, delegate)
        yield from say_members(page, found.target or target)
        if intent.long:
            from inarch_offline.flows import say_ways

            say_ways(page, result, 2, 3)
        say_more(page, intent, found)
    else:
        yield from _without_symbols(page, intent, found)
    say_note(page, result, LINKED, named=is_answered(intent, found))
    return page


# Most questions need none of these plans, and they bring a third of what the offline planner is made of.
def _outlined(intent: Intent, path: str) -> Plan:
    from inarch_offline.plans.outlining import explain_file

    return explain_file(intent._replace(path=path))


def _overview(intent: Intent) -> Plan:
    """Tell of the project, and name the class that is called like it."""
    from inarch_offline.plans.overview import summarize

    page = yield from summarize(intent)
    [found] = yield [calls.find_symbols(intent.whole, kind="class", limit=_MOST_SITES)]
    alike = [one for one in symbols(found) if not one.test and one.name.lower() == intent.whole.lower()]
    say_symbols(page, "A class has this name, too", alike, 1)
    return page


def _set(intent: Intent) -> Asking[Page | None]:
    from inarch_offline.plans.configuring import settings_for

    return settings_for(intent)


def _documented(page: Page, intent: Intent) -> Asking[bool]:
    from inarch_offline.plans.documenting import say_documented

    return say_documented(page, intent)


def is_said_unclear(page: Page, intent: Intent, result: ToolResult, found: Context) -> Asking[bool]:
    """Whether what was found doesn't clearly answer the question; then the page says so."""
    target = found.target
    is_meant = target is not None and not (is_test(target.place.path) or target.name == "__all__")
    if target is not None and intent.how_to and target.name.startswith("_"):
        is_meant = False  # nobody does something by what a library keeps for itself
    if is_meant and not intent.tongue and found.confidence >= (SURE_OF_A_CASE if intent.if_so else SURE):
        return False
    # That words of another language stand nowhere says nothing.
    yield from say_unclear(page, intent, found, () if intent.tongue else found.unknown)
    say_note(page, result, LINKED)
    return True


def say_texts(page: Page, intent: Intent, found: Context) -> Plan:
    """Quote what documentation and configuration say, the best of it first, and name what code is close to it."""
    read = yield from told_in([one for one in found.candidates if one.is_text][:2], 12 if intent.long else 5)
    for section, facts in read:
        say_section(page, section, facts)
    say_symbols(page, "Close to it in the code", [one for one in found.others if not one.is_text], 4)
    return page


def file_named(intent: Intent) -> Asking[str]:
    """Find the file that a question names, whatever its ending, or is about as a whole; "" if it names none."""
    alone = intent.subject if re.fullmatch(r"[\w@+./-]+", intent.subject) else ""
    named = next((word for word in (*intent.names, *intent.subject.split()) if re.fullmatch(_FILE, word)), alone)
    if not named:
        return ""
    [listed] = yield [calls.list_files(f"**/{named.rpartition('/')[2]}", 20)]
    return next((path for path in files(listed) if path == named or path.endswith(f"/{named}")), "")


def is_answered(intent: Intent, found: Context) -> bool:
    """Whether the definition itself was asked for and found: looking further would not change the answer."""
    return found.target is not None and is_named(intent, found.target)


def say_unclear(page: Page, intent: Intent, found: Context, missing: Sequence[str]) -> Plan:
    """Say that nothing clearly answers a question, with the definitions or else the lines that come closest."""
    closest = found.candidates
    if len(folded(closest)) < min(len(closest), MOST_CLOSEST):  # there is room for others
        [further] = yield [calls.find_symbols(intent.subject, limit=_FURTHER)]
        known = {one.place for one in closest}
        closest += [one for one in symbols(further) if one.place not in known]
    wanted = [] if closest else text_search(intent.subject)
    results = (yield wanted) if wanted else []
    lines = [hit for result in results for hit in best_hits(hits(result), significant(intent.subject))]
    say_closest(page, intent.subject, missing, closest, lines, intent.long)
    told = [one for one in found.candidates if not one.is_text and one.kind != "module"]
    if told and not intent.long:
        page.note(f"“{IN_FULL}” behind the question shows what the first ones do")
    for symbol in told[:_MOST_SHOWN] if intent.long else ():
        page.gap()
        say_target(page, intent._replace(long=False), Context((yield from whole_code(symbol))))
    return page


def say_more(page: Page, intent: Intent, found: Context) -> None:
    """Say how to see the rest, where something was left out."""
    if not intent.long and (found.others or found.callees or len(found.callers) > 2):
        page.note(f"“{IN_FULL}” behind the question shows the rest")


def _delegate(found: Context) -> Asking[Context | None]:
    """Look up the function that a short one hands its work on to."""
    target = found.target
    assert target is not None
    own = [site for site in found.callees if site.defined is not None and not site.qualname.endswith("__init__")]
    if (
        target.kind not in ("function", "method")
        or len(steps_of(target)) > 2
        or len({site.qualname for site in own}) != 1
    ):
        return None
    [result] = yield [calls.context_get(own[0].qualname)]
    there = context(result)
    if there.target is None or there.target.place != own[0].defined:
        return None
    return there._replace(target=(yield from whole_code(there.target)))


def say_target(page: Page, intent: Intent, found: Context, delegate: Context | None = None) -> None:
    """Write all there is to say about the best match."""
    target = found.target
    assert target is not None
    if intent.long:
        _say_all(page, intent, found, target, delegate)
        return
    say_definition(page, target, 200)
    if target.kind == "class":
        say_class(page, intent, target, 4)
    elif target.kind != "module":
        say_steps(page, "Step by step", found, 4, 1)
        say_code(page, target, 6)
    if delegate is not None and delegate.target is not None:
        say_steps(page, f"There, in {delegate.target.name}", delegate, 3, 1)
    own = [site for site in found.callers if not is_aside(site.place.path)]
    say_sites(page, "Called from", own, 2, found.more_callers, 1)


def _say_all(page: Page, intent: Intent, found: Context, target: Symbol, delegate: Context | None) -> None:
    say_definition(page, target)
    if target.kind == "class":
        say_class(page, intent, target)
    elif target.kind != "module":
        say_steps(page, "Step by step", found)
        say_code(page, target, 40)
    if delegate is not None and delegate.target is not None:
        say_steps(page, f"There, in {delegate.target.name}", delegate)
    _say_callers(page, found)
    if target.kind != "class":
        _say_callees(page, found.callees)
    say_symbols(page, "See also", [other for other in found.others if other.place != target.place], 4)


def _say_callers(page: Page, found: Context) -> None:
    """Write where the product calls it; its tests only where nothing else does."""
    own = [site for site in found.callers if not is_aside(site.place.path)]
    say_sites(page, "Called from", own, more=found.more_callers)
    if not own:
        say_sites(page, "Called from tests and examples", found.callers, 2, found.more_callers)


def _say_callees(page: Page, callees: Sequence[Site]) -> None:
    seen: dict[str, Site] = {}
    for site in callees:
        if site.defined is not None:
            seen.setdefault(site.qualname, site)
    if seen:
        page.head("Calls")
    for site in list(seen.values())[:_MOST_SITES]:
        page.item(f"{site.qualname}, defined at {site.defined}", site.place)
    if len(seen) > _MOST_SITES:
        rest = list(seen.values())[_MOST_SITES:]
        page.item(f"and {joined([site.qualname.rpartition('.')[2] for site in rest], 8)}", rest[0].place)


def _is_unrelated(intent: Intent, target: Symbol) -> bool:
    """Whether a name was asked for that the match does not bear."""
    names = _names(intent) if target.test else intent.names
    return len(intent.subject.split()) == 1 and bool(names) and not bears(target, names)


def _names(intent: Intent) -> Sequence[str]:
    """Give the names that are asked for; a word alone is one where it has a capital."""
    alone = intent.subject if re.fullmatch(r"\w+", intent.subject) and not intent.subject.islower() else ""
    return intent.names[:2] or ([alone] if alone and not intent.tongue else [])


def _without_symbols(page: Page, intent: Intent, found: Context) -> Plan:
    """Answer from the text of the files, where the index knows no such thing."""
    subject = intent.subject or " ".join(intent.names)
    names = _names(intent)
    wanted = [definition_search(name) for name in names] + text_search(subject)
    results = (yield wanted) if wanted else []
    told = False
    for name, result in zip(names, results, strict=False):
        told = say_hits(page, name, result, 4) or told
    others = found.candidates
    if told or not subject:
        if not told:
            page.absent("The question names nothing to look for.")
        say_symbols(page, "Definitions with similar words", others, 4)
        return page
    lines = [one for result in results for one in best_hits(hits(result), significant(subject))]
    if len(subject.split()) == 1 and (others or lines):
        page.absent(f"Nothing here is called “{cut(subject, 60)}”.")
    say_closest(page, subject, (), others, lines)
    return page
