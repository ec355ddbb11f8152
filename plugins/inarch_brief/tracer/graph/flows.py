"""The flow through a target: every entry point, the cheapest paths from there, and the target's calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from inarch_brief.tracer.facts.kinds import API, FIXTURE, HOOK, ORPHAN, TEST
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.entries import Candidate, candidates, chosen, entry, main_entries
from inarch_brief.tracer.graph.model import Below, ExecutionPath, Flow, Node, Step

Neighbours = Callable[[int], Iterable[tuple[int, int, float]]]

MAX_DEPTH = 20
MAX_SETTLED = 8_000
"""Nodes that one upward search may settle."""
MAX_POPS = 400
"""Partial paths that the search from one entry point may visit."""


class Reached(NamedTuple):
    """The nodes that reach a target: the least cost from each, its first arc, and whether that is all."""

    cost: Mapping[int, float]
    first: Mapping[int, int]
    complete: bool


class Way(NamedTuple):
    """A loop-free path as arcs in order, with their total cost."""

    arcs: tuple[int, ...]
    nodes: tuple[int, ...]
    cost: float


def reaching(
    targets: Mapping[int, float], callers: Neighbours, depth: int = MAX_DEPTH, most: int = MAX_SETTLED
) -> Reached:
    """Find every node that reaches one of the targets within `depth` calls (Dijkstra on the reversed arcs)."""
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
    """Find the k cheapest loop-free paths from a node to a target, the cheapest first."""
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


MAX_ENTRIES = 8
MAX_BELOW = 12
"""Callees shown of one function."""
_UNDECLARED = {API, ORPHAN, TEST, FIXTURE, HOOK}
"""Kinds of entry points that do not show how the program starts."""


class _Found(NamedTuple):
    """The paths from one entry point."""

    candidate: Candidate
    ways: list[Way]


def flow_to(graph: Graph, target: Node, *, entries: int = MAX_ENTRIES, k: int = 3, depth: int = MAX_DEPTH) -> Flow:
    """Find how each entry point reaches a target, and what it calls two levels down."""
    ends = ends_of(graph, target)
    reached = reaching(ends, graph.costs.into, depth)
    all_found = candidates(graph.adjacency, reached.cost, ends)
    counts: dict[str, int] = {}
    for candidate in all_found:
        counts[candidate.kind] = counts.get(candidate.kind, 0) + 1
    found = [
        _Found(candidate, ways(candidate.node, ends, graph.costs.out, reached, k, depth))
        for candidate in chosen(graph, all_found, entries)
    ]
    nodes = graph.nodes(node for item in found for way in item.ways for node in way.nodes)
    routes = []
    for item in found:
        for way in item.ways:
            steps = _steps(graph, way, nodes)
            if steps:
                routes.append(_path(graph, item.candidate.kind, steps, way.cost))
    down, more = below(graph, target)
    linked = graph.linked
    if not reached.complete:
        linked = "; ".join(filter(None, (linked, f"only the nearest {len(reached.cost):,} callers were searched")))
    known = {*ends, target.id, *(item.node for item in all_found)}
    room = max(0, entries - len(all_found)) if counts.keys() <= _UNDECLARED else 0
    likely = tuple(item for item in main_entries(graph) if item.node.id not in known)[:room] if room else ()
    more_callers = _more_callers(graph, routes)
    return Flow(target, tuple(routes), len(all_found), counts, more_callers, down, more, linked, likely)


def routes_between(graph: Graph, a: Node, b: Node, k: int = 3, depth: int = MAX_DEPTH) -> tuple[ExecutionPath, ...]:
    """Find the k cheapest paths from one function to another; the entry of each is `a`."""
    ends = ends_of(graph, b)
    reached = reaching(ends, graph.costs.into, depth)
    starts = [number for number in ends_of(graph, a) if number in reached.cost]
    found = [way for start in starts for way in ways(start, ends, graph.costs.out, reached, k, depth)]
    found.sort(key=lambda way: way.cost)
    nodes = graph.nodes(node for way in found for node in way.nodes)
    routes = []
    for way in found[:k]:
        steps = _steps(graph, way, nodes)
        if steps:
            kind = next((item.kind for item in candidates(graph.adjacency, {way.nodes[0]: 0.0})), "orphan")
            routes.append(_path(graph, kind, steps, way.cost))
    return tuple(routes)


def _path(graph: Graph, kind: str, steps: tuple[Step, ...], cost: float) -> ExecutionPath:
    start = entry(graph, steps[0].node, kind)
    return ExecutionPath(f"{start.name} → {steps[-1].node.name}", start, steps, start.node.doc, round(cost, 3))


def below(graph: Graph, node: Node, levels: int = 2, most: int = MAX_BELOW) -> tuple[tuple[Below, ...], int]:
    """Return the callees of a function and their callees, and how many are left out."""
    return _below(graph, node, levels, most, {node.id})


def _below(graph: Graph, node: Node, levels: int, most: int, told: set[int]) -> tuple[tuple[Below, ...], int]:
    starts = ends_of(graph, node) if node.kind == "class" else {node.id: 0.0}
    arcs = [arc for start in starts for arc in graph.callees(start) if arc.callee not in (start, node.id)]
    nodes = graph.nodes(arc.callee for arc in arcs)
    shown: dict[int, Step] = {}
    for arc in arcs:
        callee = nodes.get(arc.callee)
        if callee is not None and arc.callee not in shown:
            shown[arc.callee] = Step(callee, node.file, arc.line, arc.kind, arc.confidence)
    kept = list(shown.values())[:most]
    fresh = {step.node.id for step in kept} - told
    if levels > 1:
        told |= fresh
    found = []
    for step in kept:
        calls: tuple[Below, ...] = ()
        more = 0
        if levels > 1 and step.node.id in fresh:
            calls, more = _below(graph, step.node, levels - 1, most // 2, told)
        found.append(Below(step, calls, more))
    return tuple(found), len(shown) - len(kept)


def ends_of(graph: Graph, target: Node) -> dict[int, float]:
    """Return the nodes that represent a target: for a class its constructors, else its methods."""
    if target.kind != "class":
        return {target.id: 0.0}
    rows = graph.connection.execute(
        "SELECT s.id, s.name FROM symbols s JOIN symbols c ON c.file = s.file WHERE c.id = ?"
        " AND s.kind = 'method' AND s.dotted = c.dotted || '.' || s.name",
        (target.id,),
    ).fetchall()
    into = graph.adjacency.into
    made = {number: 0.0 for number, name in rows if name in ("__init__", "__new__", "__post_init__") and number in into}
    if target.id in into:
        made[target.id] = 0.0
    return made or {target.id: 0.0, **{number: 1.0 for number, _ in rows}}


def _steps(graph: Graph, way: Way, nodes: Mapping[int, Node]) -> tuple[Step, ...]:
    """Describe the nodes of a path; return nothing if one of them was deleted."""
    if any(node not in nodes for node in way.nodes):
        return ()
    steps = [Step(nodes[way.nodes[0]])]
    for number, node in zip(way.arcs, way.nodes[1:], strict=True):
        arc = graph.adjacency.arc(number)
        place = nodes[arc.caller].file
        steps.append(Step(nodes[node], place, arc.line, arc.kind, arc.confidence))
    return tuple(steps)


def _more_callers(graph: Graph, routes: Sequence[ExecutionPath]) -> dict[int, int]:
    shown: dict[int, set[int]] = {}
    for route in routes:
        for before, step in zip(route.steps, route.steps[1:], strict=False):
            shown.setdefault(step.node.id, set()).add(before.node.id)
    more = {}
    for node in {step.node.id for route in routes for step in route.steps}:
        callers = {graph.adjacency.callers[arc] for arc in graph.adjacency.into.get(node, ())}
        left = len(callers - shown.get(node, set()) - {node})
        if left:
            more[node] = left
    return more
