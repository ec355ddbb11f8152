"""Configuration of a run: its profile, tables and rules, and the origin of every value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve, field, frozen

from inarch.config.layers import Layer
from inarch.config.profile import PROFILE_KEYS, Profile
from inarch.config.values import BUILT_IN, Given, Origin, Source, culprit, plain, read_given
from inarch.contract.errors import ConfigError
from inarch_sdk.settings import dotted
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.config.grants import CommandGrant, Isolation, Rule

T = TypeVar("T")


@frozen(eq=False, repr=False)
class Chosen:
    """Given values: by all files together, for the keys of the profile in use, and the profile's name."""

    layer: Layer
    values: Mapping[str, Given]
    choice: Given


@frozen(eq=False, repr=False)
class Config:
    """Configuration of a run.

    Args:
        root: The project's folder, absolute, links resolved.
        profile: The profile in use, with variables and flags.
        profiles: Every profile, as the files give it.
        plugin_tables: `[plugins.NAME]`, unchecked; `settings` checks one.
        rules: `[[rules]]` of every file.
        commands: `[commands.NAME]`.
        isolation: `[isolation.NAME]`.
        trusted: Whether the project is trusted in its present state; only then may its `AGENTS.md` be read.
        notes: One line for each ignored part of the project.
        config_path: The user's file, whether it exists or not.
        state_dir: The folder for permanent data.
        cache_dir: The folder for data that can be rebuilt.
        safe_mode: Whether to load no plugin.
        environ: The variables this was made from.
        trusted_files: Hashes of the trusted files, by path; empty when `trusted` is false.
        may_allow: Plugins that may answer the approval mode's question, by the user's own file.
        added: Folders beside the root whose files belong to the workspace, too; absolute, links resolved.
        copy_of: The project's own folder, if `root` is a temporary copy of it; otherwise empty.
        settings_classes: The settings class of each plugin whose settings were read so far.
    """

    root: str
    profile: Profile
    profiles: Mapping[str, Profile]
    plugin_tables: Mapping[str, Mapping[str, Any]]
    rules: tuple[Rule, ...]
    commands: Mapping[str, CommandGrant]
    isolation: Mapping[str, Isolation]
    trusted: bool
    notes: tuple[str, ...]
    config_path: Path
    state_dir: Path
    cache_dir: Path
    safe_mode: bool
    environ: Mapping[str, str]
    trusted_files: Mapping[str, str]
    may_allow: tuple[str, ...]
    _given: Chosen
    added: tuple[str, ...] = field(default=(), kw_only=True)
    copy_of: str = ""
    settings_classes: dict[str, type] = field(factory=dict, kw_only=True)

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Origin of each value, by dotted key: `profile`, the keys of the profile in use, every table."""
        layer = self._given.layer
        base = ("profiles", self.profile.name)
        found = {"profile": self._given.choice.origin}
        for key in PROFILE_KEYS:
            given = self._given.values.get(key)
            found[dotted((*base, key))] = given.origin if given else Origin(BUILT_IN.name)
        for kind, tables in (("plugins", layer.plugins), ("isolation", layer.isolation)):
            for name, table in tables.items():
                found |= {dotted((kind, name, key)): given.origin for key, given in table.items()}
        found |= {dotted(("commands", name)): given.origin for name, given in layer.commands.items()}
        return found | {dotted(("rules", index)): given.origin for index, given in enumerate(layer.rules)}

    def sets(self, key: str) -> bool:
        """Return whether a source other than the defaults set a key of the profile in use."""
        return key in self._given.values

    def naming(self, plugins: Iterable[str]) -> Config:
        """Return the same with a profile that also names these plugins, after its own, for this run."""
        named = self.profile.plugins
        more = [name for name in plugins if name not in named]
        return evolve(self, profile=evolve(self.profile, plugins=(*named, *more))) if more else self

    def is_isolated(self, plugin: str) -> bool:
        """Return whether the plugin is to run outside this process."""
        table = self.isolation.get(plugin)
        return table is not None and table.mode != "in-process"

    def error(self, key: str, message: str, remedy: str = "") -> ConfigError:
        """Return the error for a key of the profile in use, with the origin of its value."""
        given = self._given.values.get(key)
        if given is not None:
            return given.error(message, remedy)
        return ConfigError(message, key=dotted(("profiles", self.profile.name, key)), remedy=remedy)

    def settings(self, plugin: str, cls: type[T]) -> T:
        """Return a plugin's settings: `[plugins.NAME]` and `INARCH_PLUGIN_<NAME>__<KEY>`, as its attrs class.

        Raises:
            ConfigError: The first fault.
        """
        self.settings_classes[plugin] = cls
        problems: list[ConfigError] = []
        settings = self._settings(plugin, cls, problems)
        if settings is None or problems:
            raise problems[0]
        return settings

    def setting_error(self, plugin: str, path: tuple[str | int, ...], message: str, remedy: str = "") -> ConfigError:
        """Return the error for the value at `path` of a plugin's table, as the file or mapping gives it."""
        given = self._given.layer.plugins.get(plugin, {})
        one = given.get(str(path[0])) if path else None
        source = one.source if one is not None else self._settings_source(given)
        return source.error(("plugins", plugin, *path), message, remedy)

    def settings_problems(self, plugin: str, cls: type) -> tuple[ConfigError, ...]:
        """Return all errors in a plugin's settings; a class that fails is the plugin's fault."""
        from inarch.contract.errors import PluginError
        from inarch.contract.guard import guarded

        problems: list[ConfigError] = []
        try:
            with guarded(plugin, "settings"):
                self._settings(plugin, cls, problems)
        except PluginError:
            pass
        return tuple(problems)

    def hints(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return a line for each table and each variable of an unknown plugin."""
        from inarch.config.environment import stray_variables

        known = set(known)
        found = []
        for kind, tables in (("plugins", self._given.layer.plugins), ("isolation", self._given.layer.isolation)):
            for name, table in tables.items():
                if name not in known:
                    first = next(iter(table.values()), None)
                    where = f"{Given(table, first.source, (kind, name)).origin}: " if first else ""
                    told = f"[{dotted((kind, name))}] is for no plugin that is installed"
                    near = nearest(name, known)
                    hint = near if near.startswith("did") else "`inarch plugins list` shows what is"
                    found.append(f"{where}{told}; {hint}")
        return (*found, *stray_variables(self.environ, known))

    def _settings(self, plugin: str, cls: type[T], problems: list[ConfigError]) -> T | None:
        from inarch.config.environment import plugin_values

        found: list[ConfigError] = []
        given = {**self._given.layer.plugins.get(plugin, {}), **plugin_values(plugin, cls, self.environ, found)}
        table = Given(None, self._settings_source(given), ("plugins", plugin))
        values = plain(read_given(cls, given, table, found))
        problems += found
        if found:
            return None
        try:
            return cls(**values)
        except (TypeError, ValueError) as error:  # a validator of the plugin's class
            name, message = culprit(error, cls, values)
            problems.append(given.get(name, table).error(message))
            return None

    def _settings_source(self, given: Mapping[str, Given]) -> Source:
        in_files = [one.source for one in given.values() if one.source.text is not None]
        return in_files[0] if in_files else Source(str(self.config_path))
