"""The calls that linking found, stored as numbers, because there may be hundreds of thousands."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from inarch_brief.tracer.facts.kinds import CALL_KINDS, CALLEE, CONFIDENCES
from inarch_brief.tracer.facts.link_facts import ScopeFacts


class Edge(NamedTuple):
    """A call from one function to another."""

    caller: str
    callee: str
    kind: str
    """call, property, dunder, callback, decorator or framework."""
    confidence: str
    """exact, inferred, hierarchy or name."""
    line: int
    """The line of the call site, in the caller's file."""


class Linked(NamedTuple):
    """The result of linking."""

    files: tuple[tuple[str, str, tuple[ScopeFacts, ...]], ...]
    keys: array[int]
    values: array[int]
    complete: bool
    work: int
    notes: tuple[str, ...] = ()

    def calls(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield all calls as numbers: caller, callee, kind, confidence, line."""
        for key, value in zip(self.keys, self.values, strict=True):
            yield key >> 31, key >> 3 & CALLEE, key & 7, value & 3, value >> 2

    @property
    def names(self) -> list[str]:
        """The qualified names of all functions, after the path if several files claim the module."""
        counts = Counter(module for _, module, _ in self.files)
        labels = [(f"{path}:{module}" if counts[module] > 1 else module, rows) for path, module, rows in self.files]
        return [f"{label}.{row.name}" if row.name else label for label, rows in labels for row in rows]

    @property
    def edges(self) -> list[Edge]:
        """All calls by name."""
        names = self.names
        return [
            Edge(names[caller], names[callee], CALL_KINDS[kind], CONFIDENCES[confidence], line)
            for caller, callee, kind, confidence, line in self.calls()
        ]
