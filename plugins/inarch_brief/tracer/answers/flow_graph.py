"""The functions and calls of a flow that a chart or picture has room for, and their columns."""

from __future__ import annotations

from itertools import pairwise

from attrs import Factory, define

from inarch_brief.tracer.answers.flow_text import ordered
from inarch_brief.tracer.facts.kinds import FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.graph.model import Entry, Flow, Node, Step

MOST_NODES = 40
_MOST_TESTS = 6
"""Paths from tests and from functions without callers."""

Item = int | tuple[int, int, int]
"""An item of a column: a function, or a call (caller, callee, column) that passes through."""


@define(eq=False, repr=False)
class FlowGraph:
    """Functions and entry points by their numbers, calls by both ends, and the calls that do not close a circle."""

    nodes: dict[int, Node] = Factory(dict)
    entries: dict[int, Entry] = Factory(dict)
    calls: dict[tuple[int, int], Step] = Factory(dict)
    forward: list[tuple[int, int]] = Factory(list)
    left_out: int = 0

    def columns(self) -> list[list[Item]]:
        """Put each function right of its callers, each column in the order of its neighbours."""
        layer = dict.fromkeys(self.nodes, 0)
        for _ in layer:
            for caller, callee in self.forward:
                layer[callee] = max(layer[callee], layer[caller] + 1)
        columns: list[list[Item]] = [[] for _ in range(max(layer.values()) + 1)]
        for number, place in layer.items():
            columns[place].append(number)
        beside: dict[Item, set[Item]] = {}
        for caller, callee in self.forward:
            passed: list[Item] = [(caller, callee, place) for place in range(layer[caller] + 1, layer[callee])]
            for place, item in enumerate(passed, layer[caller] + 1):
                columns[place].append(item)
            for left, right in pairwise((caller, *passed, callee)):
                beside.setdefault(left, set()).add(right)
                beside.setdefault(right, set()).add(left)
        for _ in range(4):
            for fixed, moved in (*pairwise(columns), *pairwise(reversed(columns))):
                rank = {item: place / len(fixed) for place, item in enumerate(fixed)}
                own = {item: place / len(moved) for place, item in enumerate(moved)}
                near = {item: [rank[one] for one in beside.get(item, ()) if one in rank] or [own[item]] for item in own}
                moved.sort(key=lambda item: sum(near[item]) / len(near[item]))
        return columns

    def _add(self, caller: Node, step: Step) -> None:
        ends = (caller.id, step.node.id)
        self.nodes.update({caller.id: caller, step.node.id: step.node})
        if ends not in self.calls:
            self.calls[ends] = step
            if not self._leads(ends[1], ends[0]):
                self.forward.append(ends)

    def _leads(self, start: int, end: int) -> bool:
        found, waiting = {start}, [start]
        for number in waiting:
            waiting += {callee for caller, callee in self.forward if caller == number} - found
            found.update(waiting)
        return end in found


def graph_of(flow: Flow) -> FlowGraph:
    """Choose whole paths, best first, then calls of the target, up to `MOST_NODES` functions."""
    graph, routes = FlowGraph(), ordered(flow.routes)
    tests = [route for route in routes if route.entry.kind in (FIXTURE, ORPHAN, TEST)][_MOST_TESTS:]
    for route in routes:
        steps = route.steps[-MOST_NODES:]
        if route not in tests and len(graph.nodes.keys() | {step.node.id for step in steps}) <= MOST_NODES:
            graph.nodes.setdefault(steps[0].node.id, steps[0].node)
            graph.entries.setdefault(steps[0].node.id, route.entry)
            # From the target on: then each function on a path has one that leads to the target without a circle.
            for before, step in reversed(list(pairwise(steps))):
                graph._add(before.node, step)
    waiting = [(flow.target, item) for item in flow.down]
    for caller, item in waiting:
        if item.step.node.id in graph.nodes or len(graph.nodes) < MOST_NODES:
            graph._add(caller, item.step)
            waiting += [(item.step.node, below) for below in item.calls]
    graph.nodes = graph.nodes or {flow.target.id: flow.target}
    known = {step.node.id for step in flow.steps} | graph.nodes.keys()
    graph.left_out = len(known) - len(graph.nodes) + max(0, flow.entry_count - len(flow.entries)) + flow.more_below
    return graph
