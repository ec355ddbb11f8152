"""Direct callers and callees of a symbol, as far as names and imports tell."""

from __future__ import annotations

import time
from typing import NamedTuple

from inarch_brief_tracer.facts.file_facts import CLASS, Call
from inarch_brief_tracer.facts.modules import TEST
from inarch_brief_tracer.linking.resolver import FileFacts, Place, Resolver

MAX_CALLERS = 30
_MAX_TESTS = 12
"""Test files that are read whole for one question."""


class CallSite(NamedTuple):
    """A call: who calls, where, and who is called."""

    caller: Place
    callee: Place
    path: str
    line: int


def callees_of(resolver: Resolver, target: Place) -> list[CallSite]:
    """Give what a function calls, nested functions included; of a class what making one calls.

    A class that inherits its `__init__` is named itself: its base is not what is made.
    """
    file = resolver.file(target.file)
    symbol = resolver.symbol(target)
    inside = {target.place}
    name = f"{symbol.name}.__init__." if symbol.kind == CLASS else f"{symbol.name}."
    if symbol.kind == CLASS and (made := file.by_name.get(name[:-1])) is not None:
        inside.add(made)
    if symbol.name:
        inside.update(place for place, other in enumerate(file.facts.symbols) if other.name.startswith(name))
    sites: dict[Place, CallSite] = {}
    for call in file.facts.calls:
        if call.scope in inside:
            run = resolver.callees(file, call.scope, call.callee)
            inherits = len(run) == 2 and not resolver.qualname(run[1]).startswith(f"{resolver.qualname(run[0])}.")
            for callee in run[:1] if inherits else run[-1:]:
                sites.setdefault(callee, CallSite(Place(target.file, call.scope), callee, file.path, call.line))
    return list(sites.values())


def callers_of(resolver: Resolver, target: Place, seconds: float = 1.5) -> tuple[list[CallSite], str | None]:
    """Give who calls a symbol, product code first, and what to say if not everything was looked at."""
    deadline = time.monotonic() + seconds
    wanted, names = _wanted(resolver, target)
    rows = _candidates(resolver, target, names)
    renamed = _renamings(resolver, rows, wanted, names)
    if renamed:
        names |= renamed
        rows = _candidates(resolver, target, names)
    sites: list[CallSite] = []
    tests = 0
    for number, role in rows:
        if time.monotonic() > deadline or len(sites) >= MAX_CALLERS:
            return sites[:MAX_CALLERS], f"the first {min(len(sites), MAX_CALLERS)} callers found"
        if role == TEST:
            if tests == _MAX_TESTS:
                continue
            tests += 1
        sites += _sites(resolver, resolver.file(number), wanted, names)
    note = f"callers looked for in the first {_MAX_TESTS} test files that import it" if tests == _MAX_TESTS else None
    return sites, note


def _candidates(resolver: Resolver, target: Place, names: set[str]) -> list[tuple[int, str]]:
    """Give the files (with their role) that call something by one of the names: the target's own first, tests last."""
    match = " OR ".join(f'"{name}"' for name in sorted(names))
    return resolver.connection.execute(
        "SELECT f.id, f.role FROM callees c JOIN files f ON f.id = c.rowid WHERE callees MATCH ?"
        " ORDER BY f.id != ?, f.role = 'test', f.role != 'code', f.path",
        (match, target.file),
    ).fetchall()


def _renamings(resolver: Resolver, rows: list[tuple[int, str]], wanted: set[Place], names: set[str]) -> set[str]:
    """Give the other names under which packages hand the target on: `from .core import run as start`."""
    found: set[str] = set()
    for number, role in rows:
        file = resolver.file(number) if role != TEST else None
        for item in file.facts.imports if file else ():
            if item.target in names and item.name not in names and not item.scope:
                meaning = resolver.top_level(resolver.file(number), item.name)
                if isinstance(meaning, Place) and meaning in wanted:
                    found.add(item.name)
    return found


def _wanted(resolver: Resolver, target: Place) -> tuple[set[Place], set[str]]:
    """Give the places that count as the target, and the names it may be called by."""
    symbol = resolver.symbol(target)
    name = symbol.name.rpartition(".")[2]
    # Of several definitions under one name, calls are held to mean the first.
    first = resolver.file(target.file).by_name.get(symbol.name, target.place)
    wanted, names = {target, Place(target.file, first)}, {name}
    if symbol.kind == CLASS:
        made = resolver.file(target.file).by_name.get(f"{symbol.name}.__init__")
        wanted |= {Place(target.file, made)} if made is not None else set()
    elif name == "__init__":
        names.add(symbol.name.split(".")[-2] if "." in symbol.name else name)
    return wanted, names


def _sites(resolver: Resolver, file: FileFacts, wanted: set[Place], names: set[str]) -> list[CallSite]:
    aliases = {item.name for item in file.facts.imports if item.target in names}
    found: list[CallSite] = []
    seen: set[tuple[int, int]] = set()
    for call in file.facts.calls:
        if not _may_call(call, names, aliases) or (call.scope, call.line) in seen:
            continue
        for callee in resolver.callees(file, call.scope, call.callee):
            if callee in wanted:
                found.append(CallSite(Place(file.number, call.scope), callee, file.path, call.line))
                seen.add((call.scope, call.line))
                break
    return found


def _may_call(call: Call, names: set[str], aliases: set[str]) -> bool:
    last = call.callee.rpartition(".")[2]
    return last in names or last in aliases or last == "cls"
