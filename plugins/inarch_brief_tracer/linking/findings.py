"""What linking found so far, as numbers: there may be hundreds of thousands of edges."""

from __future__ import annotations

from array import array

from attrs import Factory, define

from inarch_brief_tracer.linking.edge_kinds import CALL_KINDS, CALLEE
from inarch_brief_tracer.linking.edges import Edges, Fn
from inarch_brief_tracer.linking.linker import Linker
from inarch_brief_tracer.linking.values import Scope


@define(eq=False, repr=False)
class Findings:
    """Functions and edges of what was linked so far; edges as numbers, of which there may be hundreds of thousands."""

    functions: list[Fn] = Factory(list)
    complete: bool = True
    """Whether all was looked at again that had to be."""
    work: int = 0
    """Statements evaluated."""
    _numbers: dict[str, int] = Factory(dict)
    _edges: dict[int, int] = Factory(dict)
    _packed: list[tuple[array[int], array[int]]] = Factory(list)
    """Edges that were found before, a dozen bytes each: in a dictionary they take ten times as much."""

    def take(self, linker: Linker, scopes: list[Scope]) -> None:
        """Take over what the linker found, so that it may forget the scopes."""
        self.functions += [Fn(scope.file.path, scope.qualname, scope.facts.line) for scope in scopes]
        self.take_edges(linker)

    def take_edges(self, linker: Linker) -> None:
        """Take over the edges that the linker found."""
        for key, value in linker.edges.items():
            self._add(linker.scopes[key >> 31].qualname, linker.scopes[key >> 3 & CALLEE].qualname, key & 7, value)
        for number, name, line in linker.outside_edges:
            self._add(linker.scopes[number].qualname, name, 0, line << 2)
        linker.edges.clear()
        linker.outside_edges.clear()

    def number(self, name: str) -> int:
        """Give the number of a function by its name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def _add(self, caller: str, callee: str, kind: int, value: int) -> None:
        self.add(self.number(caller), self.number(callee), kind, value)

    def add(self, caller: int, callee: int, kind: int, value: int) -> None:
        """Note an edge between two numbers; the surest reading counts, and of these the first line."""
        row = (caller << 28 | callee) << 3 | kind
        known = self._edges.get(row)
        if known is None or (value & 3, value) < (known & 3, known):
            self._edges[row] = value

    def pack(self) -> None:
        """Put what was found so far by: a part of a large tree is done with."""
        self._packed.append((array("Q", self._edges), array("I", self._edges.values())))
        self._edges.clear()

    def edges(self) -> Edges:
        """Give all edges in order, and forget them."""
        names = list(self._numbers)
        order = sorted(range(len(names)), key=names.__getitem__)
        places = array("I", bytes(4 * len(names)))
        for place, number in enumerate(order):
            places[number] = place
        kinds = [sorted(CALL_KINDS).index(kind) for kind in CALL_KINDS]
        self.pack()
        rows = [
            ((places[key >> 31] << 28 | places[key >> 3 & CALLEE]) << 3 | kinds[key & 7]) << 32
            | (value & 3) << 30
            | value >> 2
            for numbers, values in self._packed
            for key, value in zip(numbers, values, strict=True)
        ]
        rows.sort()
        self._numbers.clear()
        self._packed.clear()
        found = Edges([names[number] for number in order])
        last = -1
        for row in rows:
            # Two parts may have found the same: the surest counts, and of these the first line.
            if row >> 32 != last:
                last = row >> 32
                found.keys.append(last)
                found.values.append((row & 0x3FFFFFFF) << 2 | row >> 30 & 3)
        return found
