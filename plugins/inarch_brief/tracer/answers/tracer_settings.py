"""Settings of the plugin."""

from __future__ import annotations

from attrs import frozen


@frozen(eq=False, repr=False)
class Settings:
    """Settings of the brief tracer.

    Args:
        index_seconds: Processor time in one call for reading and parsing. The next call continues.
        link_seconds: The same for the graph, which continues in the background.
        index_in_background: No effect. Run `inarch trace index` to read the rest.
        context: Whether to add the execution flow of named code to the turn.
        context_seconds: Time limit for this, in seconds.
        context_tokens: Token limit for this.
        impact: Whether to report the entry paths and tests of edited code at the end of a turn.
    """

    index_seconds: float = 0.8
    link_seconds: float = 0.5
    index_in_background: bool = False
    context: bool = True
    context_seconds: float = 2.0
    context_tokens: int = 600
    impact: bool = True
