"""Entry points of a tree: what manifests declare and what files show, put together."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from inarch_brief_tracer.facts import framework_entries
from inarch_brief_tracer.facts.entry_kinds import COMMAND, ROUTE, SCRIPT, TEST
from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD
from inarch_brief_tracer.facts.manifests import Script
from inarch_brief_tracer.facts.modules import CODE
from inarch_brief_tracer.facts.source import first_sentence
from inarch_brief_tracer.linking.command_groups import Commands, declared, groups_of
from inarch_brief_tracer.linking.resolver import Meaning, Place, Resolver
from inarch_brief_tracer.linking.route_prefixes import Prefixes
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
    # What files show comes in the order of their kinds; product code before examples.
    found += _shown(resolver, groups_of(resolved), kind)
    most = MAX_OF_EACH if kind == "all" else MAX_OF_ONE
    shown: list[dict[str, Any]] = []
    totals: dict[str, int] = {}
    for name, entries_of in groupby(found, key=lambda entry: entry["kind"]):
        if kind in ("all", name):
            listed = list(entries_of)
            totals[name] = len(listed)
            if name == TEST:
                listed.sort(key=_tests_in, reverse=True)
                totals["test_functions"] = sum(map(_tests_in, listed))
            shown += listed[:most]
            if len(listed) > most:
                notes.append(f"the first {most} of {len(listed):,} of kind {name}")
    return shown, totals, notes


def _tests_in(entry: dict[str, Any]) -> int:
    return int(entry["how"].partition(" ")[0])


def _runs(resolver: Resolver, meant: Meaning | None) -> bool:
    """Whether a registered name stands for something that can be run."""
    return isinstance(meant, Place) and resolver.symbol(meant).kind in (FUNCTION, METHOD, CLASS)


def _script(resolver: Resolver, script: Script, place: Place | None) -> dict[str, Any]:
    if place is None:
        qualname, file, line = ".".join(filter(None, script.named)), script.file, script.line
    else:
        qualname, file = resolver.qualname(place), resolver.file(place.file).path
        line = resolver.symbol(place).line
    kind, name, how = SCRIPT, script.name, script.origin
    return {"kind": kind, "name": name, "qualname": qualname, "file": file, "line": line, "how": how}


def _shown(resolver: Resolver, groups: dict[Place, str], wanted: str) -> list[dict[str, Any]]:
    rows = resolver.connection.execute(
        "SELECT e.file, e.kind, e.name, e.place, e.line, e.how, e.target, f.path, f.module FROM entries e"
        " JOIN files f ON f.id = e.file WHERE ? IN ('all', e.kind) AND e.kind != ? ORDER BY"
        " CASE e.kind WHEN 'main' THEN 0 WHEN 'command' THEN 1 WHEN 'route' THEN 2 WHEN 'view' THEN 3"
        " WHEN 'task' THEN 4 WHEN 'signal' THEN 5 WHEN 'hook' THEN 6 WHEN 'handler' THEN 7 ELSE 8 END,"
        " f.role != ?, f.path, e.line",
        (wanted, framework_entries.MOUNT, CODE),
    ).fetchall()
    commands = Commands(
        resolver, groups, {Place(row[0], row[3]): (row[2], row[6]) for row in rows if row[1] == COMMAND}
    )
    prefixes = Prefixes(resolver)
    found: list[dict[str, Any]] = []
    for number, kind, name, place, line, how, target, path, module in rows:
        own = Place(number, place)
        entry = {"kind": kind, "name": name, "qualname": module, "file": path, "line": line, "how": how}
        if kind == COMMAND:
            if target and not commands.is_one(own):
                continue
            entry["name"] = commands.name_of(own, name, how)
        elif kind == ROUTE and not target:
            entry["name"] = prefixes.name_of(own, name, how)
        elif kind != TEST and target:
            meant = resolver.named(resolver.file(number), place, target)
            if kind in framework_entries.FRAMEWORK_KINDS and not _runs(resolver, meant):
                continue
            own = meant if isinstance(meant, Place) else own
        if kind != TEST:
            entry["qualname"] = resolver.qualname(own)
            entry["doc"] = first_sentence(resolver.symbol(own).doc) if own.place else ""
        found.append(entry)
    return found
