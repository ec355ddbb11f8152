"""What linking finds: functions, and the calls between them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from attrs import define

from inarch_brief_tracer.linking.edge_kinds import CALL_KINDS, CONFIDENCES


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

    names: list[str]
    keys: array[int]
    values: array[int]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Edge]:
        """Give all edges."""
        names, mask, kinds = self.names, (1 << 28) - 1, sorted(CALL_KINDS)
        for key, value in zip(self.keys, self.values, strict=True):
            yield Edge(names[key >> 31], names[key >> 3 & mask], kinds[key & 7], CONFIDENCES[value & 3], value >> 2)

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
