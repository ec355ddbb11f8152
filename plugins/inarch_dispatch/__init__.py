"""dispatch: the `structured` strategy. A cheap model decides which tool a turn should start with."""

from __future__ import annotations

from attrs import frozen

from inarch import DecisionStrategy, PluginContext, hookimpl


@frozen
class Settings:
    """Settings of `[plugins.dispatch]`.

    Args:
        ttl_s: Seconds for which a decision may be used again.
        max_entries: Decisions that are kept; the oldest go first.
    """

    ttl_s: float = 900.0
    max_entries: int = 500


@hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@hookimpl
def inarch_strategies(context: PluginContext) -> list[DecisionStrategy]:
    """Return the `structured` strategy."""
    from inarch_dispatch.cache import DecisionCache
    from inarch_dispatch.strategy import Structured

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    return [Structured(DecisionCache.beside(context.cache_dir, settings.ttl_s, settings.max_entries))]
