"""What the tools answer."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from inarch import ToolContext, ToolFailed
from inarch_brief_tracer.indexing.index import Coverage
from inarch_brief_tracer.indexing.looking import Look
from inarch_brief_tracer.store.kept_files import Shelf, state

if TYPE_CHECKING:
    from inarch_brief_tracer.answers.tools import Desk
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.graph.model import Node

FLOW_TOKENS = 1_200
MAX_FOUND = 100
LONGEST_NAME = 200
"""Characters of an unknown name that a message repeats."""
LOOK_UPS = ("find_symbols", "context_get", "trace_execution", "find_callers", "find_entry_points")
FURTHER_KINDS = frozenset(("management-command", "view", "task", "signal", "hook", "handler"))
"""Kinds that frameworks show, but only linking resolves."""


def _look(context: ToolContext, about: str = "") -> Look:
    """Say how a call looks: calls of one turn share a walk of the tree if nothing but look-ups ran in between."""
    others = tuple(call.id for call in context.earlier if call.name not in LOOK_UPS)
    return Look(context.workspace, (context.turn_id, others), context.cancelled.is_set, about=about)


def find_symbols(desk: Desk, context: ToolContext, query: str, kind: str, limit: int) -> dict[str, Any]:
    """Answer `find_symbols`."""
    from inarch_brief_tracer.finding.hits import described
    from inarch_brief_tracer.finding.search import search

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        found = search(shelf, query, kind, max(1, min(limit, MAX_FOUND)))
        confidence, note = round(found.confidence, 2), coverage.noted()
        if desk.is_for_model(context.turn_id):
            from inarch_brief_tracer.answers.answer import listed
            from inarch_brief_tracer.finding.targets import product_first

            return {"confidence": confidence, "found": listed(product_first(found.hits, query)), "note": note}
        return {
            "symbols": [described(hit) for hit in found.hits], "files": found.files[: len(found.hits)],
            "confidence": confidence, "unknown": list(found.unknown), "note": note,
        }  # fmt: skip

    return _look(context, query).facts(desk.index, answer)


def context_get(desk: Desk, context: ToolContext, query: str) -> dict[str, Any]:
    """Answer `context_get`: a model gets a list and perhaps the flow, the offline planner all that there is."""
    from inarch_brief_tracer.answers.answer import Wish, answered, neighbourhood
    from inarch_brief_tracer.answers.kept_paths import KeptPaths

    is_model = desk.is_for_model(context.turn_id)

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        found = answered(graph, coverage, query, Wish(code=is_model), KeptPaths(desk.context.project))
        if is_model:
            return found.brief(FLOW_TOKENS)
        data = neighbourhood(graph, coverage, query, found)
        return {**data, "flow": found.text(FLOW_TOKENS) if found.story else None, "paths": found.paths}

    return _look(context, query).graph(desk.index, answer)


def trace_execution(desk: Desk, context: ToolContext, function: str, direction: str, depth: int) -> dict[str, Any]:
    """Answer `trace_execution`."""
    from inarch_brief_tracer.answers.answer import traced

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        flow = traced(graph, node, direction, max(1, min(depth, 20))).text(FLOW_TOKENS)
        notes = coverage.noted(graph.linked)
        return {"function": node.qualname, "direction": direction, "flow": flow, "note": notes}

    return _look(context, function).graph(desk.index, answer)


def find_callers(desk: Desk, context: ToolContext, function: str) -> dict[str, Any]:
    """Answer `find_callers`."""
    from inarch_brief_tracer.answers.answer import callers_in
    from inarch_brief_tracer.answers.source_lines import Sources

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        callers, more = callers_in(graph, Sources(graph.shelf.read), node)
        notes = coverage.noted(graph.linked)
        return {"function": node.qualname, "callers": callers, "more": more, "note": notes}

    return _look(context, function).graph(desk.index, answer)


def only(graph: Graph, coverage: Coverage, function: str) -> Node:
    """Give the one function that a name names.

    Raises:
        ToolFailed: None or several have that name.
    """
    from inarch_brief_tracer.finding.targets import by_name

    named = by_name(graph, function)
    if named.node is not None:
        return named.node
    function = function[:LONGEST_NAME]
    if named.candidates:
        places = ", ".join(f"{node.qualname} ({node.file}:{node.line})" for node in named.candidates[:12])
        raise ToolFailed(
            "validation", f"{function} is the name of {len(named.candidates)} functions", f"one of: {places}"
        )
    note = coverage.noted()
    near = f"nearest: {', '.join(named.nearest)}" if named.nearest else "find_symbols searches by words"
    raise ToolFailed("not_found", f"no function is called {function}" + (f" ({note})" if note else ""), near)


def find_entry_points(desk: Desk, context: ToolContext, kind: str) -> dict[str, Any]:
    """Answer `find_entry_points`: what manifests and files show, then what only the graph knows.

    The graph is waited for only if it alone can answer.
    """
    from inarch_brief_tracer.finding.entry_listing import entries

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        found, totals, notes = entries(shelf, kind)
        if kind == "all" and state(shelf.connection, "linked"):
            _add_linked(desk.index.links.graph(shelf), None, FURTHER_KINDS, found, totals)
        return {"entries": found, "totals": totals, "note": coverage.noted(*notes)}

    def linked(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        found: list[dict[str, Any]] = []
        totals: dict[str, int] = {}
        _add_linked(graph, kind, FURTHER_KINDS | {kind}, found, totals)
        return {"entries": found, "totals": totals, "note": coverage.noted(graph.linked)}

    if kind == "api" or kind in FURTHER_KINDS:
        return _look(context).graph(desk.index, linked)
    return _look(context).facts(desk.index, answer)


def _add_linked(
    graph: Graph, kind: str | None, wanted: Collection[str], found: list[dict[str, Any]], totals: dict[str, int]
) -> None:
    from inarch_brief_tracer.answers.flow_data import entry_data
    from inarch_brief_tracer.graph.entries import listed

    more, counts = listed(graph, kind)
    found += [entry_data(entry) for entry in more if entry.kind in wanted]
    totals |= {name: number for name, number in counts.items() if name in wanted}
