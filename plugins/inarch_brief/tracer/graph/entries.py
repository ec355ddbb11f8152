"""Entry points among the nodes: their kinds, and the choice of those to show."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import NamedTuple

from inarch_brief.tracer.facts.file_facts import (
    BODY,
    EXPORTED,
    FIXTURE_FUNCTION,
    PUBLIC,
    SPECIAL,
    TEST_FUNCTION,
    TEST_SIDE,
    TOP,
)
from inarch_brief.tracer.facts.kinds import API, CALLS_IT, DECORATED, FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.graph.arcs import Adjacency
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.model import RANKS, Entry, Gate, Node

_OF_ONE_CLASS = 2
"""Public functions of a class or module that are shown before those of others."""
_MOST_NODES = 8_000
"""The largest tree, in functions, whose main entry points are searched."""
_MOST_REACHED = 256
_ITSELF = 4.0
"""The bonus of a public target as its own entry point."""


class Candidate(NamedTuple):
    """A node that may be shown as an entry point. A smaller `order` is chosen sooner."""

    node: int
    kind: str
    order: float
    inside: int = 0

    @property
    def place(self) -> tuple[int, int, float, int]:
        """The sort key of the chosen candidates."""
        return RANKS[self.kind], self.inside, self.order, self.node


def kind_of(adjacency: Adjacency, node: int) -> str | None:
    """Return the most telling kind of entry point that a node is, or None."""
    gates = adjacency.gates.get(node)
    # A method that a library calls is entered through the library's caller, if that is known.
    if gates and not (gates[0].how.endswith(CALLS_IT) and node in adjacency.into):
        return gates[0].kind
    nature = adjacency.nature.get(node, 0)
    if nature & TEST_FUNCTION:
        return TEST
    if nature & FIXTURE_FUNCTION:
        return FIXTURE
    if nature & TEST_SIDE:
        return None if node in adjacency.into else ORPHAN
    if nature & (EXPORTED | PUBLIC | SPECIAL) and not nature & BODY:
        return API
    return None if node in adjacency.into else ORPHAN


def prominence(adjacency: Adjacency, node: int) -> float:
    """Return how likely a public function is the start of a program: the lower, the likelier (in steps)."""
    known = adjacency.prominences.get(node)
    if known is None:
        known = adjacency.prominences[node] = _prominence(adjacency, node)
    return known


def _prominence(adjacency: Adjacency, node: int) -> float:
    nature = adjacency.nature.get(node, 0)
    shown = inside = 0
    for arc in adjacency.into.get(node, ()):
        caller = adjacency.callers[arc]
        around = adjacency.nature.get(caller, 0)
        if around & TEST_SIDE or (around & BODY and caller in adjacency.gates):
            shown += 1
        else:
            inside += 1
    order = 0.3 * math.log2(1 + inside) if inside else -3.0
    order -= 2.0 * math.log2(1 + shown)
    order -= 0.25 * bool(nature & TOP) + 0.25 * bool(nature & EXPORTED)
    order -= 3.0 if nature & PUBLIC else 2.0 if nature & SPECIAL else 0.0
    return order + (3.0 if nature & BODY else 0.0)


def candidates(adjacency: Adjacency, costs: Mapping[int, float], targets: Collection[int] = ()) -> list[Candidate]:
    """Return the entry points among the nodes that reach the targets, the most useful first."""
    found = []
    first = {*targets, *_wrappers(adjacency, targets)}
    for node, cost in costs.items():
        kind = kind_of(adjacency, node)
        if kind is not None:
            if kind in (API, ORPHAN):
                cost = 0.75 * cost + prominence(adjacency, node) - (_ITSELF if node in first else 0.0)
                inside = 2 if node in targets else int(node in adjacency.into)
                found.append(Candidate(node, kind, cost, inside))
            else:
                found.append(Candidate(node, kind, cost))
    found.sort(key=lambda item: (RANKS[item.kind], item.order, item.node))
    return found


def _wrappers(adjacency: Adjacency, targets: Collection[int]) -> Iterator[int]:
    """Yield the wrappers that decorators put in place of targets, if only those call them."""
    for target in targets:
        callers = {adjacency.callers[arc] for arc in adjacency.into.get(target, ())}
        if len(callers) <= 2:
            yield from (caller for caller in callers if adjacency.nature.get(caller, 0) & SPECIAL)


def chosen(graph: Graph, found: Sequence[Candidate], most: int) -> list[Candidate]:
    """Choose the candidates to show, so that neither a kind, a class nor tests crowd out the rest."""
    declared, late = _spread([item for item in found if item.kind not in (API, ORPHAN)], max(1, most // 5), _kind)
    others = sorted((item for item in found if item.kind in (API, ORPHAN)), key=lambda item: (item.order, item.node))
    nodes = graph.nodes(item.node for item in others[: 4 * most])
    near, far = _spread(others[: 4 * most], _OF_ONE_CLASS, lambda item: _around(nodes.get(item.node)))
    others = [*near, *far, *others[4 * most :]]
    kept = declared[: max(most - len(others), most - most // 2)]
    kept += others[: most - len(kept)]
    kept += [*declared[len(kept) :], *late][: most - len(kept)] if len(kept) < most else []
    return sorted(dict.fromkeys(kept), key=lambda item: item.place)


def _spread(
    items: Sequence[Candidate], most: int, group: Callable[[Candidate], str]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the first items of each group, and the rest."""
    counts: dict[str, int] = {}
    first: list[Candidate] = []
    later: list[Candidate] = []
    for item in items:
        name = group(item)
        counts[name] = counts.get(name, 0) + 1
        (first if counts[name] <= most else later).append(item)
    return first, later


def _kind(item: Candidate) -> str:
    return item.kind


def _around(node: Node | None) -> str:
    return node.qualname.rpartition(".")[0] if node else ""


def _span(adjacency: Adjacency, node: int) -> int:
    """Return the logarithm (base 2) of the number of functions that a node reaches, up to a limit."""
    reached, waiting = {node}, [node]
    while waiting and len(reached) < _MOST_REACHED:
        fresh = {adjacency.callees[arc] for arc in adjacency.out.get(waiting.pop(), ())} - reached
        reached |= fresh
        waiting += fresh
    return round(math.log2(len(reached)))


def main_entries(graph: Graph, most: int = 4) -> list[Entry]:
    """Return the likeliest entry points of a whole tree: one of each name and class, few of each folder."""
    adjacency = graph.adjacency
    if not adjacency.begins and len(adjacency.nature) <= _MOST_NODES:
        adjacency.begins = [node.id for node in _begins(graph, most)]
    return [entry(graph, node, API) for node in graph.nodes(adjacency.begins).values()]


def _begins(graph: Graph, most: int) -> list[Node]:
    adjacency = graph.adjacency
    public = [node for node in adjacency.nature if kind_of(adjacency, node) == API]
    public.sort(key=lambda node: (prominence(adjacency, node) - _span(adjacency, node), node))
    found: list[Node] = []
    counts: dict[tuple[str, str], int] = {}
    for node in graph.nodes(public[: 50 * most]).values():
        own = (("name", node.qualname.rpartition(".")[2]), ("class", _around(node)), ("folder", dirname(node.file)))
        is_new = not any(counts.get(mark, 0) >= (3 if mark[0] == "folder" else 1) for mark in own)
        if is_new and not own[0][1].startswith("__"):
            found.append(node)
            counts.update((mark, counts.get(mark, 0) + 1) for mark in own)
    return found[:most]


def entry(graph: Graph, node: Node, kind: str) -> Entry:
    """Describe a node as an entry point."""
    gates = graph.adjacency.gates.get(node.id, ())
    gate = next((gate for gate in gates if gate.kind == kind), None)
    if gate is not None:
        return Entry(node, kind, gate.name, RANKS[kind], gate.how)
    return Entry(node, kind, node.name, RANKS[kind], _HOW.get(kind, ""))


_HOW = {TEST: "test", FIXTURE: "fixture", API: "public", ORPHAN: "no known caller"}


def listed(graph: Graph, kind: str | None = None, limit: int = 200) -> tuple[list[Entry], dict[str, int]]:
    """Return the entry points of the tree, the most telling kinds first, and the total of each kind."""
    if kind in DECORATED:
        return _decorated(graph, kind, limit)
    adjacency = graph.adjacency
    found: list[tuple[int, float, int, str, Gate | None]] = []
    for node, gates in adjacency.gates.items():
        found += [(gate.rank, 0.0, node, gate.kind, gate) for gate in gates]
    for node in adjacency.nature:
        if node in adjacency.gates:
            continue
        own = kind_of(adjacency, node)
        if own is None or (own == API and node in adjacency.into and not adjacency.nature[node] & EXPORTED):
            continue
        found.append((RANKS[own], prominence(adjacency, node) if own == API else 0.0, node, own, None))
    totals: dict[str, int] = {}
    for row in found:
        totals[row[3]] = totals.get(row[3], 0) + 1
    found = sorted((row for row in found if kind in (None, row[3])), key=lambda row: row[:3])[:limit]
    nodes = graph.nodes(row[2] for row in found)
    entries = []
    for rank, _, number, own, gate in found:
        known = nodes.get(number)
        if known is not None:
            entries.append(Entry(known, own, gate.name, rank, gate.how) if gate else entry(graph, known, own))
    return entries, {name: totals[name] for name in sorted(totals, key=RANKS.__getitem__)}


def _decorated(graph: Graph, kind: str, limit: int) -> tuple[list[Entry], dict[str, int]]:
    """Return the functions with a decorator of that name, and of tests those that linking has seen."""
    rows = graph.shelf.connection.execute(
        "SELECT s.id, e.how FROM entries e JOIN files f ON f.id = e.file"
        " JOIN symbols s ON s.file = e.file AND s.place = e.place WHERE e.kind = ? ORDER BY f.path, e.line",
        (kind,),
    )
    hows: dict[int, str] = dict(rows.fetchall())
    tests = [node for node, nature in graph.adjacency.nature.items() if nature & FIXTURE_FUNCTION]
    numbers = [*hows, *(node for node in tests if kind == FIXTURE and node not in hows)]
    nodes = graph.nodes(numbers[:limit])
    made = [nodes[number] for number in numbers[:limit] if number in nodes]
    found = [Entry(node, kind, node.name, RANKS[kind], hows.get(node.id, kind)) for node in made]
    return found, {kind: len(numbers)} if numbers else {}
