"""The ways in of an overview: what a user starts, and what a caller imports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from inarch_brief.offline.layout import is_aside
from inarch_brief.offline.page import Page, fitting, room_for
from inarch_brief.offline.plans.lists import HOOKS, MODULES, NPM, ROUTES, SCRIPTS, Way, named
from inarch_brief.offline.prose import Fact
from inarch_brief.offline.results import Place

PROGRAMS = "program"
_RUN = (MODULES, PROGRAMS)
_INNER = (NPM, "handler", "signal")
"""Kinds of entry points that only the program itself or its developers use."""
_SHOWING = r"(?:^|[-_/])(?:test|example|demo|bench|fixture)"


def say_ways_in(
    page: Page,
    ways: Iterable[Way],
    declared: Sequence[Fact],
    api: tuple[list[str], Place] | None,
    paths: Collection[str],
) -> None:
    """List programs, commands and routes, the scripts of manifests and the exported names (`api`)."""
    own = [_entered(one, paths) for one in ways if one.kind not in _INNER]
    scripts = [one for way in own if way.kind == SCRIPTS for one in way.found]
    names, files = {one.qualname for one in scripts}, {one.place.path for one in scripts}
    own = [
        way if way.kind == SCRIPTS else _without(way, names, tuple(files) if way.kind in _RUN else ()) for way in own
    ]
    known = {entry.name for way in own for entry in way.found}
    other = [fact for fact in declared if fact.text.split(" ")[0] not in known][:4]
    targets = tuple(fact.text.rpartition(" = ")[2].removeprefix("./") for fact in other)
    own = [_without(way, set(), targets) if way.kind == PROGRAMS else way for way in own]
    shown = [way for way in own if way.found][:5]
    if shown or other or api:
        page.head("Ways in")
    for fact in other:
        name, _, target = fact.text.partition(" = ")
        is_command = target and name not in ("main module", "npm start")
        page.item(f"command `{name}` → {target}" if is_command else fact.text, fact.place)
    for way in shown:
        page.item(_told(way), way.found[0].place)
    if api:
        page.item(f"public names: {fitting(api[0], room_for(api[1], 20, 2), 10)}", api[1])


def _told(way: Way) -> str:
    if len(way.found) > 2:
        return f"{way.number}: {named(way, 6)}"
    if way.kind == PROGRAMS:
        return f"{way.kind}: {named(way, 2)}"
    kind, mark = ("command", "`") if way.kind == SCRIPTS else (f"{way.kind}:", "")
    return f"{kind} " + ", ".join(f"{mark}{entry.name}{mark} → {entry.qualname}" for entry in way.found)


def _without(way: Way, names: Collection[str], files: tuple[str, ...]) -> Way:
    """Leave out entry points that are listed as something else, by name or by the end of their file."""
    found = [one for one in way.found if one.qualname not in names and not one.place.path.endswith(files)]
    return way._replace(found=tuple(found))


def _entered(way: Way, paths: Collection[str]) -> Way:
    """Leave out what is not started from outside: private names, methods that a library calls, demos of modules."""
    found = [one for one in way.found if not is_aside(one.place.path)]
    found = [one for one in found if not re.search(r"(?:^|\.)_[a-z]", one.name, re.I)]
    if way.kind == HOOKS:
        found = [one for one in found if "." not in one.name]
    if way.kind == "task":  # a task has a name of its own, wherever it is defined
        found = [one._replace(name=one.name.rpartition(".")[2]) for one in found]
    if way.kind == ROUTES:  # a request that a client makes has the same form
        found = [one for one in found if "${" not in one.name]
    if way.kind != MODULES:
        return way._replace(found=tuple(found))
    if python := [one for one in found if one.place.path.endswith(".py")]:
        is_packaged = any(path.endswith("/__init__.py") and not is_aside(path) for path in paths)
        kept = [one for one in python if one.name.startswith("python -m") or not (is_packaged and "/" in one.name)]
        return way._replace(found=tuple(kept))
    found = [one for one in found if one.how != "Rust main" or re.search(r"(?:^|/)main\.rs$|/bin/", one.place.path)]
    found = [one for one in found if not re.search(rf"^build/|{_SHOWING}", one.place.path)]
    usual = r"(?:^|/)(?:cmd|bin)/|^(?:src/)?main\.\w+$|^[^/]+$"
    found = [one for one in found if re.search(usual, one.place.path)] or found
    return Way(PROGRAMS, tuple(one._replace(name=one.place.path) for one in found), way.complete)
