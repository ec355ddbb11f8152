"""A tree whose graph can be looked at."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from inarch_brief_tracer.graph.flow import flow_to
from inarch_brief_tracer.graph.graph import Graph
from inarch_brief_tracer.graph.model import Flow
from inarch_brief_tracer.index import Coverage, Index
from inarch_brief_tracer.rows import Shelf
from inarch_brief_tracer.store import Store

from ...forking import LONGEST_S

Arcs = set[tuple[str, str, str, str, int]]


def arcs_of(graph: Graph) -> Arcs:
    adjacency = graph.adjacency
    arcs = [adjacency.arc(number) for number in range(len(adjacency))]
    nodes = graph.nodes({end for arc in arcs for end in (arc.caller, arc.callee)})
    return {
        (nodes[arc.caller].qualname, nodes[arc.callee].qualname, arc.kind, arc.confidence, arc.line)
        for arc in arcs
        if arc.caller in nodes and arc.callee in nodes
    }


class Linked:
    """One process that links a tree and looks at what came out."""

    def __init__(self, tree: Any, cache: str | None = None, seconds: float = 60.0) -> None:
        self.tree = tree
        folder = str(tree.cache) if cache is None else cache
        self.index = Index(Store(folder, str(tree.root)), 60.0, seconds)

    @contextmanager
    def graph(self) -> Iterator[tuple[Graph, Coverage]]:
        workspace = self.tree.workspace()

        def read(path: str) -> bytes | None:
            file = self.tree.root / path
            return file.read_bytes() if file.is_file() else None

        try:
            with self.index.opened(workspace, linked=True) as (connection, coverage):
                yield self.index.links.graph(Shelf(connection, read), coverage.linked), coverage
        finally:
            workspace.close()

    def flow(self, name: str, **more: Any) -> Flow:
        with self.graph() as (graph, _):
            (target,) = graph.find(name)
            return flow_to(graph, target, **more)

    def chains(self, name: str, **more: Any) -> list[str]:
        """Give the routes to a function as text: `a > b > c`."""
        return [" > ".join(step.node.qualname for step in route.steps) for route in self.flow(name, **more).routes]

    def arcs(self) -> Arcs:
        with self.graph() as (graph, _):
            return arcs_of(graph)

    def whole_arcs(self) -> Arcs:
        """Give the arcs once nobody else writes and every file was linked with the whole tree: a slow machine waits."""
        end = time.monotonic() + LONGEST_S
        links = self.index.links
        while True:
            with self.graph() as (graph, coverage):
                if coverage.note is None and links.whole == links.version(graph.shelf.connection):
                    return arcs_of(graph)
            assert time.monotonic() < end, coverage
            time.sleep(0.02)

    def close(self) -> None:
        self.index.links.close()


@pytest.fixture
def linking(tree: Any) -> Iterator[Callable[..., Linked]]:
    """Make processes over the tree; their background work ends with the test."""
    made: list[Linked] = []

    def make(**more: Any) -> Linked:
        made.append(Linked(tree, **more))
        return made[-1]

    yield make
    for linked in made:
        linked.close()
