"""The functions that edits touched, and the entry points and tests that reach them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from inarch import ToolFailed
from inarch_brief.tracer.answers.flow_words import count, plain
from inarch_brief.tracer.facts.kinds import API, FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.entries import candidates, entry
from inarch_brief.tracer.graph.flows import reaching
from inarch_brief.tracer.graph.model import Node
from inarch_brief.tracer.indexing.index import Coverage, Look

if TYPE_CHECKING:
    from inarch_brief.tracer.answers.tracer_tools import Desk

SECONDS = 1.0
"""The longest wait at the end of a turn."""
MAX_NAMED = 3
MAX_TEST_FILES = 4


def impact_of(desk: Desk, changed: Mapping[str, Sequence[str]]) -> str | None:
    """Sum up which entry points and tests reach the edits. Return None if they touched no known function.

    Args:
        desk: Holds the index.
        changed: The new texts of each file, "" for a whole file.
    """
    workspace = desk.workspace
    if workspace is None:
        return None
    deadline = time.monotonic() + SECONDS

    def answer(graph: Graph, coverage: Coverage) -> str | None:
        nodes = [node for path, texts in changed.items() for node in touched(graph, path, texts)]
        whole = [path for path, texts in changed.items() if "" in texts]
        return impact(graph, nodes, whole) if nodes else None

    try:
        return Look(workspace, stop=lambda: time.monotonic() > deadline).graph(desk.index, answer)
    except ToolFailed:
        return None


def touched(graph: Graph, path: str, texts: Sequence[str]) -> list[Node]:
    """Return the innermost functions of a file that contain the texts now, or all for a whole file."""
    rows = graph.connection.execute(
        "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file WHERE f.path = ?"
        " AND s.kind IN ('function', 'method')",
        (path,),
    ).fetchall()
    nodes = list(graph.nodes(row[0] for row in rows).values())
    if "" in texts:
        return nodes
    source = (graph.shelf.read(path) or b"").decode("utf-8", "replace")
    found: dict[int, Node] = {}
    for first, last in (span for text in texts for span in _lines_of(source, text)):
        around = [node for node in nodes if node.line <= last and first <= node.end]
        inner = [node for node in around if not any(_is_inside(other, node, first, last) for other in around)]
        found.update((node.id, node) for node in inner)
    return list(found.values())


def _lines_of(source: str, text: str) -> Iterator[tuple[int, int]]:
    wanted = text.replace("\r\n", "\n").strip("\n")
    start = source.find(wanted)
    while wanted and start >= 0:
        first = source.count("\n", 0, start) + 1
        yield first, first + wanted.count("\n")
        start = source.find(wanted, start + len(wanted))


def _is_inside(inner: Node, outer: Node, first: int, last: int) -> bool:
    """Return whether an inner function contains all the changed lines."""
    return inner.id != outer.id and outer.line <= inner.line <= first and last <= inner.end <= outer.end


def impact(graph: Graph, nodes: Sequence[Node], whole: Sequence[str] = ()) -> str:
    """Describe the entry points and tests that reach some functions. Public functions count if there are no others."""
    adjacency, cost = graph.adjacency, graph.costs.of

    def callers(node: int) -> Iterable[tuple[int, int, float]]:
        return [(number, adjacency.callers[number], cost(number)) for number in adjacency.into.get(node, ())]

    reached = reaching({node.id: 0.0 for node in nodes}, callers)
    kinds = {candidate.node: candidate.kind for candidate in candidates(adjacency, reached.cost)}
    chosen = [number for number, kind in kinds.items() if kind not in (TEST, FIXTURE, ORPHAN, API)]
    chosen = chosen or [number for number, kind in kinds.items() if kind == API]
    tests = graph.nodes(number for number, kind in kinds.items() if kind == TEST).values()
    names = [plain(entry(graph, node, kinds[number]).name) for number, node in graph.nodes(chosen).items()]
    texts = [*(f"the whole of {path}" for path in whole), *(node.name for node in nodes if node.file not in whole)]
    parts = ", ".join(plain(text) for text in texts[:MAX_NAMED])
    more = f" and {len(texts) - MAX_NAMED:,} more" if len(texts) > MAX_NAMED else ""
    listed = f" ({', '.join(names)})" if 0 < len(names) <= MAX_NAMED else ""
    reach = f"{count(len(tests), 'test reaches', 'tests reach')} it" if tests else "no test reaches it"
    text = f"this change ({parts}{more}) is on {count(len(names), 'entry path')}{listed}, {reach}"
    files = sorted({node.file for node in tests})
    if 0 < len(files) <= MAX_TEST_FILES and all(path.endswith(".py") for path in files):
        text += f"; to run: pytest {' '.join(plain(path) for path in files)}"
    return text + (f" ({graph.linked})" if graph.linked else "")
