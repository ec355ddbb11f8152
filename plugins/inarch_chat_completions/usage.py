"""What a reply used and cost, as a service reports it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from inarch import Price, Usage

_MILLION = Decimal(1_000_000)


def usage_of(usage: Mapping[str, Any], tells_cost: bool = False, price: Price | None = None) -> Usage:
    """Return the usage that a service reports.

    Args:
        usage: The `usage` of a chunk.
        tells_cost: Whether its `cost` is in US dollars; else the cost comes from the price.
        price: The model's price; without it a cost that isn't reported is unknown.
    """
    inputs, outputs = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cached = _count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    thought = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    cost = _cost(usage) if tells_cost else None
    if cost is None and price is not None:
        fresh = max(inputs - cached, 0)
        known = price.input if price.cached is None else price.cached
        cost = (price.input * fresh + known * min(cached, inputs) + price.output * outputs) / _MILLION
    return Usage(inputs, outputs, cached, thought, cost)


def _cost(usage: Mapping[str, Any]) -> Decimal | None:
    """Return what is paid to the service, and to the company behind it where that has the user's own key."""
    cost = _money(usage.get("cost"))
    behind = _money(_mapping(usage.get("cost_details")).get("upstream_inference_cost"))
    return cost + behind if cost is not None and behind is not None and usage.get("is_byok") is True else cost


def _money(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value) or value < 0:
        return None
    return Decimal(str(value))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
