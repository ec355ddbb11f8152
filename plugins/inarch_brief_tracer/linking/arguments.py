"""The arguments of one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_brief_tracer.linking.values import Values

from collections.abc import Sequence

NO_KEYWORDS: dict[str, Values] = {}


class Arguments:
    """The arguments of one call."""

    __slots__ = ("keywords", "mappings", "positional", "rest")

    def __init__(
        self,
        positional: Sequence[Values] = (),
        keywords: dict[str, Values] | None = None,
        rest: Values = (),
        mappings: Values = (),
    ) -> None:
        self.positional = positional
        self.keywords = NO_KEYWORDS if keywords is None else keywords
        self.rest = rest
        """Values that fill any further position: of `*items`."""
        self.mappings = mappings
        """Containers given as `**mapping`."""

    def after(self, first: Values) -> Arguments:
        """Give the same arguments with one in front."""
        return Arguments((first, *self.positional), self.keywords, self.rest, self.mappings)

    def every(self) -> Values:
        """Give all values that are handed over."""
        found: Values = ()
        for values in self.positional:
            found += values
        for values in self.keywords.values():
            found += values
        return found + self.rest + self.mappings


NO_ARGUMENTS = Arguments()
