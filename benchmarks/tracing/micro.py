"""The PyCG micro-benchmark: 118 snippets with all their edges.

`python benchmarks/tracing/micro.py [-v]` prints how many snippets have no false edge (complete), how many miss none
(sound), and precision and recall over all edges. Calls of names outside a snippet count as the benchmark writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sources import fetch_sdist, read_tree

from inarch_brief_tracer.linking.budget import Budget
from inarch_brief_tracer.linking.link import link


def expected_edges(folder: Path) -> set[tuple[str, str]]:
    graph = json.loads((folder / "callgraph.json").read_text())
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def found_edges(folder: Path, without: frozenset[str] = frozenset()) -> set[tuple[str, str]]:
    """Give the edges in the benchmark's form: lambdas are numbered, calls that run no function are left out."""
    files = read_tree(folder)
    linked = link(files, Budget(outside=True, numbered=True, without=without))
    return {(edge.caller, edge.callee) for edge in linked.edges}


def main(arguments: list[str]) -> int:
    verbose = "-v" in arguments
    root = fetch_sdist("pycg", "0.0.8") / "micro-benchmark" / "snippets"
    complete = sound = right = false = lost = count = 0
    for path in sorted(root.glob("*/*/callgraph.json")):
        folder, count = path.parent, count + 1
        expected, found = expected_edges(folder), found_edges(folder)
        complete += found <= expected
        sound += expected <= found
        right += len(found & expected)
        false += len(found - expected)
        lost += len(expected - found)
        if verbose and found != expected:
            print(folder.relative_to(root))
            for mark, edges in (("+", found - expected), ("-", expected - found)):
                for caller, callee in sorted(edges):
                    print(f"  {mark} {caller} -> {callee}")
    precision, recall = 100 * right / (right + false), 100 * right / (right + lost)
    print(f"{count} snippets: complete {complete}, sound {sound}; precision {precision:.1f}, recall {recall:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
