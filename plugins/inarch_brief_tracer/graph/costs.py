"""What a step of a path costs: unsure calls, busy hubs and tests are ways that one would rather not show."""

from __future__ import annotations

import math

from attrs import Factory, define

from inarch_brief_tracer.facts.nature import TEST_SIDE
from inarch_brief_tracer.graph.arcs import Adjacency

_KINDS = (0.0, 0.2, 0.2, 0.5, 0.5, 0.5)
"""In steps, beside the one that each costs: of a call, a property, a dunder, a decorator, a callback, a framework."""
_CONFIDENCES = (0.0, 0.3, 0.8, 3.0)
"""Of an exact, an inferred, a call to one of several overrides, and one found by name alone."""
_INTO = 0.25
"""For each doubling of the callers that the callee has: none of many callers is the way."""
_TESTS = 2.0
"""For a way through tests or examples."""

Priced = tuple[int, int, float]
"""An arc, the node at its other end, and its cost."""


@define(eq=False, repr=False)
class Costs:
    """The cost of each arc, worked out when first asked for."""

    adjacency: Adjacency
    _known: dict[int, float] = Factory(dict)
    _into: dict[int, list[Priced]] = Factory(dict)
    _out: dict[int, list[Priced]] = Factory(dict)

    def of(self, arc: int) -> float:
        """Give the cost of an arc."""
        known = self._known.get(arc)
        if known is None:
            mark, into = self.adjacency.marks[arc], self.adjacency.into[self.adjacency.callees[arc]]
            known = 1.0 + _KINDS[mark // 4] + _CONFIDENCES[mark % 4] + _INTO * math.log2(len(into))
            if self.adjacency.nature.get(self.adjacency.callers[arc], 0) & TEST_SIDE:
                known += _TESTS
            self._known[arc] = known
        return known

    def into(self, node: int) -> list[Priced]:
        """Give the arcs into a node with the callers."""
        if node not in self._into:
            callers = self.adjacency.callers
            self._into[node] = [(arc, callers[arc], self.of(arc)) for arc in self.adjacency.into.get(node, ())]
        return self._into[node]

    def out(self, node: int) -> list[Priced]:
        """Give the arcs out of a node with the callees."""
        if node not in self._out:
            callees = self.adjacency.callees
            self._out[node] = [(arc, callees[arc], self.of(arc)) for arc in self.adjacency.out.get(node, ())]
        return self._out[node]
