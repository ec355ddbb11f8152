"""How does X work: signature, docstring, the steps of its code, callers, callees and related places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.flows import say_ways
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Context, Site, Symbol, context, said
from inarch_offline.plans.outlining import explain_file
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import definition_search, say_hits, say_symbols, text_search
from inarch_offline.readme import plain_text
from inarch_offline.steps import Method, Step, docstring_of, methods_of, most_telling, steps_of, told
from inarch_offline.writing import Page, counted, cut, joined, sentence, shortened

_MOST_SITES = 5


def explain(intent: Intent) -> Plan:
    """Explain what the words or the name of a question stand for."""
    [result] = yield [calls.context_get(intent.subject or " ".join(intent.names))]
    found = context(result)
    page = Page()
    if found.target is not None and found.target.kind == "module":
        page = yield from explain_file(intent._replace(path=found.target.place.path))
        path = found.target.place.path
        say_symbols(page, "See also", [other for other in found.others if other.place.path != path], 4)
    elif found.target is not None and not _is_unrelated(intent, found.target):
        found = found._replace(target=(yield from whole_code(found.target)))
        delegate = yield from _delegate(found)
        say_target(page, intent, found, delegate)
        say_ways(page, result, 2, 3)
    else:
        yield from _without_symbols(page, intent, found)
    say_note(page, result, r"callers looked for|the first \d+ callers")
    return page


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


def say_note(page: Page, result: ToolResult, without: str = "(?!)") -> None:
    """Pass on what a look-up says of its answer, but for what does not matter here."""
    kept = [note for note in said(result).split("; ") if note and not re.match(without, note)]
    if kept:
        page.note("; ".join(kept))


def say_target(page: Page, intent: Intent, found: Context, delegate: Context | None = None) -> None:
    """Write all there is to say about the best match."""
    target = found.target
    assert target is not None
    if not is_named(intent, target):
        page.plain(f"The closest definition for “{cut(intent.subject, 70)}”:")
    say_definition(page, target)
    if target.kind == "class":
        _say_class(page, intent, target)
    elif target.kind != "module":
        say_steps(page, "Step by step", found)
    if delegate is not None and delegate.target is not None:
        say_steps(page, f"There, in {delegate.target.name}", delegate)
    _say_callers(page, found)
    if target.kind != "class":
        _say_callees(page, found.callees)
    say_symbols(page, "See also", [other for other in found.others if other.place != target.place], 4)


def say_definition(page: Page, target: Symbol) -> None:
    """Write what a definition is, and what it says of itself."""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, 160)}`", target.place)
    doc = docstring_of(target)
    if doc:
        page.say(cut(plain_text(doc.text), 330), doc.place)


def say_sites(page: Page, title: str, sites: Sequence[Site], most: int = _MOST_SITES, more: bool = False) -> None:
    """Write call sites; `more` says that there may be others than those that are known."""
    if not sites:
        return
    number = counted(len(sites), "place", more=more)
    page.head(title if len(sites) <= most else f"{title} ({most} of {number})")
    for site in sites[:most]:
        page.item(shortened(site.qualname) + (f": `{cut(site.text, 70)}`" if site.text else ""), site.place)


def say_steps(page: Page, title: str, found: Context, most: int = 9) -> None:
    """Write what a function does; calls of this code's own functions count most."""
    if found.target is not None:
        named = [site.qualname.rpartition(".")[2] for site in found.callees]
        _say_steps(page, title, steps_of(found.target, named), most)


def _say_callers(page: Page, found: Context) -> None:
    """Write where the product calls it; its tests only where nothing else does."""
    own = [site for site in found.callers if not is_aside(site.place.path)]
    say_sites(page, "Called from", own, more=found.more_callers)
    if not own:
        say_sites(page, "Called from tests and examples", found.callers, 2, found.more_callers)


def is_named(intent: Intent, target: Symbol) -> bool:
    """Whether the prompt names the definition."""
    words = {name.rpartition(".")[2].lower() for name in (*intent.names, *intent.subject.split())}
    return target.name.lower() in words and len(intent.subject.split()) <= 3


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


def _say_class(page: Page, intent: Intent, target: Symbol) -> None:
    everything = methods_of(target)
    methods = [method for method in everything if method.name != "__init__"] or everything
    if not methods:
        return
    own_name = target.name.lower()
    words = [word for word in re.split(r"[\W_]+", intent.subject.lower()) if word not in own_name]
    ranked = sorted(
        methods,
        key=lambda method: (-_overlap(method, words), method.name.startswith("_"), not method.doc, -len(method.steps)),
    )
    made = next((method for method in everything if method.name == "__init__"), None)
    if made and made.signature != "(self)" and not made.signature.startswith("(self) "):
        page.say(f"Made with {cut(made.signature.replace('(self, ', '('), 200)}", made.place)
    page.head("Main methods" if len(methods) > 7 else "Methods")
    for method in sorted(ranked[:7], key=lambda method: method.place):
        doc = f" — {sentence(plain_text(method.doc), 90)}" if method.doc else ""
        page.item(f"{method.name}{cut(method.signature, 60)}{doc}", method.place)
    if len(methods) > 7:
        page.item(f"and {joined([method.name for method in ranked[7:]], 10)}", ranked[7].place)
    best = ranked[0]
    if _overlap(best, words) or len(methods) <= 3 or best.name == "__call__":
        _say_steps(page, f"Step by step, {best.name}", best.steps, 6)


def _overlap(method: Method, words: Sequence[str]) -> int:
    """Count the words of a question that a method's name and docstring share, by their beginnings."""
    parts = method.name.lower().strip("_").split("_")
    told = method.doc.lower()
    return sum(
        2 * any(part[:4] == word[:4] for part in parts if len(part) > 3) + (len(word) > 4 and word[:5] in told)
        for word in words
        if len(word) > 3
    )


def _say_steps(page: Page, title: str, steps: Sequence[Step], most: int = 9) -> None:
    shown = most_telling(steps, most)
    if not shown:
        return
    left = len(steps) - len(shown)
    page.head(title + (f" ({left} smaller steps left out)" if left else ""))
    for number, step in enumerate(shown, 1):
        page.item(told(step), step.place, label=f"{number}.")


def _is_unrelated(intent: Intent, target: Symbol) -> bool:
    """Whether a name was asked for that the match does not bear."""
    names = [name.rpartition(".")[2].lower() for name in intent.names]
    return len(intent.subject.split()) == 1 and bool(names) and target.name.lower() not in names


def _without_symbols(page: Page, intent: Intent, found: Context) -> Plan:
    """Answer from the text of the files, where the index knows no such thing."""
    subject = intent.subject or " ".join(intent.names)
    wanted = [definition_search(name) for name in intent.names[:2]] + text_search(subject)
    results = (yield wanted) if wanted else []
    told = False
    for name, result in zip(intent.names[:2], results, strict=False):
        told = say_hits(page, name, result, 4) or told
    if not told:
        told = any(say_hits(page, subject, result) for result in results[len(intent.names[:2]) :])
    others = [symbol for symbol in (found.target, *found.others) if symbol is not None]
    if not told:
        page.absent(
            f"Nothing here is called “{cut(subject, 60)}”." if subject else "The question names nothing to look for."
        )
    say_symbols(page, "Definitions with similar words", others, 4)
    return page
