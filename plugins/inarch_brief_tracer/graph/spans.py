"""How much each function reaches: what everything begins with is more likely an entry than what ends somewhere."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, chain

BITS = 4_096
"""Width of the sketches: sets are counted by hashing their members to this many bits (linear counting)."""


class Callees(Mapping[int, Sequence[int]]):
    """The callees of each node, side by side in one column: of a large tree there are hundreds of thousands.

    Args:
        size: One more than the highest node.
        callers: The callers of all arcs.
        callees: Their callees, in the same order.
    """

    def __init__(self, size: int, callers: Sequence[int], callees: Sequence[int]) -> None:
        counts = array("I", bytes(4 * (size + 1)))
        for caller in callers:
            counts[caller + 1] += 1
        self._first = array("I", accumulate(counts))
        self._callees = array("I", bytes(4 * len(callees)))
        places = self._first[:]
        for caller, callee in zip(callers, callees, strict=True):
            self._callees[places[caller]] = callee
            places[caller] += 1

    def __getitem__(self, node: int) -> Sequence[int]:
        return self._callees[self._first[node] : self._first[node + 1]]

    def __iter__(self) -> Iterator[int]:
        return (node for node in range(len(self._first) - 1) if self._first[node] < self._first[node + 1])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def spans(nodes: Collection[int], callees: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Give with each node the logarithm (base 2, whole) of how many functions it reaches, itself included."""
    sketches: dict[int, int] = {}
    waiting = array("I", bytes(4 * (1 + max(chain(nodes, chain.from_iterable(callees.values())), default=0))))
    for called in callees.values():
        for node in called:
            waiting[node] += 1
    for members in components(nodes, callees):
        sketch = 0
        for node in members:
            sketch |= 1 << (node * 2_654_435_761 >> 7) % BITS
            for other in callees.get(node, ()):
                sketch |= sketches.get(other, 0)
                waiting[other] -= 1
                if not waiting[other]:
                    sketches.pop(other, None)  # all that call it are counted
        span = min(15, round(math.log2(_size(sketch.bit_count()))))
        for node in members:
            if waiting[node]:
                sketches[node] = sketch
            yield node, span


def _size(bits: int) -> float:
    return -BITS * math.log(1 - min(bits, BITS - 1) / BITS)


def components(nodes: Collection[int], callees: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Give the strongly connected components, what is called before what calls it (Tarjan, without recursion)."""
    done: set[int] = set()
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    """Both of the nodes on the path only."""
    path: list[int] = []
    for root in nodes:
        if root in done:
            continue
        work = [(root, iter(callees.get(root, ())))]
        index[root] = low[root] = len(path)
        path.append(root)
        while work:
            node, waiting = work[-1]
            for other in waiting:
                if other in done:
                    continue
                if other not in index:
                    index[other] = low[other] = len(path)
                    path.append(other)
                    work.append((other, iter(callees.get(other, ()))))
                    break
                low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = path[index[node] :]
                    del path[index[node] :]
                    done.update(members)
                    for member in members:
                        del index[member], low[member]
                    yield members
