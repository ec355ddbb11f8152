"""What is not a question about the code: small talk, work that needs a model, and what the rules don't know."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.centrality import Part
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import hits, said, symbols
from inarch_offline.other_languages import TOP_LEVEL, files_of
from inarch_offline.plans.explaining import explain
from inarch_offline.plans.searching import say_hits, say_symbols, text_search
from inarch_offline.writing import Page, code

_MOST_HITS = 400
"""Definitions among which examples are found."""


def introduce(intent: Intent) -> Plan:
    """Say what can be asked, with examples out of the files at hand."""
    [searched] = yield [calls.search(TOP_LEVEL, limit=_MOST_HITS)]
    page = Page()
    page.plain("Ask about the code in this folder:")
    for name, example in _capabilities(files_of(hits(searched))):
        page.item(code(example), label=name, pad=20)
    return page


def _capabilities(parts: Sequence[Part] = ()) -> list[tuple[str, str]]:
    """Give what can be asked, each with an example that names a definition and a file of the repository."""
    names = [one.name for part in parts[:1] for one in part.definitions if not one.name.startswith("_")]
    one, other, path = [*names[:1], *names[-1:], parts[0].name] if names else ("Client.send", "make_response", "app.py")
    return [
        ("an overview", "summarize this codebase"),
        ("how something works", f"how does {one} work"),
        ("where something is", f"where is {other} defined"),
        ("who uses it", f"who calls {other}"),
        ("lists", "list the CLI commands (routes, entry points, tests, dependencies)"),
        ("a file", f"explain {path}"),
        ("plain edits", f'replace "a" by "b" in {path}'),
    ]


def ask_back(intent: Intent) -> Plan:
    """Say that it isn't clear what `it` stands for."""
    yield from ()
    page = Page()
    page.decline("It isn't clear what that stands for: no answer before was about one thing. Name it.")
    return page


def needs_model(intent: Intent) -> Plan:
    """Say that the work needs a model, and where it would begin."""
    page = Page()
    page.decline("This needs a language model: the offline planner reads code, it doesn't write or judge it.")
    subject = " ".join(intent.subject.split()[1:]) or intent.subject  # without the verb of the task
    yield from _closest_places(page, intent._replace(subject=subject), "Places it is probably about")
    return page


def closest(intent: Intent) -> Plan:
    """Answer where something clearly explains the words, else give what comes closest and what can be asked."""
    page = yield from explain(intent)
    if not any(line.startswith(("Nothing here", "The question names")) for line in page.lines):
        return page
    page.gap()
    [searched] = yield [calls.search(TOP_LEVEL, limit=_MOST_HITS)]
    examples = "; ".join(example for _, example in _capabilities(files_of(hits(searched)))[:4])
    page.decline(f"For example, ask: {examples}.")
    return page


def _closest_places(page: Page, intent: Intent, title: str) -> Plan:
    """Write the definitions and lines nearest to the subject."""
    subject = intent.subject
    if not subject:
        return page
    [result] = yield [calls.find_symbols(subject)]
    found = symbols(result)
    say_symbols(page, title, found)
    if not found:
        for searched in (yield text_search(subject)):
            say_hits(page, subject, searched, 6)
    if said(result):
        page.note(said(result))
    return page
