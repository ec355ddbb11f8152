"""Command of a plugin: loaded after probing, called through the guard.

If Inarch itself knows the command, as a word of `inarch.offered`, typing it adds its plugin to this run, and the word
is never a prompt. Any other command exists only if the profile names its plugin.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from inarch.contract.errors import InarchError, PluginError, UsageError
from inarch.contract.guard import guarded
from inarch.contract.metadata import shipped
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundCommand, FoundPlugin, discover
from inarch.plugins.modules import load_module
from inarch.plugins.plugin_loader import admit, load_plugin

if TYPE_CHECKING:
    from inarch.config.config import Config

_BEFORE = ("--root", "--profile", "--quiet", "--no-color", "--debug")
"""Program options that precede every plugin command and determine how it is loaded."""
_OURS = (click.exceptions.Exit, click.Abort, click.ClickException, InarchError, BrokenPipeError)


class Foreign(click.Command):
    """Wrapper of a plugin's command, so that its errors name the plugin; `ctx.obj` is its `PluginContext`."""

    def __init__(self, inner: click.Command, context: PluginContext) -> None:
        super().__init__(inner.name, params=inner.params, help=inner.help)
        self._inner = inner
        self._context = context
        if isinstance(inner, click.Group):
            self.commands = inner.commands

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments as the plugin's command would."""
        with self._guarded():
            context = self._inner.make_context(info_name, args, parent, obj=self._context, **extra)
        context.command = self
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Call the plugin's command."""
        ctx.command = self._inner
        with self._guarded():
            return self._inner.invoke(ctx)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            with guarded(self._context.name, "command", passes=_OURS):
                yield
        except click.NoSuchOption as error:
            if error.option_name not in _BEFORE:
                raise
            before = f"inarch {error.option_name} … {self.name}"
            raise UsageError(f"{error.option_name} must precede a plugin's command", before) from None


def load_foreign(found: FoundCommand, given: Mapping[str, Any]) -> Foreign:
    """Load a plugin's command for the profile and root that the flags name.

    Raises:
        ConfigError: The configuration is wrong.
        UsageError: The root is not a directory, or the profile does not have the plugin.
        PluginError: The plugin could not be loaded.
    """
    from inarch.config.load import load_config
    from inarch.config.plugin_folders import folders_of
    from inarch.plugins.registration import new_manager

    root = os.path.realpath(given.get("root") or ".")
    if not os.path.isdir(root):  # noqa: PTH112 - beside realpath
        raise UsageError(f"{root} is not a directory", "name one with --root")
    config = load_config(root, profile=given.get("profile"))
    package = shipped().offered.get(found.name, "")
    if (found.package, found.distribution) == (package, package.replace("_", "-")):  # Inarch itself offers it
        config = config.naming((found.plugin,))
    if (keys := config.state_dir / "keys.json").is_file():
        from inarch.sessions.app import with_kept_keys  # most users have no stored keys

        config = evolve(config, environ=with_kept_keys(config.environ, keys, ()))
    command = load_command(found, config)
    plugin = discover().plugins[found.plugin]
    return Foreign(command, load_plugin(plugin, config, new_manager(), folders_of(config), True).context)


def load_command(found: FoundCommand, config: Config) -> click.Command:
    """Import a plugin's command, once its plugin has passed its probe.

    Raises:
        UsageError: The profile does not have the command's plugin, or this is safe mode.
        PluginError: The plugin or the command cannot be loaded.
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
    admit(owner, config)
    module, _, attribute = found.target.partition(":")
    loaded = load_module(owner._replace(module=module))
    with guarded(owner.name, "load"):
        command = getattr(loaded, attribute)
    if not isinstance(command, click.Command):
        raise PluginError(
            f"plugin {owner.name!r}: {found.target} is not a click command",
            plugin=owner.name,
            door="command",
            remedy="report it to its author",
        )
    return command


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
