"""How the calls of the tools look into the index."""

from __future__ import annotations

from inarch import ToolContext
from inarch_brief_tracer.indexing.looking import Look

LOOK_UPS = ("find_symbols", "context_get", "trace_execution", "find_callers", "find_entry_points")


def look(context: ToolContext, about: str = "") -> Look:
    """Say how a call looks: calls of one turn share a walk of the tree if nothing but look-ups ran in between."""
    others = tuple(call.id for call in context.earlier if call.name not in LOOK_UPS)
    return Look(context.workspace, (context.turn_id, others), context.cancelled.is_set, about=about)
