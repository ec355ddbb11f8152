"""Load of one plugin in a separate process, configured only by the arguments: for loaders and the probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from inarch.contract.loaders import Offered
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import load_module
from inarch.plugins.registration import check_schemas, new_manager, register


def load_alone(
    found: Mapping[str, Any],
    context: PluginContext,
    settings: Mapping[str, Any],
    variables: Mapping[str, str],
    entering: Callable[[str], None] = lambda hook: None,
) -> Offered:
    """Load the plugin of a `LoadJob` and return its registration.

    Args:
        found: As in the job.
        context: The context of its hooks, without its settings.
        settings: `[plugins.NAME]`.
        variables: The environment variables that give settings.
        entering: Called with the name of each hook before the hook is called.

    Raises:
        PluginError: It cannot be loaded, or broke its side of the contract.
        ConfigError: Its settings are wrong.
    """
    plugin = FoundPlugin(**found)

    def context_for(cls: type | None) -> PluginContext:
        return context if cls is None else evolve(context, settings=_settings(plugin.name, cls))

    def _settings(name: str, cls: type) -> Any:
        from inarch.config.load import load_config

        environ = {"HOME": context.state_dir, **variables}
        tables = {"plugins": {name: settings}} if settings else {}
        return load_config(context.state_dir, config=tables, environ=environ).settings(name, cls)

    registration = register(load_module(plugin), plugin.name, new_manager(), context_for, entering)
    check_schemas(plugin.name, registration.offers)
    made = None if registration.context is context else registration.context.settings
    return Offered(registration.hooks, registration.offers, made)
