"""The calls between functions, stored as numbers, because there may be hundreds of thousands."""

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
    """Return a unique name of a module, with its path if several files claim the module.

    A function is `package.module.Class.method`, nested without `<locals>`; the body of a module is `package.module`.
    """
    return f"{path}:{module}" if module in shared else module


def shared_modules(files: Mapping[str, tuple[str, object]]) -> frozenset[str]:
    """Return the module names that several files claim, from the modules by path."""
    counts = Counter(module for module, _ in files.values())
    return frozenset(module for module, count in counts.items() if count > 1)


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


@define(repr=False)
class Names(Iterable[str]):
    """Numbered names of functions and modules. Those of a file are one string, because there may be a million."""

    _files: dict[str, tuple[int, str]] = Factory(dict)
    """For each module label the number of its first name, and its names, one a line; "" is the module itself."""
    size: int = 0
    lines: dict[int, int] = Factory(dict)
    """Lines of the functions without a name, by their numbers."""

    def add(self, module: str, inside: Sequence[str]) -> int:
        """Add a file by its module's label, and return the number of its first name."""
        first = self.size
        self._files[module] = first, "\n".join(inside)
        self.size += len(inside)
        return first

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield all names in order, each as the module's label and the name inside."""
        for module, (_, inside) in self._files.items():
            for name in inside.split("\n"):
                yield module, name

    def inside(self, module: str) -> Iterable[tuple[int, str]]:
        """Return the names inside a module, by its label, with their numbers."""
        first, inside = self._files.get(module, (0, None))
        return enumerate(inside.split("\n"), first) if inside is not None else ()

    def __iter__(self) -> Iterator[str]:
        """Yield all names in order."""
        for module, name in self.parts():
            yield f"{module}.{name}" if name else module


@define(repr=False)
class Edges(Collection[Edge]):
    """Edges in order, each created on access.

    Args:
        names: Of the functions.
        keys: For each edge the numbers of caller and callee, and of its kind.
        values: For each edge its line and its confidence.
    """

    names: Names = Factory(Names)
    keys: array[int] = Factory(lambda: array("Q"))
    values: array[int] = Factory(lambda: array("I"))

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Edge]:
        """Yield all edges."""
        names = list(self.names)
        for caller, callee, kind, confidence, line in self.rows():
            yield Edge(names[caller], names[callee], CALL_KINDS[kind], CONFIDENCES[confidence], line)

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield all edges as numbers: caller, callee, kind, confidence, line."""
        for key, value in zip(self.keys, self.values, strict=True):
            yield key >> 31, key >> 3 & CALLEE, key & 7, value & 3, value >> 2

    def leaving(self, callers: Collection[int]) -> Edges:
        """Return the edges of some callers, by their numbers."""
        keep = bytes(place in callers for place in range(self.names.size))
        kept = [place for place, key in enumerate(self.keys) if keep[key >> 31]]
        keys, values = array("Q", map(self.keys.__getitem__, kept)), array("I", map(self.values.__getitem__, kept))
        return Edges(self.names, keys, values)

    def __contains__(self, edge: object) -> bool:
        return any(edge == other for other in self)


class Linked(NamedTuple):
    """The result of linking."""

    edges: Edges
    complete: bool
    """Whether the worklist is empty."""
    work: int
    """Statements evaluated."""
    notes: tuple[str, ...] = ()


LOOSE = 50_000
"""The most edges kept in a dictionary, which takes ten times the memory of packed ones."""


@define(eq=False, repr=False)
class Findings:
    """Functions and edges linked so far, by the functions' numbers.

    Args:
        shared: Names that several files claim as modules.
    """

    shared: frozenset[str]
    complete: bool = True
    """Whether every unit that needed another visit got one."""
    work: int = 0
    """Statements evaluated."""
    _names: Names = Factory(Names)
    _first: dict[str, int] = Factory(dict)
    """The number of a file's first name, by its path."""
    _again: dict[int, int] = Factory(dict)
    """For each repeated definition in a file, the number of the first one of that name."""
    _edges: dict[int, int] = Factory(dict)
    _packed: list[tuple[array[int], array[int]]] = Factory(list)

    def take(self, linker: Linker) -> None:
        """Take over the linker's edges, so that it may forget the loaded files."""
        for scope in linker.loaded.scopes:
            if scope.outer is None:
                self._place_of(scope.file)
        scopes = linker.loaded.scopes
        for key, value in linker.edges.items():
            self.add(self.number(scopes[key >> 31]), self.number(scopes[key >> 3 & CALLEE]), key & 7, value)
        linker.edges.clear()

    def number(self, scope: Scope) -> int:
        """Return the number of a function's name."""
        place = self._place_of(scope.file) + scope.id - scope.file.first
        return self._again.get(place, place)

    def _place_of(self, file: File) -> int:
        """Return the number of a file's first name; the first call adds its names."""
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
        """Record an edge between two functions. The highest confidence wins, then the first line."""
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
        """Return all edges in order."""
        self._pack()
        found = Edges(self._names)
        last = -1
        for row, value in merge(*(zip(*columns, strict=True) for columns in self._packed)):
            if row != last:
                found.keys.append(row)
                found.values.append(value)
                last = row
            elif (value & 3, value) < (found.values[-1] & 3, found.values[-1]):
                found.values[-1] = value  # two parts found the same
        return found
