"""dispatch: the `structured` strategy. A cheap model decides which tool a turn should start with."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Literal
from weakref import WeakValueDictionary

from attrs import field, frozen, validators

from inarch import DecisionStrategy, PluginContext, Tracer, hookimpl

if TYPE_CHECKING:
    from inarch_plugins.dispatch.cache import DecisionCache
    from inarch_plugins.dispatch.decision_tracer import Watcher


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


_watchers: WeakValueDictionary[int, Watcher] = WeakValueDictionary()
"""Watchers by the context of their run: strategy and tracer are registered apart and share one watcher."""


@hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@hookimpl
def inarch_strategies(context: PluginContext) -> list[DecisionStrategy]:
    """Return the `structured` strategy."""
    from inarch_plugins.dispatch.strategy import Structured

    settings = _settings(context)

    @functools.cache  # most profiles never use it
    def decisions() -> DecisionCache:
        from inarch_plugins.dispatch.cache import DecisionCache

        return DecisionCache.beside(context.cache_dir, settings.ttl_s, settings.max_entries)

    return [Structured(decisions, _watcher(context))]


@hookimpl
def inarch_tracers(context: PluginContext) -> list[Tracer]:
    """Return the tracer that removes decisions whose call was not valid."""
    return [_watcher(context)]


def _settings(context: PluginContext) -> Settings:
    return context.settings if isinstance(context.settings, Settings) else Settings()


def _watcher(context: PluginContext) -> Watcher:
    from inarch_plugins.dispatch.decision_tracer import Watcher

    known = _watchers.get(id(context))  # a watcher holds its context, so that the id stays its own
    if known is None:
        known = _watchers[id(context)] = Watcher(context)
    return known
