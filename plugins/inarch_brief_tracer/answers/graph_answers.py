"""What the tools answer that need the graph: `context_get`, `trace_execution` and `find_callers`."""

from __future__ import annotations

from typing import Any

from inarch import KeptFolder, ToolContext, ToolFailed
from inarch_brief_tracer.answers import curated_paths
from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_answers import Wish, answered
from inarch_brief_tracer.answers.neighbourhood import callers_in, neighbourhood
from inarch_brief_tracer.answers.tool_look import look
from inarch_brief_tracer.answers.wording import at
from inarch_brief_tracer.finding.targets import by_name
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.model import Node
from inarch_brief_tracer.indexing.index import Coverage, Index

FLOW_TOKENS = 1_200
"""Of the flow in a `context_get`, beside the code of the target."""
LONGEST_NAME = 200
"""Characters of an unknown name that a message repeats."""


def context_get(index: Index, context: ToolContext, query: str, project: KeptFolder | None = None) -> dict[str, Any]:
    """Answer `context_get`."""

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        found = answered(graph, coverage, query, Wish(), curated_paths.CuratedPaths(project))
        data = neighbourhood(graph, coverage, query)
        return {**data, "flow": found.text(FLOW_TOKENS) if found.story else None}

    return look(context, query).graph(index, answer)


def trace_execution(index: Index, context: ToolContext, function: str, direction: str, depth: int) -> dict[str, Any]:
    """Answer `trace_execution`."""
    from inarch_brief_tracer.answers.function_traces import traced

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        flow = traced(graph, node, direction, max(1, min(depth, 20)))
        notes = coverage.noted(graph.linked)
        return {"function": node.qualname, "direction": direction, "flow": flow.text(FLOW_TOKENS), "note": notes}

    return look(context, function).graph(index, answer)


def find_callers(index: Index, context: ToolContext, function: str) -> dict[str, Any]:
    """Answer `find_callers`."""

    def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
        node = only(graph, coverage, function)
        callers, more = callers_in(graph, Sites(graph.shelf.read), node)
        notes = coverage.noted(graph.linked)
        return {"function": node.qualname, "callers": callers, "more": more, "note": notes}

    return look(context, function).graph(index, answer)


def only(graph: Graph, coverage: Coverage, function: str) -> Node:
    """Give the one function that a name names.

    Raises:
        ToolFailed: None or several have that name.
    """

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
