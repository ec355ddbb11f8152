"""Settings of `[plugins.agents]`."""

from __future__ import annotations

from attrs import field, frozen, validators

import inarch


@frozen(eq=False, repr=False)
class Settings:
    """Settings of `[plugins.agents]`.

    Args:
        together: How many tasks of one turn run at the same time: those that only read or have a work tree.
        builtin: Whether there is the agent `explore`, which only reads, where no file brings another one.
    """

    together: int = field(default=4, validator=validators.ge(1))
    builtin: bool = True


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the plugin's settings."""
    return context.settings if isinstance(context.settings, Settings) else Settings()
