"""Web plugin: a browser page that shows sessions, asks for approvals and lets you select elements of your page."""

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
    """Return the plugin's settings in a composition."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.web]`."""
    return Settings


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tools that list, select, change and navigate in the user's own page."""
    from inarch_web.pointing.frame_tools import tools

    return tools()


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the context source of the user's selection."""
    from inarch_web.pointing.frame_tools import Selected

    return [Selected()]
