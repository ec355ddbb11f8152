"""What linking finds: functions, and the calls between them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief_tracer.linking.edge_kinds import CALL_KINDS, CALLEE, CONFIDENCES


class Fn(NamedTuple):
    """A function, class or module."""

    file: str
    qualname: str
    """`package.module.Class.method`, nested without `<locals>`; the body of a module is `package.module`.

    Where several files claim a module: `path:package.module.…`."""
    line: int


def label(module: str, path: str, shared: Collection[str]) -> str:
    """Name a module so that no other has the name: with its path where several files claim it."""
    return f"{path}:{module}" if module in shared else module


def shared_modules(files: Mapping[str, tuple[str, object]]) -> frozenset[str]:
    """Give the module names that several files claim; module by path."""
    counts = Counter(module for module, _ in files.values())
    return frozenset(module for module, count in counts.items() if count > 1)


class Edge(NamedTuple):
    """One function calls another."""

    caller: str
    callee: str
    kind: str
    """call, property, dunder, callback, decorator or framework."""
    confidence: str
    """exact, inferred, hierarchy or name."""
    line: int
    """Of the call site, in the caller's file."""


@define(repr=False)
class Edges(Collection[Edge]):
    """Edges in order, each made when it is looked at.

    Args:
        names: Of the functions, in order.
        keys: For each edge the places of its two names, and of its kind among the sorted ones.
        values: For each edge its line and its confidence.
    """

    names: list[str] = Factory(list)
    keys: array[int] = Factory(lambda: array("Q"))
    values: array[int] = Factory(lambda: array("I"))

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Edge]:
        """Give all edges."""
        for caller, callee, kind, confidence, line in self.rows():
            yield Edge(self.names[caller], self.names[callee], CALL_KINDS[kind], CONFIDENCES[confidence], line)

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Give all edges as numbers: the places of caller, callee, kind and confidence, and the line."""
        kinds = [CALL_KINDS.index(kind) for kind in sorted(CALL_KINDS)]
        for key, value in zip(self.keys, self.values, strict=True):
            yield key >> 31, key >> 3 & CALLEE, kinds[key & 7], value & 3, value >> 2

    def leaving(self, callers: Collection[int]) -> Edges:
        """Give the edges of some callers, by the places of their names."""
        keep = bytes(place in callers for place in range(len(self.names)))
        kept = [place for place, key in enumerate(self.keys) if keep[key >> 31]]
        keys, values = array("Q", map(self.keys.__getitem__, kept)), array("I", map(self.values.__getitem__, kept))
        return Edges(self.names, keys, values)

    def __contains__(self, edge: object) -> bool:
        return any(edge == other for other in self)


class Linked(NamedTuple):
    """What linking found."""

    edges: Edges
    complete: bool
    """Whether the worklist was worked off."""
    work: int
    """Statements evaluated."""
    notes: tuple[str, ...] = ()
    functions: tuple[Fn, ...] = ()
    """All of them; of a tree that was linked part by part those without a name, which nothing else knows of."""
