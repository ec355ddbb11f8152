"""What linking found so far, as numbers: there may be hundreds of thousands of edges."""

from __future__ import annotations

from array import array
from heapq import merge

from attrs import Factory, define

from inarch_brief_tracer.linking.edge_kinds import CALLEE
from inarch_brief_tracer.linking.edges import Edges, Names, label
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.values import File, Scope

LOOSE = 50_000
"""Edges that are kept in a dictionary, where they take ten times as much as packed."""


@define(eq=False, repr=False)
class Findings:
    """Functions and edges of what was linked so far, by the places of the functions' names.

    Args:
        shared: Names that several files claim as modules.
    """

    shared: frozenset[str]
    complete: bool = True
    """Whether all was looked at again that had to be."""
    work: int = 0
    """Statements evaluated."""
    _names: Names = Factory(Names)
    _first: dict[str, int] = Factory(dict)
    """The place of a file's first name, by its path."""
    _again: dict[int, int] = Factory(dict)
    """For what is defined again in its file: the place of the first of that name."""
    _edges: dict[int, int] = Factory(dict)
    _packed: list[tuple[array[int], array[int]]] = Factory(list)

    def take(self, linker: Linker) -> None:
        """Take over what the linker found, so that it may forget what it loaded last."""
        for scope in linker.scopes:
            if scope.outer is None:
                self._place_of(scope.file)
        scopes = linker.scopes
        for key, value in linker.edges.items():
            self.add(self.number(scopes[key >> 31]), self.number(scopes[key >> 3 & CALLEE]), key & 7, value)
        linker.edges.clear()

    def number(self, scope: Scope) -> int:
        """Give the place of a function's name."""
        place = self._place_of(scope.file) + scope.id - scope.file.first
        return self._again.get(place, place)

    def _place_of(self, file: File) -> int:
        """Give the place of the first of a file's names, which are added when they are first asked for."""
        first = self._first.get(file.path)
        if first is None:
            module = label(file.module, file.path, self.shared)
            inside = [scope.qualname[len(module) + 1 :] for scope in file.scopes]
            first = self._first[file.path] = self._names.add(module, inside)
            known: dict[str, int] = {}
            for place, name in enumerate(inside, first):
                if known.setdefault(name, place) != place:
                    self._again[place] = known[name]
                elif "<" in name:
                    self._names.lines[place] = file.scopes[place - first].facts.line
        return first

    def add(self, caller: int, callee: int, kind: int, value: int) -> None:
        """Note an edge between two functions; the surest reading counts, and of these the first line."""
        row = (caller << 28 | callee) << 3 | kind
        known = self._edges.get(row)
        if known is None or (value & 3, value) < (known & 3, known):
            self._edges[row] = value
            if len(self._edges) >= LOOSE:
                self._pack()

    def _pack(self) -> None:
        rows = sorted(self._edges)
        self._packed.append((array("Q", rows), array("I", map(self._edges.__getitem__, rows))))
        self._edges.clear()

    def edges(self) -> Edges:
        """Give all edges in order."""
        self._pack()
        found = Edges(self._names)
        last = -1
        for row, value in merge(*(zip(*columns, strict=True) for columns in self._packed)):
            if row != last:
                found.keys.append(row)
                found.values.append(value)
                last = row
            elif (value & 3, value) < (found.values[-1] & 3, found.values[-1]):
                found.values[-1] = value  # two parts have found the same
        return found
