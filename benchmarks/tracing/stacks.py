"""Shown paths against the stacks that were seen while packages' own tests ran.

    python benchmarks/tracing/stacks.py [--printed] [--untouched] [PACKAGE ...]

A recording holds, for each function, the stack of package functions when it was first called. Asked for the function,
is the stack's first function among the entries that are shown (20 at most), and is the stack itself, loops cut out,
among the 3 paths shown for that entry? Only the package is indexed, without its tests and examples. `--printed` looks
at the first 8 entries that an answer prints, those to which no way is known among them, `--untouched` at packages that
are never tuned on.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recorded import HERE, PACKAGES, UNTOUCHED, fetch_sdist

import inarch
from inarch_brief.tracer.answers.flow_text import listed, ordered
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.flows import flow_to
from inarch_brief.tracer.graph.model import Flow
from inarch_brief.tracer.indexing.index import Index, Look
from inarch_brief.tracer.store.database import Store
from inarch_brief.tracer.store.kept_files import Shelf
from inarch_plugins.sandbox_fs import inarch_workspaces

ENTRIES, PRINTED, PATHS = 20, 8, 3
Score = tuple[bool, bool]
"""Whether the entry is found, and the path."""


@contextmanager
def graph_of(root: Path) -> Iterator[Graph]:
    """Index and link a tree in memory."""
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(root)))
    workspace = spec.open(str(root))
    index = Index(Store("", str(root)), 600.0, 600.0)
    try:
        with index.opened(Look(workspace), linked=True) as (connection, coverage):
            yield index.links.graph(Shelf(connection, lambda path: (root / path).read_bytes()), coverage.linked)
    finally:
        index.links.close()
        workspace.close()


@contextmanager
def tree_of(name: str) -> Iterator[Path]:
    """Return the folder to index: a copy of the package alone."""
    sdist = fetch_sdist(name, {**PACKAGES, **UNTOUCHED}[name])
    base = sdist / "src" if (sdist / "src" / name).is_dir() else sdist
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


def judged(graph: Graph, name: str, stack: list[str], entries: int) -> Score:
    """Ask for a function, and compare what is shown with its stack."""
    target = next((node for node in graph.find(name) if node.qualname == name), None)
    if target is None:
        return False, False
    flow = flow_to(graph, target, entries=entries, k=PATHS)
    names = [route.entry.node.qualname for route in flow.routes]
    if entries == PRINTED:
        names = printed(flow)
    shown = [route for route in flow.routes if route.entry.node.qualname == stack[0] in names]
    return stack[0] in names, stack in [[step.node.qualname for step in route.steps] for route in shown]


def printed(flow: Flow) -> list[str]:
    """Name the first entries that the text of an answer has, in its order."""
    routes = ordered(flow.routes)
    if not routes:
        return []
    found = listed(flow, routes)
    entries = [route.entry for route in (routes[0], *found.further, *found.on_the_way)]
    return list(dict.fromkeys(entry.node.qualname for entry in (*entries, *found.likely)))[:PRINTED]


def written(scores: list[Score]) -> str:
    count = max(1, len(scores))
    entries, paths = (sum(score[place] for score in scores) / count for place in (0, 1))
    return f"{len(scores):5} stacks  entry {entries:6.1%}  path {paths:6.1%}"


def main(arguments: list[str]) -> None:
    pinned = UNTOUCHED if "--untouched" in arguments else PACKAGES
    names = [name for name in arguments if not name.startswith("-")] or list(pinned)
    entries = PRINTED if "--printed" in arguments else ENTRIES
    every: list[Score] = []
    for name in names:
        chains = json.loads((HERE / f"{name}.json").read_text())["chains"]
        with tree_of(name) as root, graph_of(root) as graph:
            stacks = {target: without_loops([str(frame) for frame, _ in chain]) for target, chain in chains.items()}
            found = [judged(graph, target, stack, entries) for target, stack in stacks.items()]
        print(f"{name:9} {written(found)}", flush=True)
        every += found
    print(f"pooled    {written(every)}")


if __name__ == "__main__":
    main(sys.argv[1:])
