"""Brief tracer: the symbols of a tree, and the execution paths from its entry points through them.

inarch_brief.tracer, each folder on those before it
├── facts     what one file says: a pure function of its bytes
├── store     what is kept of a tree, in one SQLite file
├── linking   what names stand for, and the calls between functions
├── graph     nodes, arcs, entries, and the ways from these to a target
├── indexing  what changed is read, linked and kept
├── finding   which symbols a question or a name is about
├── answers   what people and models are shown
└── plugin    the hooks
"""

from typing import TYPE_CHECKING, Any

from inarch_brief.tracer.plugin import (
    inarch_context_sources,
    inarch_settings,
    inarch_strategies,
    inarch_tools,
    inarch_tracers,
)

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.model import ExecutionPath

__all__ = [
    "ExecutionPath",
    "inarch_context_sources",
    "inarch_settings",
    "inarch_strategies",
    "inarch_tools",
    "inarch_tracers",
]


def __getattr__(name: str) -> Any:
    """Load the record of paths when it is asked for: what only registers the plugin needs no graph."""
    if name == "ExecutionPath":
        from inarch_brief.tracer.graph.model import ExecutionPath

        return ExecutionPath
    raise AttributeError(name)
