"""Entry points of a tree: what manifests declare and what files show, put together."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from inarch_brief_tracer.doors import COMMAND, SCRIPT
from inarch_brief_tracer.manifests import Script, scripts
from inarch_brief_tracer.modules import CODE
from inarch_brief_tracer.resolve import Place, Resolver
from inarch_brief_tracer.rows import Shelf

MAX_OF_EACH = 40
MAX_OF_ONE = 200
"""How many are listed when all kinds are asked for, and when one is."""


def entries(shelf: Shelf, kind: str = "all") -> tuple[list[dict[str, Any]], list[str]]:
    """Give the entry points of a kind, scripts first, and what has to be said about them."""
    resolver = Resolver(shelf)
    declared, notes = scripts(shelf.read)
    found: list[dict[str, Any]] = []
    groups: dict[Place, str] = {}
    for script in declared:
        entry, place = _script(resolver, script)
        if place is not None and script.how.endswith("script"):
            groups[place] = script.name
        found.append(entry)
    # What files show comes in the order of their kinds; product code before examples.
    found += _shown(resolver, groups)
    most = MAX_OF_EACH if kind == "all" else MAX_OF_ONE
    shown: list[dict[str, Any]] = []
    for name, entries_of in groupby(found, key=lambda entry: entry["kind"]):
        if kind in ("all", name):
            listed = list(entries_of)
            shown += listed[:most]
            if len(listed) > most:
                notes.append(f"the first {most} of {len(listed):,} of kind {name}")
    return shown, notes


def _script(resolver: Resolver, script: Script) -> tuple[dict[str, Any], Place | None]:
    module, _, attribute = script.target.partition("[")[0].strip().partition(":")
    place = resolver.find(module.strip(), attribute.strip())
    file, line = script.file, script.line
    if place is not None:
        file, line = resolver.file(place.file).path, resolver.symbol(place).line
    dotted = f"{module}.{attribute}" if attribute else module
    qualname = resolver.qualname(place) if place is not None else dotted
    how = f"{script.how} in {script.file}:{script.line}"
    return {"kind": SCRIPT, "name": script.name, "qualname": qualname, "file": file, "line": line, "how": how}, place


def _shown(resolver: Resolver, groups: dict[Place, str]) -> list[dict[str, Any]]:
    rows = resolver.connection.execute(
        "SELECT e.file, e.kind, e.name, e.place, e.line, e.how, e.target, f.path, f.module FROM entries e"
        " JOIN files f ON f.id = e.file ORDER BY"
        " CASE e.kind WHEN 'main' THEN 0 WHEN 'command' THEN 1 WHEN 'route' THEN 2 ELSE 3 END,"
        " f.role != ?, f.path, e.line",
        (CODE,),
    ).fetchall()
    parents = {Place(row[0], row[3]): (row[2], row[6]) for row in rows if row[1] == COMMAND}
    found: list[dict[str, Any]] = []
    for number, kind, name, place, line, how, target, path, module in rows:
        if kind == "test":
            found.append({"kind": kind, "name": name, "qualname": module, "file": path, "line": line, "how": how})
            continue
        own = Place(number, place)
        if kind == COMMAND:
            if target or own in groups:
                name = _whole_name(resolver, own, parents, groups) or name
        elif target:
            meant = resolver.meaning(resolver.file(number), place, target)
            own = meant if isinstance(meant, Place) else own
        qualname = resolver.qualname(own)
        found.append({"kind": kind, "name": name, "qualname": qualname, "file": path, "line": line, "how": how})
    return found


def _whole_name(
    resolver: Resolver, place: Place, parents: dict[Place, tuple[str, str]], groups: dict[Place, str]
) -> str:
    """Put the names of the groups above a command in front of it: `flask run`."""
    words: list[str] = []
    seen: set[Place] = set()
    current: Place | None = place
    while current is not None and current not in seen:
        seen.add(current)
        if current in groups:
            words.append(groups[current])
            break
        name, owner = parents.get(current, ("", ""))
        if not name:
            break
        words.append(name)
        file = resolver.file(current.file)
        meant = resolver.meaning(file, 0, owner.strip()) if owner.strip() else None
        current = meant if isinstance(meant, Place) else None
    return " ".join(reversed(words))
