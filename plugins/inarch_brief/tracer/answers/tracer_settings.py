"""Settings of the plugin."""

from __future__ import annotations

from attrs import frozen


@frozen(eq=False, repr=False)
class Settings:
    """Settings of the brief tracer.

    Args:
        index_seconds: Processor time that one call may read and parse; the next call goes on where it stopped.
        link_seconds: The same for the graph, which goes on in the background and with the next call.
        index_in_background: Taken, and without effect: `inarch trace index` reads the rest.
        context: Whether the flow through what a prompt names is added to the turn.
        context_seconds: How long that may take before it is left out.
        context_tokens: How long it may be.
        impact: Whether the end of a turn tells which entry paths and tests its edits are on.
    """

    index_seconds: float = 0.8
    link_seconds: float = 0.5
    index_in_background: bool = False
    context: bool = True
    context_seconds: float = 2.0
    context_tokens: int = 600
    impact: bool = True
