"""What is not known of a target yet, or can't be: said instead of left to be taken for knowledge."""

from __future__ import annotations

from inarch_brief_tracer.answers.wording import plain
from inarch_brief_tracer.facts.entry_kinds import ORPHAN
from inarch_brief_tracer.facts.file_facts import FULL, LIGHT
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.model import Flow, Node
from inarch_brief_tracer.indexing.index import UNINDEXED

_UNLINKED = "SELECT 1 FROM files f WHERE f.level = ? AND NOT EXISTS (SELECT 1 FROM arcs a WHERE a.file = f.id) LIMIT 1"


def unread(graph: Graph, node: Node) -> str:
    """Say that the calls of a function are not known, as its file is not parsed; "" where it is."""
    row = graph.connection.execute("SELECT level, unparsable FROM files WHERE path = ?", (node.file,)).fetchone()
    if row is None or row[0] != LIGHT:
        return ""
    why = "can't be parsed" if row[1] else "is too large to be parsed"
    return f"{plain(node.file)} {why}: who calls {plain(node.name)} and what it calls is not known"


def as_known(graph: Graph, flow: Flow) -> Flow:
    """Leave out that nothing calls a function where what would is not linked yet."""
    alone = all(route.entry.kind == ORPHAN and len(route.steps) == 1 for route in flow.routes)
    if alone and flow.linked and (UNINDEXED in flow.linked or _is_unlinked(graph)):
        return flow._replace(routes=(), entry_count=0, entry_counts={})
    return flow


def _is_unlinked(graph: Graph) -> bool:
    return graph.connection.execute(_UNLINKED, (FULL,)).fetchone() is not None
