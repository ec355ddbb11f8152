"""What a name holds while files are linked, and what a call hands over.

Values are compared by identity: each is made once. A `Cell` is the set of values of a variable, an attribute, a
parameter, a return or an item of a container, with the statements that have read it.
"""

from __future__ import annotations

from collections.abc import Sequence


class Value:
    """Anything a cell can hold."""

    __slots__ = ()


Values = tuple[Value, ...]


_UNREAD: list[int] = []
"""Stands for the readers of every cell that has none, and is never written to."""


class Cell:
    """A set of values in the order they were found, and the units (statements) to look at again when it grows."""

    __slots__ = ("readers", "values")

    def __init__(self) -> None:
        self.values: Values = ()
        self.readers: list[int] = _UNREAD


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
