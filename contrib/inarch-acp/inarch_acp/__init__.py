"""An Agent Client Protocol server: Inarch in editors that speak this protocol."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

import inarch


@frozen
class Settings:
    """Settings of the server.

    Args:
        models: Models that the editor offers besides the profile's own, as `PROVIDER/NAME`.
    """

    models: tuple[str, ...] = ()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.acp]`."""
    return Settings


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the context source for the pictures of a prompt."""
    from inarch_acp.prompts import Pictures

    return [Pictures()]
