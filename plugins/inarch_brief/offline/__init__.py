"""The offline planner: a model provider without a model that plans by rules and answers by extraction.

Its answers come from tool results only, and each statement cites its file and line.
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
        long: Whether answers are always in full, as after `in full` behind a question.
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
