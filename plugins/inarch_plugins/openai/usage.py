"""What a reply used and cost, as a service reports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch import Usage, reported_usage


def usage_of(usage: Mapping[str, Any], tells_cost: bool = False) -> Usage | None:
    """Return the usage that a service reports, None if the report cannot be true.

    Args:
        usage: The `usage` of a chunk.
        tells_cost: Whether its `cost` is in US dollars; else it is left open.
    """
    details = _mapping(usage.get("prompt_tokens_details"))
    return reported_usage(
        [usage.get("prompt_tokens")],
        [usage.get("completion_tokens")],
        cached=details.get("cached_tokens"),
        thoughts=_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"),
        written=details.get("cache_write_tokens"),
        costs=_costs(usage) if tells_cost else (),
    )


def _costs(usage: Mapping[str, Any]) -> list[Any]:
    """Return what is paid to the service, and to the company behind it if the user's own key pays that."""
    behind = _mapping(usage.get("cost_details")).get("upstream_inference_cost")
    return [usage.get("cost"), *([behind] if usage.get("is_byok") is True and behind is not None else [])]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
