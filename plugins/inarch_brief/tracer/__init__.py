"""Brief tracer: the symbols of a tree, and the execution paths from its entry points through them.

Each folder of inarch_brief.tracer uses only those above it:

```text
├── facts     what one file says: a pure function of its bytes
├── store     a tree's facts and edges, in one SQLite file
├── linking   the meaning of names, and the calls between functions
├── graph     nodes, arcs, entry points, and the call paths from them to a target
├── indexing  reads, links and stores changed files
├── finding   the symbols that a question or a name is about
├── answers   the text for people and models
└── plugin    the hooks
```
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
    """Load `ExecutionPath` on first use: registering the plugin does not need the graph."""
    if name == "ExecutionPath":
        from inarch_brief.tracer.graph.model import ExecutionPath

        return ExecutionPath
    raise AttributeError(name)
