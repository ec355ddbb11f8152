"""Brief tracer: the symbols of a Python tree, and the execution paths from its entry points through them.

inarch_brief_tracer, each folder on those before it
├── facts     what one file says: a pure function of its bytes
├── store     what is kept of a tree, in one SQLite file
├── linking   what names stand for, and the calls between functions
├── graph     nodes, arcs, entries, and the ways from these to a target
├── indexing  what changed is read, linked and kept
├── finding   which symbols a question or a name is about
├── answers   what people and models are told
└── plugin    the hooks
"""

from inarch_brief_tracer.plugin import (
    inarch_context_sources,
    inarch_settings,
    inarch_strategies,
    inarch_tools,
    inarch_tracers,
)

__all__ = ["inarch_context_sources", "inarch_settings", "inarch_strategies", "inarch_tools", "inarch_tracers"]
