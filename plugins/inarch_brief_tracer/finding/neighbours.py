"""Who calls a symbol and which classes a function makes, as far as names and imports tell.

The graph has more, but of classes only what making one runs, and of files that are not linked yet nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from inarch_brief_tracer.facts.file_facts import CLASS
from inarch_brief_tracer.linking.resolver import FileFacts, Place, Resolver

MAX_CALLERS = 30
_MOST_FILES = 60
"""Files that are read for one question."""


class CallSite(NamedTuple):
    """A call: who calls, what is called, and where."""

    caller: Place
    callee: Place
    path: str
    line: int


def callers_of(resolver: Resolver, target: Place) -> list[CallSite]:
    """Give where a symbol is called, product code first: one more than the most that are shown if there are more."""
    name = resolver.symbol(target).name.rpartition(".")[2]
    rows = resolver.connection.execute(
        "SELECT f.id FROM callees c JOIN files f ON f.id = c.rowid WHERE callees MATCH ?"
        " ORDER BY f.id != ?, f.role = 'test', f.role != 'code', f.path LIMIT ?",
        (f'"{name}"', target.file, _MOST_FILES),
    ).fetchall()
    files = (resolver.file(number) for (number,) in rows)
    found = (site for file in files for site in _sites(resolver, file, name) if site.callee == target)
    return list(islice(found, MAX_CALLERS + 1))


def made_by(resolver: Resolver, target: Place) -> list[CallSite]:
    """Give which classes a function makes, each once."""
    found = (site for site in _sites(resolver, resolver.file(target.file)) if site.caller == target)
    made = [site for site in found if resolver.symbol(site.callee).kind == CLASS]
    return list({site.callee: site for site in reversed(made)}.values())


def _sites(resolver: Resolver, file: FileFacts, name: str = "") -> Iterator[CallSite]:
    """Give the calls of a file, or those that may be of a name: each callee a line once."""
    names = {name, "cls", *(item.name for item in file.facts.imports if item.target == name)}
    calls = {(call.callee, call.scope, call.line) for call in file.facts.calls}
    for callee, scope, line in sorted(calls, key=lambda call: call[2]):
        if not name or callee.rpartition(".")[2] in names:
            meaning = resolver.meaning(file, scope, callee)
            if isinstance(meaning, Place):
                yield CallSite(Place(file.number, scope), meaning, file.path, line)
