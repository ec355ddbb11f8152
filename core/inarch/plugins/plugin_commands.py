"""Commands that plugins add to the command line: loaded when they are called, never before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.errors import PluginError, UsageError
from inarch.contract.guard import guarded
from inarch.plugins.discovery import FoundCommand, FoundPlugin, discover

if TYPE_CHECKING:
    import click

    from inarch.config.config import Config


def load_command(found: FoundCommand, config: Config) -> click.Command:
    """Import a plugin's command, once its plugin has passed its probe.

    Raises:
        UsageError: The profile does not have the command's plugin, or this is safe mode.
        PluginError: The plugin or the command can't be loaded.
    """
    owner = _owner(found, config)
    if owner is None:
        name = found.plugin or found.distribution
        raise UsageError(
            f"command {found.name!r} belongs to plugin {name!r}, which profile {config.profile.name!r} does not have",
            f"add {name!r} to its `plugins`",
        )
    if config.is_isolated(owner.name):
        raise UsageError(
            f"command {found.name!r} belongs to plugin {owner.name!r}, whose code runs in a process of its own only",
            f'use mode = "in-process" in [isolation.{owner.name}]',
        )
    from inarch.plugins.modules import load_module
    from inarch.plugins.plugin_loader import PROBE_SECONDS, admit

    admit(owner, config, PROBE_SECONDS)
    module, _, attribute = found.target.partition(":")
    loaded = load_module(owner._replace(module=module))
    import click

    with guarded(owner.name, "load"):
        command = getattr(loaded, attribute)
    if not isinstance(command, click.Command):
        raise PluginError(
            f"plugin {owner.name!r}: {found.target} is no click command",
            plugin=owner.name,
            door="command",
            remedy="report it to its author",
        )
    return command


def left_out(what: str, part: str) -> UsageError:
    """Return the error for something of a built-in part that is left out."""
    return UsageError(f"{what} is of the built-in part {part!r}, which is left out", f"take -p no:{part} away")


def _owner(found: FoundCommand, config: Config) -> FoundPlugin | None:
    """Return the plugin of the profile that shares distribution and top-level package with the command."""
    if config.safe_mode:
        raise UsageError(f"command {found.name!r} is a plugin's", "INARCH_SAFE_MODE=1 loads none; unset it")
    plugins = discover().plugins
    for name in config.profile.plugins:
        plugin = plugins.get(name)
        if plugin and plugin.owns(found):
            return plugin
    return None
