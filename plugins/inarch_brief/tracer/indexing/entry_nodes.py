"""Entry points from manifests and files, each resolved to the function it runs; and the list of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from inarch_brief.tracer.facts.entry_points import FRAMEWORK_KINDS, MOUNT
from inarch_brief.tracer.facts.file_facts import CLASS, CONSTANT
from inarch_brief.tracer.facts.kinds import COMMAND, DECORATED, ENTRY_KINDS, MANAGEMENT, ROUTE, SCRIPT, TEST
from inarch_brief.tracer.facts.manifests import Script
from inarch_brief.tracer.facts.modules import CODE
from inarch_brief.tracer.facts.source import first_sentence
from inarch_brief.tracer.graph.model import Gate
from inarch_brief.tracer.linking.entry_names import Commands, Prefixes, declared, groups_of
from inarch_brief.tracer.linking.resolver import Place, Resolver
from inarch_brief.tracer.store.kept_files import Shelf

_RUN = ("handle", "dispatch", "__call__", "run", "main", "get", "post", "put", "patch", "delete", "list", "retrieve")
"""Methods that frameworks call on a class that is an entry point."""
_ORDER = " ".join(f"WHEN '{kind}' THEN {place}" for place, kind in enumerate(ENTRY_KINDS))


class Shown(NamedTuple):
    """An entry point found in a file."""

    place: Place
    """The function it runs, or its registration if that is unknown."""
    kind: str
    name: str
    how: str
    path: str
    line: int
    is_known: bool = True
    """Whether the function it runs is known."""


def gates_of(shelf: Shelf, files: Collection[int] | None = None) -> list[Gate]:
    """Resolve every declared or found entry point to the functions it runs, product code first."""
    resolver = Resolver(shelf)
    scripts, _ = declared(resolver)
    told = [(place, SCRIPT, script.name, script.origin) for script, place in scripts if place is not None]
    for item in shown_entries(resolver, groups_of(scripts)):
        if item.kind != TEST and item.is_known:
            kind = MANAGEMENT if item.kind == COMMAND and "management" in item.how else item.kind
            told.append((item.place, kind, item.name, item.how))
    found: dict[tuple[int, str, str], Gate] = {}
    for place, kind, name, how in told:
        if files is not None and place.file not in files:
            continue
        for run in _run_by(resolver, place):
            symbol = _number(resolver.connection, run)
            if symbol is not None:
                found.setdefault((symbol, kind, name), Gate(symbol, kind, name, how))
    return list(found.values())


def shown_entries(resolver: Resolver, groups: Mapping[Place, str], wanted: str = "all") -> Iterator[Shown]:
    """Yield the entry points of a kind found in files, the most telling kinds and product code first."""
    rows = resolver.connection.execute(
        "SELECT e.file, e.kind, e.name, e.place, e.line, e.how, e.target, f.path FROM entries e"
        f" JOIN files f ON f.id = e.file WHERE (e.kind = ? OR ? = 'all' AND e.kind NOT IN (?, ?, ?))"
        f" AND e.kind != ? ORDER BY CASE e.kind {_ORDER} END, f.role != ?, f.path, e.line",
        (wanted, wanted, *DECORATED, MOUNT, CODE),
    ).fetchall()
    found = {Place(row[0], row[3]): (row[2], row[6]) for row in rows if row[1] == COMMAND}
    commands, prefixes = Commands(resolver, groups, found), Prefixes(resolver)
    for number, kind, name, place, line, how, target, path in rows:
        own, is_known = Place(number, place), True
        if kind == COMMAND:
            if target and not commands.is_one(own):
                continue
            name = commands.name_of(own, name, how)
        elif kind == ROUTE and not target:
            name = prefixes.name_of(own, name, how)
        elif kind != TEST and target:
            meant = _meant(resolver, own, target)
            own, is_known = meant or own, meant is not None and resolver.symbol(meant).kind != CONSTANT
        yield Shown(own, kind, name, how, path, line, is_known)


def _meant(resolver: Resolver, place: Place, target: str) -> Place | None:
    """Return the meaning of a registered name. In another language, only names of the same file count."""
    file = resolver.file(place.file)
    if file.facts.language:
        return Place(place.file, file.by_name.get(target, place.place))
    found = resolver.named(file, place.place, target)
    return found if isinstance(found, Place) else None


def _run_by(resolver: Resolver, place: Place) -> list[Place]:
    """Return the functions that an entry point runs; for a class the methods that frameworks call."""
    symbol = resolver.symbol(place)
    if symbol.kind != CLASS:
        return [place]
    file = resolver.file(place.file)
    own = [file.by_name.get(f"{symbol.name}.{name}") for name in _RUN]
    return [Place(place.file, number) for number in own if number is not None] or [place]


def _number(connection: sqlite3.Connection, place: Place) -> int | None:
    row = connection.execute("SELECT id FROM symbols WHERE file = ? AND place = ?", place).fetchone()
    return row[0] if row else None


MAX_OF_EACH = 40
MAX_OF_ONE = 200
"""The most entries listed of each kind, and of a single requested kind."""


def entries(shelf: Shelf, kind: str = "all") -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    """Return the entry points of a kind, scripts first, the total of each kind, and notes."""
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
