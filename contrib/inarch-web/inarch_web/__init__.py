"""Web: a page in a browser that shows sessions, asks about calls, and lets a person point at things."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen, validators

import inarch


@frozen
class Settings:
    """Settings of `[plugins.web]`.

    Args:
        idle_minutes: Minutes after which a page that does nothing is logged out; while a turn runs it is not.
    """

    idle_minutes: float = field(default=60.0, validator=validators.gt(0))


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the settings of a composition."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.web]`."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools that look at the user's own page, select in it and lead it elsewhere."""
    from inarch_web.pointing.frame_tools import tools

    return tools()


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the source of what the user points at."""
    from inarch_web.pointing.frame_tools import Selected

    return [Selected()]
