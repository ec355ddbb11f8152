"""Small talk, and what can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.page import Page, code
from inarch_offline.results import hits
from inarch_offline.structure import TOP_LEVEL, Part, files_of

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
    names = [one for part in parts[:1] for one in part.names if not one.startswith("_")]
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
