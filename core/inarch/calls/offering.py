"""Which tools there are in an approve mode. Every start asks; what judges calls is loaded with the first call."""

from __future__ import annotations

from inarch.contract.ports import Tool


def is_offered(tool: Tool, mode: str) -> bool:
    """Whether there is such a tool in an approve mode: one may be for some `modes` only."""
    modes = getattr(tool, "modes", ())
    return not modes or mode in modes
