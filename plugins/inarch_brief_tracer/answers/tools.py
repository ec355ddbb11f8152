"""The tools of the tracer. What they need is loaded by their first call."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

from inarch import Effects, PluginContext, Tool, ToolContext, Workspace, tool

if TYPE_CHECKING:
    from inarch_brief_tracer.indexing.index import Index

Kind = Literal["any", "function", "class", "method", "constant", "module", "section", "setting"]
EntryKind = Literal[
    "all", "script", "main", "command", "route", "view", "task", "signal", "hook", "handler", "test", "api"
]
Direction = Literal["up", "down", "both"]
_READS = Effects(reads=frozenset({""}))
_MOST_TURNS = 100


@define(eq=False, repr=False)
class Desk:
    """Where the tools find the index of their root; it is made when first asked for.

    Args:
        context: What the plugin was given.
        seconds: Time that one call may read and parse.
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
                from inarch_brief_tracer.indexing.index import Index
                from inarch_brief_tracer.store.database import Store

                store = Store(self.context.cache_dir, self.context.root)
                self._index = Index(store, self.seconds, self.link_seconds)
            return self._index

    def begin(self, workspace: Workspace, turn: str, is_model: bool) -> None:
        """Take note of a turn, and whether a model reads its results: the offline planner needs more of them."""
        self.workspace = workspace
        if is_model:
            self._models[turn] = None
            while len(self._models) > _MOST_TURNS:
                del self._models[next(iter(self._models))]

    def is_for_model(self, turn: str) -> bool:
        """Whether a model reads the results of a turn."""
        return turn in self._models

    def close(self) -> None:
        """Have the index finished if it is not, and the settings allow that."""
        if self._index is not None:
            from inarch_brief_tracer.answers.finishing import finish_later

            finish_later(self.context, self._index)


def tools(desk: Desk) -> list[Tool]:
    """Give the tools of a root."""

    @tool(category="trace", effects=_READS, timeout_s=60)
    def find_symbols(context: ToolContext, query: str, kind: Kind = "any", limit: int = 10) -> dict[str, Any]:
        """Find code, docs and settings by name, path:line or a question in plain words, best first.

        Args:
            query: A name, path:line, or words about what the code does
        """
        from inarch_brief_tracer.answers import tool_answers

        return tool_answers.find_symbols(desk, context, query, kind, limit)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def context_get(context: ToolContext, query: str) -> dict[str, Any]:
        """List the code that a task or question is about; if that is clear, show the flow from entry points through it.

        Args:
            query: A name, path:line, or words about what the code does
        """
        from inarch_brief_tracer.answers import tool_answers

        return tool_answers.context_get(desk, context, query)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def trace_execution(
        context: ToolContext, function: str, direction: Direction = "both", depth: int = 20
    ) -> dict[str, Any]:
        """Trace a function up to the entry points that reach it, down to what it calls, or both.

        Args:
            function: A name, Class.method or path:line
            depth: Calls on a path.
        """
        from inarch_brief_tracer.answers import tool_answers

        return tool_answers.trace_execution(desk, context, function, direction, depth)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def find_callers(context: ToolContext, function: str) -> dict[str, Any]:
        """List the call sites of a function.

        Args:
            function: A name, Class.method or path:line
        """
        from inarch_brief_tracer.answers import tool_answers

        return tool_answers.find_callers(desk, context, function)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def find_entry_points(context: ToolContext, kind: EntryKind = "all") -> dict[str, Any]:
        """List where the program is entered."""
        from inarch_brief_tracer.answers import tool_answers

        return tool_answers.find_entry_points(desk, context, kind)

    return [find_symbols, context_get, trace_execution, find_callers, find_entry_points]
