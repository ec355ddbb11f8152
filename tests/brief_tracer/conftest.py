"""A tree of files in the real workspace, the tracer's tools over it, and its graph."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import Factory, define

import inarch
from inarch_brief.tracer import inarch_tools
from inarch_brief.tracer.answers.tracer_settings import Settings
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.flows import flow_to
from inarch_brief.tracer.graph.model import Flow
from inarch_brief.tracer.indexing.index import Coverage, Index, Look
from inarch_brief.tracer.store.database import Store
from inarch_brief.tracer.store.kept_files import Shelf
from inarch_plugins.sandbox_fs import inarch_workspaces

from ..forking import LONGEST_S

Ask = Callable[..., Any]
Arcs = set[tuple[str, str, str, str, int]]


@define
class Call:
    """What a running call is given, as far as the tracer looks at it."""

    workspace: Any
    turn_id: str = "turn"
    cancelled: threading.Event = Factory(threading.Event)
    earlier: tuple[Any, ...] = ()


@define
class Tree:
    """A folder with files, and the tools that look at it."""

    root: Path
    cache: Path
    seconds: float = 60.0

    def write(self, files: Mapping[str, str | bytes]) -> Tree:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def workspace(self) -> Any:
        (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(self.root)))
        return spec.open(str(self.root))

    def tools(self) -> dict[str, inarch.Tool]:
        context = inarch.PluginContext(
            "brief-tracer", str(self.root), settings=Settings(index_seconds=self.seconds), cache_dir=str(self.cache)
        )
        return {tool.name: tool for tool in inarch_tools(context)}

    def ask(self, name: str, **arguments: Any) -> Any:
        """Ask once, as a new process would."""
        return self.asking()(name, **arguments)

    def asking(self) -> Ask:
        """Ask several times, as one process with a turn a question would."""
        tools = self.tools()

        def ask(name: str, **arguments: Any) -> Any:
            workspace = self.workspace()
            call: Any = Call(workspace, turn_id=inarch.new_id())
            try:
                return tools[name].run(arguments, call)
            finally:
                workspace.close()

        return ask

    def names(self, query: str, **more: Any) -> list[str]:
        return [symbol["qualname"] for symbol in self.ask("find_symbols", query=query, **more)["symbols"]]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    root = tmp_path / "root"
    root.mkdir()
    yield Tree(root, tmp_path / "cache")


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
            with self.index.opened(Look(workspace), linked=True) as (connection, coverage):
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
