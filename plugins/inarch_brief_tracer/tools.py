"""The tools: find_symbols, context_get, find_entry_points. What they need is loaded by their first call."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

from inarch import Effects, Tool, ToolContext, tool

if TYPE_CHECKING:
    from inarch_brief_tracer.index import Index

Kind = Literal["any", "function", "class", "method", "constant", "module"]
EntryKind = Literal["all", "script", "main", "command", "route", "test"]
_READS = Effects(reads=frozenset({""}))


@define(eq=False, repr=False)
class Desk:
    """Where the tools find the index of their root; it is made when first asked for."""

    cache_dir: str
    root: str
    seconds: float
    _index: Index | None = field(default=None, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    @property
    def index(self) -> Index:
        """The one index of this composition."""
        with self._lock:
            if self._index is None:
                from inarch_brief_tracer.index import Index
                from inarch_brief_tracer.store import Store

                self._index = Index(Store(self.cache_dir, self.root), self.seconds)
            return self._index


def tools(desk: Desk) -> list[Tool]:
    """Give the tools of a root."""

    @tool(category="trace", effects=_READS, timeout_s=60)
    def find_symbols(context: ToolContext, query: str, kind: Kind = "any", limit: int = 20) -> dict[str, Any]:
        """Find Python functions, classes, methods, constants, modules by name, path:line or a question in plain words.

        Args:
            query: An identifier, a path:line, or words about what the code does.
            kind: Only symbols of this kind.
            limit: How many at most, best first.
        """
        from inarch_brief_tracer import answers

        return answers.find_symbols(desk.index, context, query, kind, limit)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def context_get(context: ToolContext, query: str) -> dict[str, Any]:
        """Show the Python symbol that a name or question is about: its code, its direct callers and callees.

        Args:
            query: An identifier, a path:line, or words about what the code does.
        """
        from inarch_brief_tracer import answers

        return answers.context_get(desk.index, context, query)

    @tool(category="trace", effects=_READS, timeout_s=60)
    def find_entry_points(context: ToolContext, kind: EntryKind = "all") -> dict[str, Any]:
        """List where the program is entered: console scripts, __main__ blocks, CLI commands, web routes, test files.

        Args:
            kind: Only entry points of this kind.
        """
        from inarch_brief_tracer import answers

        return answers.find_entry_points(desk.index, context, kind)

    return [find_symbols, context_get, find_entry_points]
