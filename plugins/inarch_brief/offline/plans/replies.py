"""Small talk, and examples of questions."""

from __future__ import annotations

from inarch_brief.offline import calls
from inarch_brief.offline.exchange import Plan
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import TOP_LEVEL, parts_of
from inarch_brief.offline.page import Page, code
from inarch_brief.offline.results import hits

_MOST_HITS = 400
"""Definitions that are searched for examples."""
_SENTENCES = {
    "thanks": "You are welcome. Ask on, or press Ctrl-D to leave.",
    "bye": "Goodbye. In a conversation, Ctrl-D leaves.",
    "why": "Say what about: name a function, a class, a file or something that the code does.",
    "nothing": "Nothing was asked. Ask, for example: summarize this codebase",
    "foreign": "Only questions in English are understood. A name from the code, alone, works too.",
}


def introduce(intent: Intent) -> Plan:
    """Answer small talk in a sentence, or show possible questions with examples from the files at hand."""
    page = Page()
    if sentence := _SENTENCES.get(intent.facet):
        yield from ()
        page.plain(sentence)
        return page
    [searched] = yield [calls.search(TOP_LEVEL, limit=_MOST_HITS)]
    found = hits(searched)
    parts = parts_of(None, list(dict.fromkeys(hit.path for hit in found)), found, ())
    names = [one for part in parts[:1] for one in part.names if not one.startswith("_")]
    one, other, path = [*names[:1], *names[-1:], parts[0].name] if names else ("Client.send", "make_response", "app.py")
    page.plain("Ask about the code in this folder:")
    for label, example in (
        ("an overview", "summarize this codebase"),
        ("how something works", f"how does {one} work"),
        ("where something is", f"where is {other} defined"),
        ("who uses it", f"who calls {other}"),
        ("lists", "list the CLI commands (routes, entry points, tests, dependencies)"),
        ("a file", f"explain {path}"),
        ("plain edits", f'replace "a" by "b" in {path}'),
    ):
        page.item(code(example), label=label, pad=20)
    return page
