"""How much each function reaches: what everything begins with is more likely an entry than what ends somewhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

BITS = 4_096
"""Width of the sketches: sets are counted by hashing their members to this many bits (linear counting)."""


def spans(nodes: Collection[int], callees: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Give the logarithm (base 2, whole) of how many functions each one reaches, itself included."""
    sketches: dict[int, int] = {}
    found: dict[int, int] = {}
    waiting = Counter(chain.from_iterable(callees.values()))
    for members in components(nodes, callees):
        sketch = 0
        for node in members:
            sketch |= 1 << (node * 2_654_435_761 >> 7) % BITS
            for other in callees.get(node, ()):
                sketch |= sketches.get(other, 0)
                waiting[other] -= 1
                if not waiting[other]:
                    sketches.pop(other, None)  # all that call it are counted
        for node in members:
            if waiting[node]:
                sketches[node] = sketch
        span = min(15, round(math.log2(_size(sketch.bit_count()))))
        found.update(dict.fromkeys(members, span))
    return found


def _size(bits: int) -> float:
    return -BITS * math.log(1 - min(bits, BITS - 1) / BITS)


def components(nodes: Collection[int], callees: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Give the strongly connected components, what is called before what calls it (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(callees.get(root, ())))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            node, waiting = work[-1]
            for other in waiting:
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(callees.get(other, ()))))
                    break
                if other in on_path and index[other] < low[node]:
                    low[node] = index[other]
            else:
                work.pop()
                if work and low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
                if low[node] == index[node]:
                    members: list[int] = []
                    while not members or members[-1] != node:
                        members.append(path.pop())
                    on_path.difference_update(members)
                    yield members
