"""Under which prefixes routers and blueprints are mounted: `app.include_router(items.router, prefix="/api")`."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from inarch_brief_tracer.facts.entry_points import own_prefix
from inarch_brief_tracer.facts.framework_entries import MOUNT
from inarch_brief_tracer.linking.resolver import Meaning, Place, Resolver

_REPLACING = "register_blueprint"
"""What a blueprint is mounted under here replaces the prefix that it is made with."""


class Mounted(NamedTuple):
    """A router and what it is mounted on, by what they are, and the prefix that is given with it."""

    router: Meaning | None
    owner: Meaning | None
    prefix: str
    replaces: bool


class Prefixes:
    """The prefixes of a tree, read when a route is asked for."""

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
        """Give a route with the prefixes of the router whose decorator `how` is: `GET /api/items`."""
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
        """Give all that stands before the rules of a router: what it is mounted under, and what it is made with."""
        if not isinstance(router, Place) or router in below:
            return ""
        own = own_prefix(self.resolver.symbol(router))
        mounted = next((found for found in self.mounted if found.router == router), None)
        if mounted is None:
            return own
        above = self._prefix(mounted.owner, (*below, router))
        return f"{above}{mounted.prefix}{'' if mounted.replaces else own}"
