"""What linking finds: the calls between functions, as numbers, for there may be hundreds of thousands."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.kinds import CALL_KINDS, CALLEE, CONFIDENCES
from inarch_brief.tracer.linking.linker import Linker
from inarch_brief.tracer.linking.values import File, Scope


def label(module: str, path: str, shared: Collection[str]) -> str:
    """Name a module so that no other has the name: with its path where several files claim it.

    A function is `package.module.Class.method`, nested without `<locals>`; the body of a module is `package.module`.
    """
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
class Names(Iterable[str]):
    """Names of functions and modules, each at its place; those of a file are one string, for there may be a million."""

    _files: dict[str, tuple[int, str]] = Factory(dict)
    """By the module's label the place of its first name, and the names inside, a line each; "" is the module itself."""
    size: int = 0
    lines: dict[int, int] = Factory(dict)
    """Where the functions without a name stand, by their places."""

    def add(self, module: str, inside: Sequence[str]) -> int:
        """Add a file by its module's label, and give the place of its first name."""
        first = self.size
        self._files[module] = first, "\n".join(inside)
        self.size += len(inside)
        return first

    def parts(self) -> Iterator[tuple[str, str]]:
        """Give all names in order, each as the module's label and what follows."""
        for module, (_, inside) in self._files.items():
            for name in inside.split("\n"):
                yield module, name

    def inside(self, module: str) -> Iterable[tuple[int, str]]:
        """Give the names inside a module, by its label, with their places."""
        first, inside = self._files.get(module, (0, None))
        return enumerate(inside.split("\n"), first) if inside is not None else ()

    def __iter__(self) -> Iterator[str]:
        """Give all names in order."""
        for module, name in self.parts():
            yield f"{module}.{name}" if name else module


@define(repr=False)
class Edges(Collection[Edge]):
    """Edges in order, each made when it is looked at.

    Args:
        names: Of the functions.
        keys: For each edge the places of its two names, and of its kind.
        values: For each edge its line and its confidence.
    """

    names: Names = Factory(Names)
    keys: array[int] = Factory(lambda: array("Q"))
    values: array[int] = Factory(lambda: array("I"))

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Edge]:
        """Give all edges."""
        names = list(self.names)
        for caller, callee, kind, confidence, line in self.rows():
            yield Edge(names[caller], names[callee], CALL_KINDS[kind], CONFIDENCES[confidence], line)

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Give all edges as numbers: the places of caller, callee, kind and confidence, and the line."""
        for key, value in zip(self.keys, self.values, strict=True):
            yield key >> 31, key >> 3 & CALLEE, key & 7, value & 3, value >> 2

    def leaving(self, callers: Collection[int]) -> Edges:
        """Give the edges of some callers, by the places of their names."""
        keep = bytes(place in callers for place in range(self.names.size))
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
        for scope in linker.loaded.scopes:
            if scope.outer is None:
                self._place_of(scope.file)
        scopes = linker.loaded.scopes
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
