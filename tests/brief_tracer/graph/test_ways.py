"""Ways through random graphs: real, loop-free, cheapest first, and all that brute force finds."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.tracer.graph.flows import Neighbours, reaching, ways

Edges = list[tuple[int, int, float]]

edges = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from((0.5, 1.0, 1.5, 4.0))), max_size=22
).map(lambda found: [edge for edge in found if edge[0] != edge[1]])


def both(found: Edges) -> tuple[Neighbours, Neighbours]:
    def callers(node: int) -> Iterable[tuple[int, int, float]]:
        return [(number, edge[0], edge[2]) for number, edge in enumerate(found) if edge[1] == node]

    def callees(node: int) -> Iterable[tuple[int, int, float]]:
        return [(number, edge[1], edge[2]) for number, edge in enumerate(found) if edge[0] == node]

    return callers, callees


def brute_force(found: Edges, start: int, end: int) -> dict[tuple[int, ...], float]:
    """Give every loop-free way by its nodes, with the least it costs."""
    ways_: dict[tuple[int, ...], float] = {}

    def go(nodes: tuple[int, ...], cost: float) -> None:
        if nodes[-1] == end:
            ways_[nodes] = min(cost, ways_.get(nodes, float("inf")))
            return
        for caller, callee, more in found:
            if caller == nodes[-1] and callee not in nodes:
                go((*nodes, callee), cost + more)

    go((start,), 0.0)
    return ways_


@given(edges, st.integers(0, 7))
def test_everything_that_reaches_a_target_is_found(found: Edges, target: int) -> None:
    callers, _ = both(found)
    reached = reaching({target: 0.0}, callers)
    expected = {node for node in range(8) if brute_force(found, node, target)}
    assert set(reached.cost) == expected and reached.complete
    for node, cost in reached.cost.items():
        assert cost == min(brute_force(found, node, target).values())


@given(edges, st.integers(0, 7), st.integers(0, 7), st.integers(1, 4))
def test_ways_are_the_cheapest_loop_free_ones(found: Edges, start: int, target: int, k: int) -> None:
    callers, callees = both(found)
    reached = reaching({target: 0.0}, callers)
    got = ways(start, {target: 0.0}, callees, reached, k)
    expected = brute_force(found, start, target)
    costs = [way.cost for way in got]
    assert costs == sorted(costs)
    assert costs == sorted(expected.values())[:k]
    assert len({way.nodes for way in got}) == len(got)
    for way in got:
        assert len(set(way.nodes)) == len(way.nodes)
        assert way.nodes[0] == start and way.nodes[-1] == target
        ends = [found[arc][:2] for arc in way.arcs]
        assert ends == list(zip(way.nodes, way.nodes[1:], strict=False))
        assert way.cost == sum(found[arc][2] for arc in way.arcs) == expected[way.nodes]


@given(edges, st.integers(0, 7), st.integers(0, 3))
def test_no_way_is_longer_than_its_depth(found: Edges, target: int, depth: int) -> None:
    callers, callees = both(found)
    reached = reaching({target: 0.0}, callers, depth)
    for start in reached.cost:
        assert all(len(way.arcs) <= depth for way in ways(start, {target: 0.0}, callees, reached, 3, depth))


def test_long_chains_and_wide_hubs_end() -> None:
    chain = [(number, number + 1, 1.0) for number in range(30)]
    callers, callees = both(chain)
    reached = reaching({30: 0.0}, callers)
    assert min(reached.cost) == 10
    assert ways(9, {30: 0.0}, callees, reached) == []
    hub = [(left, right, 1.0) for left in range(40) for right in range(40) if left != right]
    callers, callees = both(hub)
    reached = reaching({0: 0.0}, callers)
    assert [way.cost for way in ways(5, {0: 0.0}, callees, reached)] == [1.0, 2.0, 2.0]
