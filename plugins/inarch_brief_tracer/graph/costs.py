"""What a step of a route costs: unsure calls, busy hubs and tests are ways that one would rather not show."""

from __future__ import annotations

import math
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief_tracer.facts.nature import TEST_SIDE
from inarch_brief_tracer.graph.arcs import Adjacency


class Weights(NamedTuple):
    """Costs in steps: an exact plain call costs `step`."""

    step: float = 1.0
    confidence: tuple[float, float, float, float] = (0.0, 0.3, 0.8, 3.0)
    """Of an exact, an inferred, a call to one of several overrides, and one found by name alone."""
    kind: tuple[float, ...] = (0.0, 0.2, 0.2, 0.5, 0.5, 0.5)
    into: float = 0.25
    """For each doubling of the callers that the callee has: none of many callers is the way."""
    out: float = 0.0
    """For each doubling of what the caller calls."""
    tests: float = 2.0
    """For a way through tests or examples."""


WEIGHTS = Weights()

Priced = tuple[int, int, float]
"""An arc, the node at its other end, and its cost."""


@define(eq=False, repr=False)
class Costs:
    """The cost of each arc, worked out when first asked for."""

    adjacency: Adjacency
    weights: Weights = WEIGHTS
    _known: dict[int, float] = Factory(dict)
    _marks: list[float] = Factory(list)
    _into: dict[int, list[Priced]] = Factory(dict)
    _out: dict[int, list[Priced]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        weights = self.weights
        self._marks = [
            weights.step + weights.kind[kind] + confidence for kind in range(6) for confidence in weights.confidence
        ]

    def of(self, arc: int) -> float:
        """Give the cost of an arc."""
        known = self._known.get(arc)
        if known is None:
            known = self._known[arc] = self._worked_out(arc)
        return known

    def into(self, node: int) -> list[Priced]:
        """Give the arcs into a node with the callers."""
        known = self._into.get(node)
        if known is None:
            callers = self.adjacency.callers
            arcs = self.adjacency.into.get(node, ())
            known = self._into[node] = [(arc, callers[arc], self.of(arc)) for arc in arcs]
        return known

    def out(self, node: int) -> list[Priced]:
        """Give the arcs out of a node with the callees."""
        known = self._out.get(node)
        if known is None:
            callees = self.adjacency.callees
            arcs = self.adjacency.out.get(node, ())
            known = self._out[node] = [(arc, callees[arc], self.of(arc)) for arc in arcs]
        return known

    def _worked_out(self, arc: int) -> float:
        adjacency, weights = self.adjacency, self.weights
        caller, callee = adjacency.callers[arc], adjacency.callees[arc]
        cost = self._marks[adjacency.marks[arc]]
        cost += weights.into * math.log2(len(adjacency.into[callee]))
        cost += weights.out * math.log2(len(adjacency.out[caller]))
        if adjacency.nature.get(caller, 0) & TEST_SIDE:
            cost += weights.tests
        return cost
