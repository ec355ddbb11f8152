"""Under which prefixes routers and blueprints are mounted: `app.include_router(items.router, prefix="/api")`."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from inarch_brief_tracer.facts.entry_points import own_prefix
from inarch_brief_tracer.facts.framework_entries import MOUNT
from inarch_brief_tracer.linking.resolver import Meaning, Place, Resolver


class Mounted(NamedTuple):
    """A router by what it is, and the prefix of its routes."""

    router: Meaning | None
    prefix: str
    how: str


class Prefixes:
    """The prefixes of a tree, read when a route is asked for."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    @cached_property
    def mounted(self) -> tuple[Mounted, ...]:
        """Every router of the tree that is mounted under a prefix."""
        rows = self.resolver.connection.execute(
            "SELECT file, place, target, name, how FROM entries WHERE kind = ? ORDER BY rowid", (MOUNT,)
        ).fetchall()
        file = self.resolver.file
        return tuple(Mounted(self.resolver.meaning(file(row[0]), *row[1:3]), *row[3:]) for row in rows if row[3])

    def name_of(self, place: Place, name: str, how: str) -> str:
        """Give a route with the prefix of the router whose decorator `how` is: `GET /api/items`."""
        owner = how.removeprefix("@").rpartition(".")[0]
        if not self.mounted or not how.startswith("@") or not owner:
            return name
        router = self.resolver.meaning(self.resolver.file(place.file), 0, owner)
        mounted = next((found for found in self.mounted if found.router == router), None)
        if mounted is None or not isinstance(router, Place):
            return name
        verb, _, rule = name.partition(" ")
        if mounted.how == "register_blueprint()":  # what it is mounted under replaces its own
            rule = rule.removeprefix(own_prefix(self.resolver.symbol(router)))
        return f"{verb} {mounted.prefix}{'' if rule == '/' else rule}"
