"""Small talk, and examples of questions."""

from __future__ import annotations

import re

from inarch_brief.offline import calls
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.layout import TOP_LEVEL, parts_of
from inarch_brief.offline.page import Page, Plan, code
from inarch_brief.offline.results import hits, symbols

_MOST_HITS = 400
"""Definitions that are searched for examples."""
_MOST_NAMES = 6
_SENTENCES = {
    "thanks": "You are welcome. Ask on, or press Ctrl-D to leave.",
    "bye": "Goodbye. In a conversation, Ctrl-D leaves.",
    "why": "Say what about: name a function, a class, a file or something that the code does.",
    "nothing": "Nothing was asked. Ask, for example: summarize this codebase",
    "foreign": "The offline planner understands questions about code in English, for example: summarize this codebase. "
    "A name from the code, alone, works too.",
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
    names = [one for part in parts[:3] for one in part.names if not re.match(r"_|test|main$", one)]
    indexed = (yield [calls.find_symbols(one) for one in names[:_MOST_NAMES]]) if names else []
    known = [
        one for name, result in zip(names, indexed, strict=False)
        for one in symbols(result) if one.name == name and not (one.test or one.is_text)
    ]  # fmt: skip
    known.sort(key=lambda one: one.name.endswith(("Error", "Exception", "Warning")))
    one, path = (known[0].name, known[0].place.path) if known else ("", "")
    other = next((symbol.name for symbol in known if symbol.kind == "function"), one)
    page.plain("Ask about the code in this folder:" if known else "No code was found in this folder. Ask, for example:")
    for label, example, is_there in (
        ("an overview", "summarize this codebase", True),
        ("how something works", f"how does {one} work", one),
        ("where something is", f"where is {other} defined", one),
        ("who uses it", f"who calls {other}", one),
        ("lists", "list the CLI commands (routes, entry points, tests, dependencies)", True),
        ("a file", f"explain {path}", path),
        ("plain edits", f'replace "a" by "b" in {path}', path),
    ):
        if is_there:
            page.item(code(example), label=label, pad=20)
    return page
