"""Which functions some edits touched, and what reaches them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from inarch import ToolFailed
from inarch_brief_tracer.answers.wording import count, plain
from inarch_brief_tracer.facts.changed_functions import changed_lines
from inarch_brief_tracer.facts.entry_kinds import API, FIXTURE, ORPHAN, TEST
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.entries import candidates, entry
from inarch_brief_tracer.graph.model import Node
from inarch_brief_tracer.graph.ways import reaching
from inarch_brief_tracer.indexing.index import Coverage
from inarch_brief_tracer.indexing.looking import Look

if TYPE_CHECKING:
    from inarch_brief_tracer.answers.tools import Desk

SECONDS = 1.0
"""How long the end of a turn may wait."""
MAX_NAMED = 3
MAX_TEST_FILES = 4


class Impact(NamedTuple):
    """What reaches some functions."""

    touched: tuple[Node, ...]
    whole: tuple[str, ...]
    """Files that were written anew, and what they held is not known."""
    entries: tuple[str, ...]
    tests: tuple[Node, ...]


def impact_of(desk: Desk, changed: Mapping[str, Sequence[str]], before: Mapping[str, bytes]) -> str | None:
    """Sum up which entry paths and tests changes are on; None where nothing that is known was touched.

    Args:
        desk: Where the index is found.
        changed: The texts put into each file, "" for a whole file.
        before: What files held, as far as that is known.
    """
    workspace = desk.workspace
    if workspace is None:
        return None
    deadline = time.monotonic() + SECONDS
    look = Look(workspace, stop=lambda: time.monotonic() > deadline)

    def answer(graph: Graph, coverage: Coverage) -> str | None:
        nodes = [node for path, texts in changed.items() for node in touched(graph, path, texts, before.get(path))]
        if not nodes:
            return None
        whole = tuple(path for path, texts in changed.items() if "" in texts and path not in before)
        return summed_up(impact(graph, nodes, whole), graph.linked)

    try:
        return look.graph(desk.index, answer)
    except ToolFailed:
        return None


def touched(graph: Graph, path: str, texts: Sequence[str], before: bytes | None = None) -> list[Node]:
    """Give the functions of a file in which some texts stand now.

    Where the whole file was written these are the ones that are not what they were, and all if that is not known.
    """
    rows = graph.connection.execute(
        "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file WHERE f.path = ?"
        " AND s.kind IN ('function', 'method')",
        (path,),
    ).fetchall()
    nodes = list(graph.nodes(row[0] for row in rows).values())
    data = graph.shelf.read(path) or b""
    lines = changed_lines(before, data) if before is not None and "" in texts else None
    if lines is not None:
        spans = [(line, line) for line in lines]
    else:
        source = data.decode("utf-8", "replace")
        spans = [span for text in texts for span in _lines_of(source, text)]
    found = [node for node in nodes if any(node.line <= last and first <= node.end for first, last in spans)]
    return [node for node in found if not _is_around(node, found, spans)]


def _lines_of(source: str, text: str) -> Iterable[tuple[int, int]]:
    wanted = text.replace("\r\n", "\n").strip("\n")
    if not wanted.strip():
        yield 1, source.count("\n") + 1
        return
    start = source.find(wanted)
    while start >= 0:
        first = source.count("\n", 0, start) + 1
        yield first, first + wanted.count("\n")
        start = source.find(wanted, start + len(wanted))


def _is_around(node: Node, others: Sequence[Node], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether all that was changed in a function lies in functions inside it."""
    inner = [other for other in others if other.id != node.id and node.line <= other.line and other.end <= node.end]
    own = [
        (max(first, node.line), min(last, node.end)) for first, last in spans if node.line <= last and first <= node.end
    ]
    return bool(inner) and all(any(other.line <= first and last <= other.end for other in inner) for first, last in own)


def impact(graph: Graph, nodes: Sequence[Node], whole: tuple[str, ...] = ()) -> Impact:
    """Find the entries and tests that reach some functions; public functions count where nothing else does."""
    adjacency, cost = graph.adjacency, graph.costs.of

    def callers(node: int) -> Iterable[tuple[int, int, float]]:
        return [(number, adjacency.callers[number], cost(number)) for number in adjacency.into.get(node, ())]

    found = candidates(adjacency, reaching({node.id: 0.0 for node in nodes}, callers).cost)
    kinds = {candidate.node: candidate.kind for candidate in found}
    chosen = [number for number, kind in kinds.items() if kind not in (TEST, FIXTURE, ORPHAN, API)]
    chosen = chosen or [number for number, kind in kinds.items() if kind == API]
    tests = graph.nodes(number for number, kind in kinds.items() if kind == TEST)
    names = tuple(entry(graph, node, kinds[number]).name for number, node in graph.nodes(chosen).items())
    return Impact(tuple(nodes), whole, names, tuple(tests.values()))


def summed_up(found: Impact, linked: str) -> str:
    """Write it in one line."""
    named = [node for node in found.touched if node.file not in found.whole]
    texts = [*(f"the whole of {path}" for path in found.whole), *(node.name for node in named)]
    touched = ", ".join(plain(text) for text in texts[:MAX_NAMED])
    more = f" and {len(texts) - MAX_NAMED:,} more" if len(texts) > MAX_NAMED else ""
    names = (
        f" ({', '.join(plain(name) for name in found.entries[:MAX_NAMED])})"
        if 0 < len(found.entries) <= MAX_NAMED
        else ""
    )
    reach = f"{count(len(found.tests), 'test reaches', 'tests reach')} it" if found.tests else "no test reaches it"
    text = f"this change ({touched}{more}) is on {count(len(found.entries), 'entry path')}{names}, {reach}"
    files = sorted({node.file for node in found.tests})
    if 0 < len(files) <= MAX_TEST_FILES and all(path.endswith(".py") for path in files):
        text += f"; to run: pytest {' '.join(plain(path) for path in files)}"
    return text + (f" ({linked})" if linked else "")
