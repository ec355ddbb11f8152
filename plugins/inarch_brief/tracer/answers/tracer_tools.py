"""The tools of the tracer. Their first call loads what they need."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

from inarch import Effects, PluginContext, Tool, ToolContext, ToolFailed, Workspace, tool

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.graph.model import Node
    from inarch_brief.tracer.indexing.index import Coverage, Index, Look
    from inarch_brief.tracer.store.kept_files import Shelf

Kind = Literal["any", "function", "class", "method", "constant", "module", "section", "setting"]
EntryKind = Literal[
    "all", "script", "main", "command", "route", "view", "task", "signal", "hook", "handler", "test", "api"
]
Direction = Literal["up", "down", "both"]
FLOW_TOKENS = 1_200
MAX_FOUND = 100
LONGEST_NAME = 200
"""Characters of an unknown name that a message repeats."""
LOOK_UPS = ("find_symbols", "context_get", "trace_execution", "find_callers", "find_entry_points")
_READS = Effects(reads=frozenset({""}))
_MOST_TURNS = 100


@define(eq=False, repr=False)
class Desk:
    """The shared index of the tools, created on first use.

    Args:
        context: The plugin's context.
        seconds: Time for reading and parsing in one call.
        link_seconds: Time that one call may wait for the graph.
    """

    context: PluginContext
    seconds: float = 0.8
    link_seconds: float = 0.5
    workspace: Workspace | None = None
    """The workspace of the last turn that began."""
    _models: dict[str, None] = field(factory=dict, init=False)
    _index: Index | None = field(default=None, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    @property
    def index(self) -> Index:
        """The one index of this composition."""
        with self._lock:
            if self._index is None:
                from inarch_brief.tracer.indexing.index import Index
                from inarch_brief.tracer.store.database import Store

                store = Store(self.context.cache_dir, self.context.root)
                self._index = Index(store, self.seconds, self.link_seconds)
            return self._index

    def begin(self, workspace: Workspace, turn: str, is_model: bool) -> None:
        """Record a turn, and whether a model reads its results: the offline planner needs more of them."""
        self.workspace = workspace
        if is_model:
            self._models[turn] = None
            while len(self._models) > _MOST_TURNS:
                del self._models[next(iter(self._models))]

    def is_for_model(self, turn: str) -> bool:
        """Return whether a model reads the results of a turn."""
        return turn in self._models


def tools(desk: Desk) -> list[Tool]:
    """Return the tools of a root."""

    @tool(category="trace", effects=_READS, timeout_s=60, title="Find {query}")
    def find_symbols(context: ToolContext, query: str, kind: Kind = "any", limit: int = 10) -> dict[str, Any]:
        """Find code, docs and settings by name, path:line or a question in plain words, best first.

        Args:
            query: A name, path:line, or words about what the code does
        """
        from inarch_brief.tracer.finding.hits import described
        from inarch_brief.tracer.finding.search import search

        def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
            found = search(shelf, query, kind, max(1, min(limit, MAX_FOUND)))
            confidence, note = round(found.confidence, 2), coverage.noted()
            if desk.is_for_model(context.turn_id):
                from inarch_brief.tracer.answers.answer import listed
                from inarch_brief.tracer.finding.targets import product_first

                return {"confidence": confidence, "found": listed(product_first(found.hits, query)), "note": note}
            return {
                "symbols": [described(hit) for hit in found.hits], "files": found.files[: len(found.hits)],
                "confidence": confidence, "unknown": list(found.unknown), "note": note,
            }  # fmt: skip

        return _look(context, query).facts(desk.index, answer)

    @tool(category="trace", effects=_READS, timeout_s=60, title="Find the code about {query}")
    def context_get(context: ToolContext, query: str) -> dict[str, Any]:
        """List the code that a task or question is about; if that is clear, show the flow from entry points through it.

        Args:
            query: A name, path:line, or words about what the code does
        """
        from inarch_brief.tracer.answers.answer import Wish, answered
        from inarch_brief.tracer.answers.kept_paths import KeptPaths

        is_model = desk.is_for_model(context.turn_id)

        def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
            found = answered(graph, coverage, query, Wish(code=is_model), KeptPaths(desk.context.project))
            if is_model:
                return found.brief(FLOW_TOKENS)
            from inarch_brief.tracer.answers.neighbourhood import neighbourhood

            return {**neighbourhood(graph, coverage, query, found), "paths": found.paths}

        return _look(context, query).graph(desk.index, answer)

    @tool(category="trace", effects=_READS, timeout_s=60, title="Trace {function}")
    def trace_execution(
        context: ToolContext, function: str, direction: Direction = "both", depth: int = 20
    ) -> dict[str, Any]:
        """Trace a function up to the entry points that reach it, down to what it calls, or both.

        Args:
            function: A name, Class.method or path:line
            depth: Calls on a path.
        """
        from inarch_brief.tracer.answers.answer import traced

        def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
            node = _only(graph, coverage, function)
            flow = traced(graph, node, direction, max(1, min(depth, 20))).text(FLOW_TOKENS)
            notes = coverage.noted(graph.linked)
            return {"function": node.qualname, "direction": direction, "flow": flow, "note": notes}

        return _look(context, function).graph(desk.index, answer)

    @tool(category="trace", effects=_READS, timeout_s=60, title="Find the callers of {function}")
    def find_callers(context: ToolContext, function: str) -> dict[str, Any]:
        """List the call sites of a function.

        Args:
            function: A name, Class.method or path:line
        """
        from inarch_brief.tracer.answers.flow_words import Sources
        from inarch_brief.tracer.answers.neighbourhood import callers_in

        def answer(graph: Graph, coverage: Coverage) -> dict[str, Any]:
            node = _only(graph, coverage, function)
            callers, more = callers_in(graph, Sources(graph.shelf.read), node)
            notes = coverage.noted(graph.linked)
            return {"function": node.qualname, "callers": callers, "more": more, "note": notes}

        return _look(context, function).graph(desk.index, answer)

    @tool(category="trace", effects=_READS, timeout_s=60, title="List the entry points")
    def find_entry_points(context: ToolContext, kind: EntryKind = "all") -> dict[str, Any]:
        """List the program's entry points."""
        from inarch_brief.tracer.indexing.entry_nodes import entries

        def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
            found, totals, notes = entries(shelf, kind)
            return {"entries": found, "totals": totals, "note": coverage.noted(*notes)}

        def linked(graph: Graph, coverage: Coverage) -> dict[str, Any]:
            from inarch_brief.tracer.answers.flow_data import entry_data
            from inarch_brief.tracer.graph.entries import listed

            found, totals = listed(graph, kind)
            totals = {name: number for name, number in totals.items() if name == kind}
            return {"entries": list(map(entry_data, found)), "totals": totals, "note": coverage.noted(graph.linked)}

        # Wait for the graph only if it alone can answer.
        return _look(context).graph(desk.index, linked) if kind == "api" else _look(context).facts(desk.index, answer)

    return [find_symbols, context_get, trace_execution, find_callers, find_entry_points]


def _look(context: ToolContext, about: str = "") -> Look:
    """Return a call's query options. Calls of a turn share a walk of the tree if only lookups ran in between."""
    from inarch_brief.tracer.indexing.index import Look

    others = tuple(call.id for call in context.earlier if call.name not in LOOK_UPS)
    return Look(context.workspace, (context.turn_id, others), context.cancelled.is_set, about=about)


def _only(graph: Graph, coverage: Coverage, function: str) -> Node:
    """Return the one function that a name means.

    Raises:
        ToolFailed: No function or several have that name.
    """
    from inarch_brief.tracer.finding.targets import by_name

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
