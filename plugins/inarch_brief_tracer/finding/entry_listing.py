"""Entry points of a tree as a list: what manifests declare and what files show."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from inarch_brief_tracer.facts.entry_kinds import SCRIPT, TEST
from inarch_brief_tracer.facts.framework_entries import FRAMEWORK_KINDS
from inarch_brief_tracer.facts.manifests import Script
from inarch_brief_tracer.facts.source import first_sentence
from inarch_brief_tracer.indexing.entry_nodes import Shown, shown_entries
from inarch_brief_tracer.linking.command_groups import declared, groups_of
from inarch_brief_tracer.linking.resolver import Place, Resolver
from inarch_brief_tracer.store.kept_files import Shelf

MAX_OF_EACH = 40
MAX_OF_ONE = 200
"""How many are listed when all kinds are asked for, and when one is."""


def entries(shelf: Shelf, kind: str = "all") -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    """Give the entry points of a kind, scripts first, how many there are of each, and what has to be said about them.

    The totals count everything, also what is not listed.
    """
    resolver = Resolver(shelf)
    resolved, notes = declared(resolver)
    found = [_script(resolver, script, place) for script, place in resolved]
    shown = shown_entries(resolver, groups_of(resolved), kind)
    found += [_row(resolver, item) for item in shown if item.is_known or item.kind not in FRAMEWORK_KINDS]
    most = MAX_OF_EACH if kind == "all" else MAX_OF_ONE
    rows: list[dict[str, Any]] = []
    totals: dict[str, int] = {}
    for name, entries_of in groupby(found, key=lambda entry: entry["kind"]):
        if kind in ("all", name):
            listed = list(entries_of)
            totals[name] = len(listed)
            if name == TEST:
                listed.sort(key=_tests_in, reverse=True)
                totals["test_functions"] = sum(map(_tests_in, listed))
            rows += listed[:most]
            if len(listed) > most:
                notes.append(f"the first {most} of {len(listed):,} of kind {name}")
    return rows, totals, notes


def _tests_in(entry: dict[str, Any]) -> int:
    return int(entry["how"].partition(" ")[0])


def _script(resolver: Resolver, script: Script, place: Place | None) -> dict[str, Any]:
    qualname, file, line = ".".join(filter(None, script.named)), script.file, script.line
    if place is not None:
        qualname, file = resolver.qualname(place), resolver.file(place.file).path
        line = resolver.symbol(place).line
    row = {"kind": SCRIPT, "name": script.name, "qualname": qualname, "file": file, "line": line}
    return {**row, "how": script.origin}


def _row(resolver: Resolver, item: Shown) -> dict[str, Any]:
    row = {"kind": item.kind, "name": item.name, "file": item.path, "line": item.line, "how": item.how}
    if item.kind == TEST:
        return {**row, "qualname": item.path}
    doc = first_sentence(resolver.symbol(item.place).doc) if item.place.place else ""
    return {**row, "qualname": resolver.qualname(item.place), "doc": doc}
