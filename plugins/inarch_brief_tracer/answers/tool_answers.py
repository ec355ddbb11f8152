"""What the tools answer, from an index that is up to date."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from inarch import KeptFolder, ToolContext, ToolFailed
from inarch_brief_tracer.indexing.index import Coverage, Index
from inarch_brief_tracer.indexing.looking import Look
from inarch_brief_tracer.store.kept_files import Shelf

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.graph.model import Node

MAX_FOUND = 100
FLOW_TOKENS = 1_200
"""Of the flow in a `context_get`, beside the code of the target."""
FURTHER_KINDS = frozenset(("management-command", "view", "task", "signal", "hook", "handler"))
LINKED_KINDS = FURTHER_KINDS | {"api"}
LONGEST_NAME = 200
"""Characters of an unknown name that a message repeats."""
LOOK_UPS = ("find_symbols", "context_get", "trace_execution", "find_callers", "find_entry_points")


def look(context: ToolContext) -> Look:
    """Say how a call looks: calls of one turn share a walk of the tree if nothing but look-ups ran in between."""
    others = tuple(call.id for call in context.earlier if call.name not in LOOK_UPS)
    return Look(context.workspace, (context.turn_id, others), context.cancelled.is_set)


def find_symbols(index: Index, context: ToolContext, query: str, kind: str, limit: int) -> dict[str, Any]:
    """Answer `find_symbols`."""
    from inarch_brief_tracer.finding.hits import CANDIDATES, best_files, described
    from inarch_brief_tracer.finding.search import search

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        hits = search(shelf, query, kind, CANDIDATES)
        shown = hits[: max(1, min(limit, MAX_FOUND))]
        symbols = [described(hit) for hit in shown]
        return {"symbols": symbols, "files": best_files(hits)[: len(symbols)], "note": coverage.noted()}

    return look(context).facts(index, answer)


def context_get(index: Index, context: ToolContext, query: str, project: KeptFolder | None = None) -> dict[str, Any]:
    """Answer `context_get`."""
    from inarch_brief_tracer.answers import curated_paths
    from inarch_brief_tracer.answers.flow_answers import Wish, answered
    from inarch_brief_tracer.answers.neighbourhood import neighbourhood

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        found = answered(graph, coverage, query, Wish(), curated_paths.Shelf(project))
        data = neighbourhood(graph, coverage, query)
        return {**data, "flow": found.text(FLOW_TOKENS) if found.story else None}

    return look(context).graph(index, answer)


def trace_execution(index: Index, context: ToolContext, function: str, direction: str, depth: int) -> dict[str, Any]:
    """Answer `trace_execution`."""
    from inarch_brief_tracer.answers.flow_answers import joined
    from inarch_brief_tracer.answers.function_traces import traced

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        flow = traced(graph, node, direction, max(1, min(depth, 20)))
        notes = joined(coverage.note, graph.linked)
        return {"function": node.qualname, "direction": direction, "flow": flow.text(FLOW_TOKENS), "note": notes}

    return look(context).graph(index, answer)


def find_callers(index: Index, context: ToolContext, function: str) -> dict[str, Any]:
    """Answer `find_callers`."""
    from inarch_brief_tracer.answers.call_sites import Sites
    from inarch_brief_tracer.answers.flow_answers import joined
    from inarch_brief_tracer.answers.neighbourhood import callers_in

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        callers, more = callers_in(graph, Sites(graph.shelf.read), node)
        notes = joined(coverage.note, graph.linked)
        return {"function": node.qualname, "callers": callers, "more": more, "note": notes}

    return look(context).graph(index, answer)


def find_entry_points(index: Index, context: ToolContext, kind: str) -> dict[str, Any]:
    """Answer `find_entry_points`: what manifests and files show, then what only the graph knows.

    The graph is waited for only where it alone can answer.
    """
    from inarch_brief_tracer.finding.entry_listing import entries
    from inarch_brief_tracer.store.kept_files import state

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
    from inarch_brief_tracer.answers.flow_data import entry_data
    from inarch_brief_tracer.graph.entries import listed

    more, counts = listed(graph, kind)
    found += [entry_data(entry) for entry in more if entry.kind in wanted]
    totals |= {name: number for name, number in counts.items() if name in wanted}


def only(graph: Graph, coverage: Coverage, function: str) -> Node:
    """Give the one function that a name names.

    Raises:
        ToolFailed: None or several have that name.
    """
    from inarch_brief_tracer.answers.wording import at
    from inarch_brief_tracer.finding.targets import by_name

    named = by_name(graph, function)
    if named.node is not None:
        return named.node
    function = function[:LONGEST_NAME]
    if named.candidates:
        places = ", ".join(f"{node.qualname} ({at(node.file, node.line)})" for node in named.candidates[:12])
        raise ToolFailed(
            "validation", f"{function} is the name of {len(named.candidates)} functions", f"one of: {places}"
        )
    note = coverage.noted()
    near = f"nearest: {', '.join(named.nearest)}" if named.nearest else "find_symbols searches by words"
    raise ToolFailed("not_found", f"no function is called {function}" + (f" ({note})" if note else ""), near)
