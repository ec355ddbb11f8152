"""Brief tracer: symbols of a Python tree, found by name or by question, with their direct callers and callees."""

from inarch_brief_tracer.plugin import inarch_settings, inarch_tools

__all__ = ["inarch_settings", "inarch_tools"]
