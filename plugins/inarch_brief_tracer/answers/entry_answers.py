"""What `find_entry_points` answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from inarch import ToolContext
from inarch_brief_tracer.answers.tool_look import look
from inarch_brief_tracer.finding.entry_listing import entries
from inarch_brief_tracer.indexing.index import Coverage, Index
from inarch_brief_tracer.store.kept_files import Shelf, state

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph

FURTHER_KINDS = frozenset(("management-command", "view", "task", "signal", "hook", "handler"))
LINKED_KINDS = FURTHER_KINDS | {"api"}


def find_entry_points(index: Index, context: ToolContext, kind: str) -> dict[str, Any]:
    """Answer `find_entry_points`: what manifests and files show, then what only the graph knows.

    The graph is waited for only where it alone can answer.
    """

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        found, totals, notes = entries(shelf, kind)
        if kind == "all" and state(shelf.connection, "linked"):
            _add_linked(index.links.graph(shelf), None, FURTHER_KINDS, found, totals)
        return {"entries": found, "totals": totals, "note": coverage.noted(*notes)}

    def linked(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        found: list[dict[str, Any]] = []
        totals: dict[str, int] = {}
        _add_linked(graph, kind, FURTHER_KINDS | {kind}, found, totals)
        return {"entries": found, "totals": totals, "note": coverage.noted(graph.linked)}

    if kind in LINKED_KINDS:
        return look(context).graph(index, linked)
    return look(context).facts(index, answer)


def _add_linked(
    graph: Graph, kind: str | None, wanted: Collection[str], found: list[dict[str, Any]], totals: dict[str, int]
) -> None:
    # Only where the graph is made, or asked for: what manifests and files show needs none of it.
    from inarch_brief_tracer.answers.flow_data import entry_data
    from inarch_brief_tracer.graph.entries import listed

    more, counts = listed(graph, kind)
    found += [entry_data(entry) for entry in more if entry.kind in wanted]
    totals |= {name: number for name, number in counts.items() if name in wanted}
