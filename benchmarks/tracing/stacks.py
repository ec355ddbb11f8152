"""Shown paths against the stacks that were seen while packages' own tests ran.

    python benchmarks/tracing/stacks.py [-v] [--whole] [--printed] [--untouched] [PACKAGE ...]

A recording holds, for each function, the stack of package functions when it was first called. Asked for the function,
is the stack's first function among the entries that are shown (20 at most), and is the stack itself, loops cut out,
among the 3 paths shown for that entry?
Without `--whole` only the package is indexed, else the whole source distribution with its tests and examples.
`--printed` looks at the 8 entries that an answer prints, `--untouched` at packages that nobody tunes on.
`-v` says what keeps the others from being found, by kind.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from recorded import PACKAGES, UNTOUCHED
from sources import HERE, fetch_sdist

import inarch
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.flows import flow_to
from inarch_brief_tracer.indexing.index import Index
from inarch_brief_tracer.store.database import Store
from inarch_brief_tracer.store.kept_files import Shelf
from inarch_sandbox_fs import inarch_workspaces

ENTRIES, PRINTED, PATHS = 20, 8, 3


class Score(NamedTuple):
    """How many stacks there are, with the entry found, with the path found."""

    stacks: int = 0
    entries: int = 0
    paths: int = 0

    def __add__(self, other: object) -> Score:
        assert isinstance(other, Score)
        return Score(self.stacks + other.stacks, self.entries + other.entries, self.paths + other.paths)

    def __str__(self) -> str:
        if not self.stacks:
            return "none"
        return f"{self.stacks:5} stacks  entry {self.entries / self.stacks:6.1%}  path {self.paths / self.stacks:6.1%}"


@contextmanager
def graph_of(root: Path) -> Iterator[Graph]:
    """Index and link a tree in memory."""
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(root)))
    workspace = spec.open(str(root))
    index = Index(Store("", str(root)), 600.0, 600.0)
    try:
        with index.opened(workspace, linked=True) as (connection, coverage):
            yield index.links.graph(Shelf(connection, lambda path: (root / path).read_bytes()), coverage.linked)
    finally:
        index.links.close()
        workspace.close()


@contextmanager
def tree_of(name: str, whole: bool) -> Iterator[Path]:
    """Give the folder to index: a copy of the package alone, or the source distribution."""
    sdist = fetch_sdist(name, {**PACKAGES, **UNTOUCHED}[name])
    base = sdist / "src" if (sdist / "src" / name).is_dir() else sdist
    if whole:
        yield sdist
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(base / name, Path(folder, name))
        yield Path(folder)


def without_loops(stack: list[str]) -> list[str]:
    """Cut out what lies between two frames of the same function."""
    found: list[str] = []
    for name in stack:
        if name in found:
            del found[found.index(name) + 1 :]
        else:
            found.append(name)
    return found


def measure(
    graph: Graph, chains: dict[str, list[list[object]]], missed: Counter[str], entries: int = ENTRIES
) -> tuple[Score, Score]:
    """Score all stacks, and those of two functions and more, by as many entries as are looked at."""
    every, long = Score(), Score()
    for name, chain in chains.items():
        stack = without_loops([str(frame) for frame, _ in chain])
        score, reason = _one(graph, name, stack, entries)
        missed[reason] += 1
        every += score
        if len(stack) > 1:
            long += score
    return every, long


def _one(graph: Graph, name: str, stack: list[str], entries: int) -> tuple[Score, str]:
    target = next((node for node in graph.find(name) if node.qualname == name), None)
    if target is None:
        return Score(1), "the function is not in the graph"
    flow = flow_to(graph, target, entries=entries, k=PATHS)
    shown = [route for route in flow.routes if route.entry.node.qualname == stack[0]]
    if not shown:
        return Score(1), _why(graph, stack, flow.entry_count > entries)
    if stack in [[step.node.qualname for step in route.steps] for route in shown]:
        return Score(1, 1, 1), "found"
    return Score(1, 1), _gap(graph, stack) or "other paths are cheaper"


def _why(graph: Graph, stack: list[str], are_more: bool) -> str:
    gap = _gap(graph, stack)
    return f"no entry: {gap}" if gap else f"no entry: {'others come first' if are_more else 'it is taken for none'}"


def _gap(graph: Graph, stack: list[str]) -> str:
    """Say if a call of the stack is not in the graph."""
    ids = [next((node.id for node in graph.find(name) if node.qualname == name), 0) for name in stack]
    for caller, callee in pairwise(ids):
        if callee not in {graph.adjacency.callees[arc] for arc in graph.adjacency.out.get(caller, ())}:
            return "a call is not in the graph"
    return ""


def main(arguments: list[str]) -> None:
    """Measure packages and print a row each."""
    pinned = UNTOUCHED if "--untouched" in arguments else PACKAGES
    names = [name for name in arguments if not name.startswith("-")] or list(pinned)
    entries = PRINTED if "--printed" in arguments else ENTRIES
    every, long = Score(), Score()
    missed: Counter[str] = Counter()
    for name in names:
        chains = json.loads((HERE / f"{name}.json").read_text())["chains"]
        with tree_of(name, "--whole" in arguments) as root, graph_of(root) as graph:
            found, longer = measure(graph, chains, missed, entries)
        print(f"{name:9} all {found}    of two functions and more {longer}")
        every, long = every + found, long + longer
    print(f"pooled    all {every}    of two functions and more {long}")
    if "-v" in arguments:
        for reason, count in missed.most_common():
            print(f"{count:6}  {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
