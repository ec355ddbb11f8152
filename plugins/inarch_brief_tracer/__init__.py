"""Brief tracer: the symbols of a Python tree, and the execution paths from its entry points through them."""

from inarch_brief_tracer.plugin import (
    inarch_context_sources,
    inarch_settings,
    inarch_strategies,
    inarch_tools,
    inarch_tracers,
)

__all__ = ["inarch_context_sources", "inarch_settings", "inarch_strategies", "inarch_tools", "inarch_tracers"]
