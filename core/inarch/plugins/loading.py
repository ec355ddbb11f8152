"""One plugin from its name to its registration: probed if it is foreign, imported, given its settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pluggy
from attrs import evolve, frozen

from inarch.contract.errors import PluginError
from inarch.contract.records import PluginContext, Refused
from inarch.plugins.discovery import Discovery, FoundPlugin
from inarch.plugins.modules import load_module
from inarch.plugins.registration import Registration, register

if TYPE_CHECKING:
    from inarch.config import Config
    from inarch.plugins.probing import Outcome, ProbeJob

PROBE_SECONDS = 5.0
AUTO_KEYS = (("GEMINI_API_KEY", "gemini"), ("OPENROUTER_API_KEY", "openrouter"))
"""In this order `model = "auto"` looks for a key; without one it asks the user's own server, if there is one."""
AUTO_ADDRESS = "openai-compatible"
"""The plugin whose `base_url` counts for `auto` where no key is set and something listens there."""


@frozen
class _NoSettings:
    """The settings of a plugin that has none: any key in its table is one too many."""


def load_plugin(
    found: FoundPlugin, config: Config, manager: pluggy.PluginManager, probe_seconds: float, recorded: bool = True
) -> Registration:
    """Load a plugin and return what it registered.

    Raises:
        PluginError: It must not or can't be loaded, or broke its side of the contract.
        ConfigError: Its settings in the configuration are wrong.
    """
    from inarch.config import project_folder, user_folder

    outcome = admit(found, config, probe_seconds)

    def context_for(cls: type | None) -> PluginContext:
        settings = settings_of(found.name, cls, config)
        if outcome == "settings":  # right for us, yet the probe could not make them, so the hooks are untried
            raise PluginError(
                f"plugin {found.name!r} could not be probed: its settings can't be made from plain data",
                plugin=found.name,
                door="settings",
                remedy="give every setting a default, or report it to the plugin's author",
            )
        context = context_of(found, config, settings, recorded)
        return evolve(context, user=user_folder(config), project=project_folder(config))

    if found.ours:
        return register(load_module(found), found.name, manager, context_for)
    from inarch.plugins.standing import standing

    with standing(found.name):
        return register(load_module(found), found.name, manager, context_for)


def context_of(found: FoundPlugin, config: Config, settings: object, recorded: bool) -> PluginContext:
    """Return what the hooks of a plugin are told, but for the folders of the configuration."""
    return PluginContext(
        found.name,
        config.root,
        settings,
        config.commands,
        str(config.cache_dir / "plugins" / found.name),
        str(config.state_dir / "plugins" / found.name),
        recorded,
        environ=config.environ,
    )


def admit(found: FoundPlugin, config: Config, probe_seconds: float) -> Outcome:
    """Return at once for our own plugins; let any other pass a probe first.

    Raises:
        PluginError: The plugin must not be loaded.
    """
    if found.ours:
        return "passed"
    from inarch.plugins.probing import probe

    return probe(found, probe_job(found, config, probe_seconds))


def probe_job(found: FoundPlugin, config: Config, seconds: float, commands: tuple[str, ...] = ()) -> ProbeJob:
    """Return what the probe of a plugin is told: what its place in the configuration gives it."""
    from inarch.plugins.probing import ProbeJob

    table = config.plugin_tables.get(found.name, {})
    variables = {key: value for key, value in config.environ.items() if key.startswith("INARCH_PLUGIN_")}
    return ProbeJob(config.root, table, variables, config.cache_dir, seconds, commands=commands)


def settings_of(name: str, cls: type | None, config: Config) -> object:
    """Return what the hooks are told; where a plugin has no settings, its table must be empty."""
    if cls is not None:
        return config.settings(name, cls)
    if config.plugin_tables.get(name):
        config.settings(name, _NoSettings)
    return {}


def providers_named(config: Config, discovery: Discovery) -> Iterator[tuple[str, str]]:
    """Yield the plugins that the profile's models name, each with the profile's key that names it.

    `PROVIDER/NAME` is split at the first slash; `auto` names the installed providers whose key or address the user has
    given, and the offline one.
    """
    profile = config.profile
    models = [("model", profile.model), *(("fallback", item) for item in profile.fallback)]
    if profile.decision_model:
        models.append(("decision_model", profile.decision_model))
    for key, model in models:
        if model == "auto":
            yield from ((name, key) for name in _auto(config) if name in discovery.plugins)
        else:
            yield model.partition("/")[0], key


def _auto(config: Config) -> Iterator[str]:
    keyed = [name for variable, name in AUTO_KEYS if config.environ.get(variable)]
    yield from keyed
    if not keyed and _has_address(config):
        yield AUTO_ADDRESS
    yield "offline"


def _has_address(config: Config) -> bool:
    """Whether the user, not the project, has said where a compatible server is."""
    if config.environ.get(f"INARCH_PLUGIN_{AUTO_ADDRESS.upper().replace('-', '_')}__BASE_URL"):
        return True
    if not config.plugin_tables.get(AUTO_ADDRESS, {}).get("base_url"):
        return False
    origin = config.origins.get(f"plugins.{AUTO_ADDRESS}.base_url")
    return origin is not None and origin.source in (str(config.config_path), "config")


def absent(name: str, discovery: Discovery, config: Config, key: str) -> Refused:
    """Return the refusal of a plugin that is not installed, with the nearest name that is.

    Args:
        name: The plugin's name.
        discovery: What is installed.
        config: Knows where the name was given.
        key: The profile's key that names it.
    """
    from difflib import get_close_matches

    near = get_close_matches(name, discovery.plugins, 1)
    origin = config.origins.get(f"profiles.{config.profile.name}.{key}")
    where = f" ({origin})" if origin is not None else ""
    remedy = f"install it, or take it out of the profile's `{key}`{where}"
    if near:
        remedy = f"did you mean {near[0]!r}? Else {remedy}"
    return Refused(name, "", "", "is not installed", remedy)
