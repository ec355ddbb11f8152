"""dispatch: the `structured` strategy. A cheap model decides which tool a turn should start with."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen, validators

from inarch import DecisionStrategy, PluginContext, hookimpl

if TYPE_CHECKING:
    from inarch_plugins.dispatch.cache import DecisionCache


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.dispatch]`.

    Args:
        ttl_s: Seconds for which a decision may be used again.
        max_entries: Maximum stored decisions; the oldest are removed first.
        break_even: No longer has an effect: the strategy decides whenever the profile names it.
    """

    ttl_s: float = field(default=900.0, validator=validators.ge(0))
    max_entries: int = field(default=500, validator=validators.ge(1))
    break_even: Literal["both", "time", "money", "never"] = "both"


@hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@hookimpl
def inarch_strategies(context: PluginContext) -> list[DecisionStrategy]:
    """Return the `structured` strategy."""
    from inarch_plugins.dispatch.strategy import Structured

    @functools.cache  # most profiles never use it
    def decisions() -> DecisionCache:
        from inarch_plugins.dispatch.cache import DecisionCache

        settings = context.settings if isinstance(context.settings, Settings) else Settings()
        return DecisionCache.beside(context.cache_dir, settings.ttl_s, settings.max_entries)

    return [Structured(decisions)]
