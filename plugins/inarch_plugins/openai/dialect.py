"""Particulars of one service: differences in its chat completions, and the user's statements about its models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import Factory, frozen

from inarch import Effort, Limits, Price


@frozen
class Dialect:
    """Differences of one service's chat completions.

    Args:
        output_limit: The name of the output limit.
        effort: Returns the service's field for thinking effort, if it is not the usual one.
        marks: Returns whether the service wants cache marks for a model.
        tells_cost: Whether `usage.cost` is a request's cost in US dollars.
        text_calls: Whether a reply that consists of a call written as text becomes that call.
    """

    output_limit: str = "max_tokens"
    effort: Callable[[Effort], dict[str, Any]] | None = None
    marks: Callable[[str], bool] | None = None
    tells_cost: bool = False
    text_calls: bool = False


@frozen
class Stated:
    """The user's statements about a service's models."""

    price: Price | None = None
    context_tokens: int | None = None
    a_minute: Limits = Factory(Limits)
