"""What is particular to one service: how its chat completions differ, and what the user states of its models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import Factory, frozen

from inarch import Effort, Limits, Price


@frozen
class Dialect:
    """How one service's chat completions differ from the others'.

    Args:
        output_limit: How the limit of output is called.
        effort: Says in the service's words how much a model is to think, where these are not the usual ones.
        marks: Says of which models the service wants marks of what it is to keep.
        tells_cost: Whether `usage.cost` is what a request cost in US dollars.
        text_calls: Whether a reply that as a whole is a call written as text is that call.
    """

    output_limit: str = "max_tokens"
    effort: Callable[[Effort], dict[str, Any]] | None = None
    marks: Callable[[str], bool] | None = None
    tells_cost: bool = False
    text_calls: bool = False


@frozen
class Stated:
    """What the user states of a service's models.

    Args:
        price: What tokens cost.
        context_tokens: The context.
        a_minute: What the service takes of one model in a minute.
    """

    price: Price | None = None
    context_tokens: int | None = None
    a_minute: Limits = Factory(Limits)
