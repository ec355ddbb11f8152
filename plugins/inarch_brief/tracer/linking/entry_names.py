"""Names of entry points: commands with their groups, routes with the prefixes of their mounts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from inarch_brief.tracer.facts.entry_points import MOUNT, SUB_COMMAND, library_names, own_prefix
from inarch_brief.tracer.facts.file_facts import CONSTANT
from inarch_brief.tracer.facts.manifests import NPM_SCRIPT, PROGRAM, Script, scripts
from inarch_brief.tracer.linking.resolver import FileFacts, Meaning, Place, Resolver

_MADE = re.compile(r"[=:]\s*([\w.]+)")
_FLASK = ("flask", "quart")


def declared(resolver: Resolver) -> tuple[list[tuple[Script, Place | None]], list[str]]:
    """Return the scripts that manifests declare with their targets (None outside the tree), and read errors."""
    found, notes = scripts(resolver.shelf.read)
    return [(script, _run_by(resolver, script)) for script in found], notes


def _run_by(resolver: Resolver, script: Script) -> Place | None:
    """Return the target of a script: its file if the program is in another language."""
    if script.how == PROGRAM:
        path = posixpath.normpath(script.target)
        row = resolver.connection.execute("SELECT id FROM files WHERE path IN (?, ?)", (path, f"{path}.js")).fetchone()
        return Place(row[0], 0) if row else None
    return None if script.how == NPM_SCRIPT else resolver.find(*script.named)


def groups_of(found: Iterable[tuple[Script, Place | None]]) -> dict[Place, str]:
    """Return the names of scripts by their targets."""
    return {place: script.name for script, place in found if place is not None and script.how.endswith("script")}


class Commands(NamedTuple):
    """Functions whose decorators make them look like commands."""

    resolver: Resolver
    groups: Mapping[Place, str]
    found: Mapping[Place, tuple[str, str]]

    def is_one(self, place: Place, depth: int = 0) -> bool:
        """Return whether the decorator belongs to a library, a group of the tree, or an object of a library."""
        owner = self.found[place][1]
        if not owner or depth > 12:
            return not owner
        file = self.resolver.file(place.file)
        if owner.endswith(".cli") and any(item.module.partition(".")[0] in _FLASK for item in file.facts.imports):
            return True
        meaning = self.resolver.meaning(file, place.place, owner)
        if not isinstance(meaning, Place):
            is_inside = "." in file.facts.symbols[place.place].name
            return is_inside and bool(library_names(file.facts.imports))
        if meaning in self.found:
            return self.is_one(meaning, depth + 1)
        symbol = self.resolver.symbol(meaning)
        made = _MADE.search(symbol.signature) if symbol.kind == CONSTANT else None
        return bool(made) and self._makes(self.resolver.file(meaning.file), made[1] if made else "")

    def name_of(self, place: Place, name: str, how: str) -> str:
        """Return the full name of a command, with its script in front if that is known."""
        if how == SUB_COMMAND:
            scripts = {script for run, script in self.groups.items() if run.file == place.file}
            return f"{scripts.pop()} {name}" if len(scripts) == 1 else name
        if place in self.groups or self.found.get(place, ("", ""))[1]:
            return self.whole_name(place) or name
        return name

    def whole_name(self, place: Place) -> str:
        """Prefix a command with the names of its groups: `flask run`."""
        words: list[str] = []
        seen: set[Place] = set()
        current: Place | None = place
        while current is not None and current not in seen:
            seen.add(current)
            if current in self.groups:
                words.append(self.groups[current])
                break
            name, owner = self.found.get(current, ("", ""))
            if not name:
                break
            words.append(name)
            meant = self.resolver.meaning(self.resolver.file(current.file), 0, owner) if owner else None
            current = meant if isinstance(meant, Place) else None
        return " ".join(reversed(words))

    def _makes(self, file: FileFacts, dotted: str) -> bool:
        """Return whether a class is the library's, or one of the tree whose file imports the library."""
        if dotted.partition(".")[0] in library_names(file.facts.imports):
            return True
        meaning = self.resolver.meaning(file, 0, dotted) if dotted else None
        if not isinstance(meaning, Place) or not self.resolver.symbol(meaning).bases:
            return False
        return bool(library_names(self.resolver.file(meaning.file).facts.imports))


_REPLACING = "register_blueprint"
"""With this method, the prefix of the mount replaces the prefix of the blueprint."""


class Mounted(NamedTuple):
    """A mounted router, the object it is mounted on, and the prefix given with it."""

    router: Meaning | None
    owner: Meaning | None
    prefix: str
    replaces: bool


class Prefixes:
    """The prefixes of a tree, read on the first route."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    @cached_property
    def mounted(self) -> tuple[Mounted, ...]:
        """Every router of the tree that is mounted on another or on an application."""
        rows = self.resolver.connection.execute(
            "SELECT file, place, target, name, how FROM entries WHERE kind = ? ORDER BY rowid", (MOUNT,)
        ).fetchall()
        return tuple(self._mounted(*row) for row in rows)

    def _mounted(self, number: int, place: int, target: str, prefix: str, how: str) -> Mounted:
        file = self.resolver.file(number)
        owner, _, method = how.rpartition(".")
        meaning = self.resolver.meaning
        above = meaning(file, place, owner) if owner else None
        return Mounted(meaning(file, place, target), above, prefix, method == _REPLACING and bool(prefix))

    def name_of(self, place: Place, name: str, how: str) -> str:
        """Return a route with the prefixes of the router in its decorator `how`: `GET /api/items`."""
        owner = how.removeprefix("@").rpartition(".")[0]
        if not self.mounted or not how.startswith("@") or not owner:
            return name
        router = self.resolver.meaning(self.resolver.file(place.file), 0, owner)
        if not isinstance(router, Place):
            return name
        verb, _, rule = name.partition(" ")
        own = own_prefix(self.resolver.symbol(router))
        above = self._prefix(router)
        if above == own:
            return name
        rest = rule.removeprefix(own)
        return f"{verb} {above}{'' if rest == '/' else rest}"

    def _prefix(self, router: Meaning | None, below: tuple[Place, ...] = ()) -> str:
        """Return the full prefix of a router: that of its mounts, and its own."""
        if not isinstance(router, Place) or router in below:
            return ""
        own = own_prefix(self.resolver.symbol(router))
        mounted = next((found for found in self.mounted if found.router == router), None)
        if mounted is None:
            return own
        above = self._prefix(mounted.owner, (*below, router))
        return f"{above}{mounted.prefix}{'' if mounted.replaces else own}"
