"""Callers in other languages than Python, against callers that were looked up by hand.

`python benchmarks/finding/languages.py [--missing]` prints how many of the callers in `callers.toml` the graph has, and
how many of those it gives are wrong. `--missing` names both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sets
from sets import Source

sys.path.append(str(sets.HERE.parent / "tracing"))

from stacks import graph_of

from inarch_brief.tracer.facts.modules import CODE
from inarch_brief.tracer.graph.call_graph import Graph

PACKAGES = (
    Source("npm", "express", "4.19.2"),
    Source("npm", "commander", "12.1.0"),
    Source("npm", "@tanstack/query-core", "5.40.0"),
    Source("pypi", "gojsonnet", "0.20.0"),
    Source("pypi", "maturin", "1.5.1"),
    Source("npm", "cordova-android", "13.0.0"),
    Source("pypi", "ujson", "5.10.0"),
    Source("pypi", "libsass", "0.23.0"),
)


def callers_of(root: Path, wanted: list[str]) -> dict[str, set[str] | None]:
    """Give the callers of functions as the graph has them; None for a function that is not found."""
    with graph_of(root) as graph:
        return {name: _callers(graph, name) for name in wanted}


def _callers(graph: Graph, wanted: str) -> set[str] | None:
    path, _, name = wanted.partition("::")
    row = graph.connection.execute(
        "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file WHERE f.path = ? AND s.dotted = ? ORDER BY s.place",
        (path, name),
    ).fetchall()
    if not row:
        return None
    numbers = {arc.caller for (number,) in row for arc in graph.callers(number)}
    nodes = graph.nodes(numbers).values()
    found = {
        f"{node.file}::{node.qualname[len(node.file.rpartition('.')[0]) + 1 :]}" for node in nodes if node.role == CODE
    }
    return {caller for caller in found if caller != wanted and not caller.startswith(("build/", f"{wanted}."))}


def callers(show: bool) -> None:
    """Print how many callers are found, and how many of those given are wrong."""
    lists: dict[str, dict[str, list[str]]] = sets.tables(sets.HERE / "callers.toml")
    right, given, wrong, missing = 0, 0, 0, 0
    for source in PACKAGES:
        package, known = source.package, lists[source.package]
        for name, found in callers_of(source.root(), list(known)).items():
            if found is None:
                print(f"    {package}: no function {name}")
            told = {_whole(caller, known[name]) for caller in found or ()}
            lost, extra = set(known[name]) - told, told - set(known[name])
            right += len(known[name]) - len(lost)
            missing += len(lost)
            given += len(told)
            wrong += len(extra)
            for caller in (*lost, *extra) if show else ():
                print(f"    {package}: {name} {'lacks' if caller in lost else 'has'} {caller}")
    share = wrong / max(1, given)
    known_of = right + missing
    print(f"callers: {right} of {known_of} found ({right / known_of:.0%}), {wrong} of {given} wrong ({share:.0%})")


def _whole(caller: str, known: list[str]) -> str:
    """Give the function that counts for one inside it."""
    return next((name for name in known if caller.startswith(f"{name}.")), caller)


if __name__ == "__main__":
    callers("--missing" in sys.argv)
