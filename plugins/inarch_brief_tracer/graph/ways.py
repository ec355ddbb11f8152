"""Ways through a graph: from a target up to everything that reaches it, and the cheapest from one node to it.

Graphs here are given by functions, so that the search can be tried on any: `callers(node)` and `callees(node)` give
(arc, other node, cost) triples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

Neighbours = Callable[[int], Iterable[tuple[int, int, float]]]

MAX_DEPTH = 20
MAX_SETTLED = 8_000
"""Nodes that one search upwards may settle."""
MAX_POPS = 400
"""Partial ways that the search for one entry's ways may look at."""


class Reached(NamedTuple):
    """What reaches a target: the least cost from each node, the arc to take first, and whether that is all."""

    cost: Mapping[int, float]
    first: Mapping[int, int]
    complete: bool


class Way(NamedTuple):
    """A loop-free way as arcs in order, with what they cost together."""

    arcs: tuple[int, ...]
    nodes: tuple[int, ...]
    cost: float


def reaching(
    targets: Mapping[int, float], callers: Neighbours, depth: int = MAX_DEPTH, most: int = MAX_SETTLED
) -> Reached:
    """Find everything that reaches one of the targets within `depth` calls (Dijkstra on the reversed arcs).

    Args:
        targets: Where ways end, with what ending there costs.
        callers: Arcs into a node.
        depth: Calls on the cheapest way at most.
        most: Nodes to settle; the cheapest are.
    """
    best: dict[int, float] = {}
    first: dict[int, int] = {}
    tentative = dict(targets)
    queue: list[tuple[float, int, int, int]] = [(cost, 0, node, -1) for node, cost in sorted(targets.items())]
    while queue:
        cost, length, node, arc = heappop(queue)
        if node in best:
            continue
        best[node] = cost
        if arc >= 0:
            first[node] = arc
        if len(best) >= most:
            return Reached(best, first, not queue)
        if length == depth:
            continue
        for number, other, more in callers(node):
            total = cost + more
            if other not in best and total < tentative.get(other, float("inf")):
                tentative[other] = total
                heappush(queue, (total, length + 1, other, number))
    return Reached(best, first, True)


def ways(
    start: int, targets: Mapping[int, float], callees: Neighbours, reached: Reached, k: int = 3, depth: int = MAX_DEPTH
) -> list[Way]:
    """Find the k cheapest loop-free ways from a node to a target, the cheapest first.

    Partial ways are extended best first; what is left of each costs at least what the search upwards found, so the
    first ones to arrive are the cheapest (A* with an exact estimate).
    """
    rest = reached.cost
    if start not in rest:
        return []
    found: list[Way] = []
    seen: set[tuple[int, ...]] = set()
    queue: list[tuple[float, int, tuple[int, ...], tuple[int, ...], float]] = [(rest[start], 0, (start,), (), 0.0)]
    pops = 0
    while queue and len(found) < k and pops < MAX_POPS:
        _, _, nodes, arcs, cost = heappop(queue)
        pops += 1
        node = nodes[-1]
        if node in targets:
            if nodes not in seen:
                seen.add(nodes)
                found.append(Way(arcs, nodes, cost + targets[node]))
            continue
        if len(arcs) == depth:
            continue
        for number, other, more in callees(node):
            ahead = rest.get(other)
            if ahead is not None and other not in nodes:
                heappush(queue, (cost + more + ahead, -len(arcs) - 1, (*nodes, other), (*arcs, number), cost + more))
    return found
