"""Loading of one plugin from its name to its registration: probed if foreign, imported, configured."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from attrs import evolve
from pluggy import PluginManager

from inarch.contract.errors import PluginError
from inarch.contract.frozen import frozen
from inarch.contract.records import PluginContext, Refused
from inarch.plugins.discovery import Discovery, FoundPlugin, Ready, full_name
from inarch.plugins.modules import load_module
from inarch.plugins.registration import Registration, register
from inarch_sdk.settings import plugin_variable

if TYPE_CHECKING:
    from inarch.config.config import Config
    from inarch.config.plugin_folders import Folders


@frozen
class _NoSettings:
    """Settings of a plugin without settings: its table must be empty."""


def load_plugin(
    found: FoundPlugin, config: Config, manager: PluginManager, folders: Folders, recorded: bool
) -> Registration:
    """Load a plugin and return its registration."""
    odd = admit(found, config)

    def context_for(cls: type | None) -> PluginContext:
        settings = settings_of(found.name, cls, config)
        if odd:  # valid here, but the probe could not create them, so the hooks are untested
            raise PluginError(
                f"plugin {found.name!r} could not be probed: its settings can't be made from plain data",
                plugin=found.name,
                door="settings",
                remedy="give every setting a default, or report it to the plugin's author",
            )
        return evolve(context_of(found, config, settings, recorded), **folders)

    return register(load_module(found), found.name, manager, context_for)


def context_of(found: FoundPlugin, config: Config, settings: object, recorded: bool) -> PluginContext:
    """Return the context for a plugin's hooks, without the folders of the configuration."""
    return PluginContext(
        found.name,
        config.root,
        settings,
        config.commands,
        str(config.cache_dir / "plugins" / found.name),
        str(config.state_dir / "plugins" / found.name),
        recorded,
        environ=config.environ,
        added=config.added,
    )


def admit(found: FoundPlugin, config: Config) -> str:
    """Let a foreign plugin pass a probe first; return the fault of its settings there, or ""."""
    if found.ours:
        return ""
    from inarch.plugins.probe import probe

    tried = probe(found, config)
    if tried.refusal is None:
        return tried.settings
    text, remedy = tried.refusal
    raise PluginError(f"plugin {found.name!r} {text}", plugin=found.name, door="load", remedy=remedy)


def settings_of(name: str, cls: type | None, config: Config) -> object:
    """Return the settings for the hooks; if a plugin has no settings, its table must be empty."""
    if cls is not None:
        return config.settings(name, cls)
    if config.plugin_tables.get(name):
        config.settings(name, _NoSettings)
    return {}


def providers_named(config: Config, discovery: Discovery, auto: bool) -> Iterator[tuple[str, str]]:
    """Yield the plugins that the profile's models name, each with the profile's key that names it.

    `PROVIDER/NAME` is split at the first slash. `auto`, if it may mean any provider, names the installed ones whose key
    or address the user has given, and those that need nothing.
    """
    profile = config.profile
    models = [("model", profile.model), *(("fallback", item) for item in profile.fallback)]
    if profile.decision_model:
        models.append(("decision_model", profile.decision_model))
    for key, model in models:
        if model == "auto":
            ready = ready_for(discovery, profile.plugins) if auto else ()
            yield from ((one.plugin, key) for one in ready if is_given(config, one))
        else:
            yield full_name(model, discovery.plugins, config.environ).partition("/")[0], key


def ready_for(discovery: Discovery, plugins: Collection[str]) -> list[Ready]:
    """Return the requirements of the shipped providers and others that the profile names, the lowest rank first."""
    return [one for one in discovery.ready if discovery.plugins[one.plugin].ours or one.plugin in plugins]


def is_given(config: Config, ready: Ready) -> bool:
    """Return whether the user has met a provider's requirements: the key, or the server's address."""
    if ready.variable:
        return bool(config.environ.get(ready.variable, "").strip())
    return ready.always or has_address(config, ready)


def has_address(config: Config, ready: Ready) -> bool:
    """Return whether the user, not the project, has given the server's address."""
    if config.environ.get(plugin_variable(ready.plugin) + ready.setting.upper()):
        return True
    if not config.plugin_tables.get(ready.plugin, {}).get(ready.setting):
        return False
    origin = config.origins.get(f"plugins.{ready.plugin}.{ready.setting}")
    return origin is not None and origin.source in (str(config.config_path), "config")


def absent(name: str, discovery: Discovery, config: Config, key: str) -> Refused:
    """Return the refusal of a plugin that is not installed, with the nearest installed name.

    Args:
        name: The plugin's name.
        discovery: The installed plugins.
        config: Knows where the name was given.
        key: The profile's key that names it.
    """
    from inarch_sdk.suggestions import closest

    near = closest(name, discovery.plugins)
    origin = config.origins.get(f"profiles.{config.profile.name}.{key}")
    where = f" ({origin})" if origin is not None else ""
    remedy = f"install it, or take it out of the profile's `{key}`{where}"
    if near:
        remedy = f"did you mean {near!r}? Else {remedy}"
    return Refused(name, "", "", "is not installed", remedy)
