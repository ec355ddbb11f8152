"""Entry points as nodes: what manifests declare and what files show, each resolved to what it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping

from inarch_brief_tracer.facts.entry_kinds import COMMAND, MANAGEMENT, ROUTE, SCRIPT, TEST
from inarch_brief_tracer.facts.file_facts import CLASS, CONSTANT
from inarch_brief_tracer.facts.framework_entries import MOUNT
from inarch_brief_tracer.facts.modules import CODE
from inarch_brief_tracer.graph.model import Gate
from inarch_brief_tracer.linking.command_groups import Commands, declared, groups_of
from inarch_brief_tracer.linking.resolver import Place, Resolver
from inarch_brief_tracer.linking.route_prefixes import Prefixes
from inarch_brief_tracer.store.kept_files import Shelf

_RUN = ("handle", "dispatch", "__call__", "run", "main", "get", "post", "put", "patch", "delete", "list", "retrieve")
"""Methods that frameworks run of a class that is an entry."""


def gates_of(shelf: Shelf, files: Collection[int] | None = None) -> list[Gate]:
    """Resolve every declared and shown entry point to the functions that it runs, product code first.

    Args:
        shelf: The index.
        files: Only what these files show, and what runs in them; None for all.
    """
    resolver = Resolver(shelf)
    scripts, _ = declared(resolver)
    told = ((place, SCRIPT, script.name, script.origin) for script, place in scripts if place is not None)
    found: dict[tuple[int, str, str], Gate] = {}
    for place, kind, name, how in (*told, *_shown(resolver, groups_of(scripts), files)):
        if files is not None and place.file not in files:
            continue
        for run in _run_by(resolver, place):
            symbol = _number(resolver.connection, run)
            if symbol is not None:
                found.setdefault((symbol, kind, name), Gate(symbol, kind, name, how))
    return list(found.values())


def _shown(
    resolver: Resolver, groups: Mapping[Place, str], files: Collection[int] | None
) -> Iterator[tuple[Place, str, str, str]]:
    rows = resolver.connection.execute(
        "SELECT e.file, e.kind, e.name, e.place, e.how, e.target FROM entries e JOIN files f ON f.id = e.file"
        " WHERE e.kind NOT IN (?, ?) ORDER BY f.role != ?, f.path, e.line",
        (TEST, MOUNT, CODE),
    ).fetchall()
    found = {Place(row[0], row[3]): (row[2], row[5]) for row in rows if row[1] == COMMAND}
    commands, prefixes = Commands(resolver, groups, found), Prefixes(resolver)
    for number, kind, name, place, how, target in rows:
        if files is not None and number not in files:
            continue
        own = Place(number, place)
        if kind == COMMAND:
            if target and not commands.is_one(own):
                continue
            if "management" in how:
                kind = MANAGEMENT
            else:
                name = commands.name_of(own, name, how)
        elif kind == ROUTE and not target:
            name = prefixes.name_of(own, name, how)
        elif target and resolver.file(number).facts.language:
            own = _handler(resolver, own, target)
        elif target:
            meant = resolver.named(resolver.file(number), place, target)
            if not isinstance(meant, Place) or resolver.symbol(meant).kind == CONSTANT:
                continue
            own = meant
        yield own, kind, name, how


def _handler(resolver: Resolver, place: Place, target: str) -> Place:
    """Give what a route of another language runs, where the file itself has it; else where it is registered."""
    found = resolver.file(place.file).by_name.get(target)
    return place if found is None else Place(place.file, found)


def _run_by(resolver: Resolver, place: Place) -> list[Place]:
    """Give what runs when an entry is entered: of a class its methods that frameworks call."""
    symbol = resolver.symbol(place)
    if symbol.kind != CLASS:
        return [place]
    file = resolver.file(place.file)
    own = [file.by_name.get(f"{symbol.name}.{name}") for name in _RUN]
    return [Place(place.file, number) for number in own if number is not None] or [place]


def _number(connection: sqlite3.Connection, place: Place) -> int | None:
    row = connection.execute("SELECT id FROM symbols WHERE file = ? AND place = ?", place).fetchone()
    return row[0] if row else None
