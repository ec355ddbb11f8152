"""Arcs in memory for path search: from both ends, each with its cost."""

from __future__ import annotations

import math
import sqlite3
from array import array
from collections import defaultdict

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import SHIFT, TEST_SIDE
from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES
from inarch_brief.tracer.graph.model import Arc, Gate


@define(eq=False, repr=False)
class Adjacency:
    """All arcs of a tree as columns, with lookups from both ends. An arc's number is its index in the columns."""

    callers: array[int] = Factory(lambda: array("I"))
    callees: array[int] = Factory(lambda: array("I"))
    lines: array[int] = Factory(lambda: array("I"))
    marks: array[int] = Factory(lambda: array("B"))
    nature: dict[int, int] = Factory(dict)
    into: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    out: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    gates: dict[int, list[Gate]] = Factory(dict)
    """Entry points of each node, the most telling first."""
    prominences: dict[int, float] = Factory(dict)
    """Cached prominence of nodes."""
    begins: list[int] = Factory(list)
    """The likeliest entry points of the tree, after the first request."""

    def __len__(self) -> int:
        return len(self.callers)

    def arc(self, number: int) -> Arc:
        """Return an arc by its number."""
        mark = self.marks[number]
        return Arc(
            self.callers[number], self.callees[number], CALL_KINDS[mark // 4], CONFIDENCES[mark % 4], self.lines[number]
        )


def adjacency(connection: sqlite3.Connection) -> Adjacency:
    """Read the calls and natures of all linked files, and the entry points."""
    whole = Adjacency()
    rows = connection.execute("SELECT caller, callee, line, kind * 4 + confidence FROM calls")
    for number, (caller, callee, line, mark) in enumerate(rows):
        whole.callers.append(caller)
        whole.callees.append(callee)
        whole.lines.append(line)
        whole.marks.append(mark)
        if caller != callee:
            whole.into[callee].append(number)
            whole.out[caller].append(number)
    natures = f"SELECT id, flags >> {SHIFT} FROM symbols NATURAL JOIN linked WHERE kind != 'constant'"
    whole.nature.update(connection.execute(natures))
    for gate in connection.execute("SELECT symbol, kind, name, how FROM gates ORDER BY rowid"):
        whole.gates.setdefault(gate[0], []).append(Gate(*gate))
    for gates in whole.gates.values():
        gates.sort(key=lambda gate: gate.rank)
    return whole


_KINDS = (0.0, 0.2, 0.2, 0.5, 0.5, 0.5)
"""Extra cost in steps of a call, a property, a dunder, a decorator, a callback, and a framework call."""
_CONFIDENCES = (0.0, 0.3, 0.8, 3.0)
"""Extra cost of an exact call, an inferred one, one of several overrides, and a match by name alone."""
_INTO = 0.25
"""Extra cost for each doubling of the callee's callers: a widely used function says little about the path."""
_TESTS = 2.0
"""Extra cost of a path through tests or examples."""

Priced = tuple[int, int, float]
"""An arc, the node at its other end, and its cost."""


@define(eq=False, repr=False)
class Costs:
    """The cost of each arc, computed on demand."""

    adjacency: Adjacency
    _known: dict[int, float] = Factory(dict)
    _into: dict[int, list[Priced]] = Factory(dict)
    _out: dict[int, list[Priced]] = Factory(dict)

    def of(self, arc: int) -> float:
        """Return the cost of an arc."""
        known = self._known.get(arc)
        if known is None:
            mark, into = self.adjacency.marks[arc], self.adjacency.into[self.adjacency.callees[arc]]
            known = 1.0 + _KINDS[mark // 4] + _CONFIDENCES[mark % 4] + _INTO * math.log2(len(into))
            if self.adjacency.nature.get(self.adjacency.callers[arc], 0) & TEST_SIDE:
                known += _TESTS
            self._known[arc] = known
        return known

    def into(self, node: int) -> list[Priced]:
        """Return the arcs into a node with the callers."""
        if node not in self._into:
            callers = self.adjacency.callers
            self._into[node] = [(arc, callers[arc], self.of(arc)) for arc in self.adjacency.into.get(node, ())]
        return self._into[node]

    def out(self, node: int) -> list[Priced]:
        """Return the arcs out of a node with the callees."""
        if node not in self._out:
            callees = self.adjacency.callees
            self._out[node] = [(arc, callees[arc], self.of(arc)) for arc in self.adjacency.out.get(node, ())]
        return self._out[node]
