"""What a reply used and cost, as a service reports it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from inarch import Usage

MOST = 1e9
"""US dollars; no request costs that."""


def usage_of(usage: Mapping[str, Any], tells_cost: bool = False) -> Usage:
    """Return the usage that a service reports.

    Args:
        usage: The `usage` of a chunk.
        tells_cost: Whether its `cost` is in US dollars; else it is left open.
    """
    inputs, outputs = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    details = _mapping(usage.get("prompt_tokens_details"))
    cached, written = _count(details.get("cached_tokens")), _count(details.get("cache_write_tokens"))
    thought = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return Usage(inputs, outputs, cached, thought, _cost(usage) if tells_cost else None, written_tokens=written)


def _cost(usage: Mapping[str, Any]) -> Decimal | None:
    """Return what is paid to the service, and to the company behind it where that has the user's own key."""
    cost = _money(usage.get("cost"))
    behind = _money(_mapping(usage.get("cost_details")).get("upstream_inference_cost"))
    return cost + behind if cost is not None and behind is not None and usage.get("is_byok") is True else cost


def _money(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < MOST:
        return None
    return Decimal(str(value))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
