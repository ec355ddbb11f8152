"""Settings of the plugin."""

from __future__ import annotations

from attrs import frozen


@frozen(eq=False, repr=False)
class Settings:
    """Settings of the brief tracer.

    Args:
        index_seconds: Processor time for reading and parsing in one call. The next call continues.
        link_seconds: The same for the graph, which continues in the background and with the next call.
        index_in_background: Accepted, and without effect: `inarch trace index` reads the rest.
        context: Whether to add the flow through the symbols that a prompt names to the turn.
        context_seconds: The longest wait for that flow before it is left out.
        context_tokens: The longest flow, in tokens.
        impact: Whether the end of a turn reports which entry paths and tests its edits are on.
    """

    index_seconds: float = 0.8
    link_seconds: float = 0.5
    index_in_background: bool = False
    context: bool = True
    context_seconds: float = 2.0
    context_tokens: int = 600
    impact: bool = True
