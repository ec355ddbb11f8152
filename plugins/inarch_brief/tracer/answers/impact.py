"""The functions that edits touched, and the entry points and tests that reach them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from inarch import ProposedFile, ToolFailed
from inarch_brief.tracer.answers.flow_words import count, plain
from inarch_brief.tracer.facts.kinds import API, FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.entries import candidates, entry
from inarch_brief.tracer.graph.flows import reaching
from inarch_brief.tracer.graph.model import Node
from inarch_brief.tracer.indexing.index import Look

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

    def answer(graph: Graph) -> str | None:
        nodes = [node for path, texts in changed.items() for node in touched(graph, path, texts)]
        whole = [path for path, texts in changed.items() if "" in texts]
        return impact(graph, nodes, whole) if nodes else None

    return _looked(desk, answer)


def foresee(desk: Desk, file: ProposedFile) -> str | None:
    """Return which entry points and tests reach what an edit would change; None if that is not a known function."""
    lines = changed_lines(file.before or "", file.after)

    def answer(graph: Graph) -> str | None:
        nodes = _around(_functions(graph, file.path), [lines])
        return reach(graph, nodes) if nodes else None

    return _looked(desk, answer) if file.before else None


def _looked(desk: Desk, answer: Callable[[Graph], str | None]) -> str | None:
    if desk.workspace is None:
        return None
    deadline = time.monotonic() + SECONDS
    look = Look(desk.workspace, stop=lambda: time.monotonic() > deadline)
    try:
        return look.graph(desk.index, lambda graph, coverage: answer(graph))
    except ToolFailed:
        return None


def changed_lines(before: str, after: str) -> tuple[int, int]:
    """Return the first and last line of a text that an edit changes, from 1.

    >>> changed_lines("a\\nb\\nc\\n", "a\\nB\\nc\\n")
    (2, 2)
    """
    old, new = before.splitlines(), after.splitlines()
    most = min(len(old), len(new))
    head = next((place for place in range(most) if old[place] != new[place]), most)
    tail = next((place for place in range(most - head) if old[-1 - place] != new[-1 - place]), most - head)
    return head + 1, max(len(old) - tail, head + 1)


def touched(graph: Graph, path: str, texts: Sequence[str]) -> list[Node]:
    """Return the innermost functions of a file that contain the texts now, or all for a whole file."""
    nodes = _functions(graph, path)
    if "" in texts:
        return nodes
    source = (graph.shelf.read(path) or b"").decode("utf-8", "replace")
    return _around(nodes, [span for text in texts for span in _lines_of(source, text)])


def _functions(graph: Graph, path: str) -> list[Node]:
    rows = graph.connection.execute(
        "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file WHERE f.path = ?"
        " AND s.kind IN ('function', 'method')",
        (path,),
    ).fetchall()
    return list(graph.nodes(row[0] for row in rows).values())


def _around(nodes: Sequence[Node], spans: Iterable[tuple[int, int]]) -> list[Node]:
    """Return the innermost functions that contain the lines."""
    found: dict[int, Node] = {}
    for first, last in spans:
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
    """Describe the entry points and tests that reach some functions."""
    texts = [*(f"the whole of {path}" for path in whole), *(node.name for node in nodes if node.file not in whole)]
    parts = ", ".join(plain(text) for text in texts[:MAX_NAMED])
    more = f" and {len(texts) - MAX_NAMED:,} more" if len(texts) > MAX_NAMED else ""
    return f"this change ({parts}{more}) is {reach(graph, nodes)}"


def reach(graph: Graph, nodes: Sequence[Node]) -> str:
    """Describe what reaches some functions: `reached from …; 1 test reaches it: pytest …`.

    Public functions count as entry points if there are no others.
    """
    adjacency, cost = graph.adjacency, graph.costs.of

    def callers(node: int) -> Iterable[tuple[int, int, float]]:
        return [(number, adjacency.callers[number], cost(number)) for number in adjacency.into.get(node, ())]

    reached = reaching({node.id: 0.0 for node in nodes}, callers)
    kinds = {candidate.node: candidate.kind for candidate in candidates(adjacency, reached.cost)}
    chosen = [number for number, kind in kinds.items() if kind not in (TEST, FIXTURE, ORPHAN, API)]
    chosen = chosen or [number for number, kind in kinds.items() if kind == API]
    tests = graph.nodes(number for number, kind in kinds.items() if kind == TEST).values()
    names = [plain(entry(graph, node, kinds[number]).name) for number, node in graph.nodes(chosen).items()]
    listed = f"{', '.join(names[:MAX_NAMED])}{' …' if len(names) > MAX_NAMED else ''}"
    from_ = f"`{names[0]}`" if len(names) == 1 else f"{len(names):,} entry points ({listed})"
    text = f"reached from {from_ if names else 'no entry point'}; "
    text += f"{count(len(tests), 'test reaches', 'tests reach')} it" if tests else "no test reaches it"
    files = sorted({node.file for node in tests})
    if 0 < len(files) <= MAX_TEST_FILES and all(path.endswith(".py") for path in files):
        text += f", to run: pytest {' '.join(plain(path) for path in files)}"
    return text + (f" ({graph.linked})" if graph.linked else "")
