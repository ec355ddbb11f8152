"""The plugin's hooks."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from inarch import PluginContext, Tool, hookimpl


@frozen
class Settings:
    """Settings of the brief tracer.

    Args:
        index_seconds: How long one call may read and parse; the next call goes on where it stopped.
    """

    index_seconds: float = 4.0


@hookimpl
def inarch_settings() -> type:
    """Give the class of `[plugins.brief-tracer]`."""
    return Settings


@hookimpl
def inarch_tools(context: PluginContext) -> Iterable[Tool]:
    """Give the tools, over one index of the composition's root."""
    from inarch_brief_tracer.tools import Desk, tools

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    return tools(Desk(context.cache_dir, context.root, settings.index_seconds))
