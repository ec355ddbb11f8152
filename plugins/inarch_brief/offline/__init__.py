"""The offline planner: a model provider without a model, that plans by rules and answers by extraction.

Its answers come from tool results only, and each statement says in which file and line it stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

import inarch
from inarch_brief.offline.offline_model import Offline


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.offline]`.

    Args:
        long: Whether to give full answers, as after `in full`.
    """

    long: bool = False


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `offline`."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    return [Offline(context.environ, settings.long, context.added)]
