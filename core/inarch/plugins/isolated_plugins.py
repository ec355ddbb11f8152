"""Plugins that the user wants loaded outside this process: by the loader that `mode` names, or not at all."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict, define, field, frozen

from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guard import blame, guarded
from inarch.contract.loaders import Loader, Loading, LoadJob
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import locate, tried_file
from inarch.plugins.plugin_loader import context_of, settings_of
from inarch.plugins.probe import Needs, needs_of, probe, refusal_again, remember, remembered, verdict_file
from inarch.plugins.registration import Registration, registration_of

if TYPE_CHECKING:
    from inarch.config.config import Config
    from inarch.plugins.probe import Tried

START_S = 20.0
"""Seconds that such a plugin has to load."""


@define(eq=False, repr=False)
class Apart:
    """Loads in progress, by the plugin's name; all plugins outside this process start concurrently."""

    _config: Config
    _recorded: bool
    _seconds: float = START_S
    _begun: dict[str, tuple[Loading, float]] = field(factory=dict)
    _refused: dict[str, PluginError] = field(factory=dict)

    @property
    def running(self) -> Mapping[str, Loading]:
        """Loads that must be ended, by the plugin's name."""
        return {name: loading for name, (loading, _) in self._begun.items()}

    def begin(self, found: FoundPlugin, loader: Loader) -> None:
        """Begin to load a plugin, without waiting for it; `load` reports any failure."""
        name = found.name
        if name in self._begun or name in self._refused:
            return
        try:
            self._check_remembered(found)
            begun = time.monotonic()
            with guarded(name, "load", (ConfigError,)):
                self._begun[name] = (loader.begin(self._job(found)), begun)
        except PluginError as error:
            self._refused[name] = error

    def load(self, found: FoundPlugin, loader: Loader) -> Registration:
        """Return the plugin's registration."""
        self.begin(found, loader)
        if found.name in self._refused:
            raise self._refused[found.name]
        loading, begun = self._begun[found.name]
        try:
            return self._registration(found, loading)
        except PluginError as error:
            loading.close()
            # Only a hang is remembered: any other failure shows at once when it is tried again.
            if time.monotonic() - begun >= self._seconds and (file := self._verdict(found)):
                remember(file, error.reason)
            raise
        except ConfigError:  # nothing is composed
            for one in self.running.values():
                one.close()
            raise

    def drop(self, name: str) -> None:
        """End the processes of a plugin that is not composed after all."""
        if name in self._begun:
            self._begun.pop(name)[0].close()

    def _registration(self, found: FoundPlugin, loading: Loading) -> Registration:
        config = self._config
        try:
            with guarded(found.name, "load", (ConfigError,)):
                offered = loading.wait()
        except ConfigError as error:
            raise _settings_error(found.name, config, error) from None
        settings = offered.settings
        if settings is None:
            settings = settings_of(found.name, None, config)
        else:
            config.settings_classes[found.name] = type(settings)
        return registration_of(context_of(found, config, settings, self._recorded), offered)

    def _job(self, found: FoundPlugin) -> LoadJob:
        from inarch.config.directories import config_dir
        from inarch_sdk.settings import plugin_variable

        config, beginning = self._config, plugin_variable(found.name)
        return LoadJob(
            found._asdict(),
            context_of(found, config, {}, self._recorded),
            asdict(config.isolation[found.name]),
            config.plugin_tables.get(found.name, {}),
            {name: config.environ[name] for name in config.environ if name.startswith(beginning)},
            _code(found),
            tuple(map(str, (config.state_dir, config.cache_dir, config.config_path, config_dir(config.environ)))),
            self._seconds,
        )

    def _check_remembered(self, found: FoundPlugin) -> None:
        file = self._verdict(found)
        if file is not None and (fault := remembered(file)):
            text, remedy = refusal_again(found, fault)
            raise PluginError(f"plugin {found.name!r} {text}", plugin=found.name, door="load", remedy=remedy)

    def _verdict(self, found: FoundPlugin) -> Path | None:
        """Return the file that remembers that it hung with these rights; None if its files cannot be read."""
        rights = sha256(repr(self._config.isolation[found.name]).encode()).hexdigest()
        with suppress(OSError):  # its loader will report it
            return Path(f"{verdict_file(found, self._config.cache_dir)}.{rights[:16]}")
        return None


@frozen
class Trial:
    """Plugin, and the configuration that it is tried in."""

    found: FoundPlugin
    config: Config

    @classmethod
    def of_file(cls, path: str, config: Config) -> Trial:
        """Return the trial of a single file.

        Raises:
            UsageError: The file does not exist, cannot name a plugin, or may not be loaded.
        """
        return cls(tried_file(path, config), config)

    @property
    def contract(self) -> Needs:
        """Requirements of its distribution, and whether they are met."""
        return needs_of(self.found)

    def again(self, commands: tuple[str, ...]) -> Tried | None:
        """Probe the plugin and its commands regardless of the remembered result, and replace that result.

        A plugin that the user wants loaded elsewhere is not probed, because a probe would give it all the user's
        rights. What is remembered of it is deleted, and None is returned.
        """
        if not self.config.is_isolated(self.found.name):
            return probe(self.found, self.config, commands, afresh=True)
        with suppress(OSError):
            file = verdict_file(self.found, self.config.cache_dir)
            for kept in file.parent.glob(f"{file.name}.*"):
                kept.unlink()
        return None


def _code(found: FoundPlugin) -> tuple[str, ...]:
    """Return the file or the folder of the plugin's own code, if there is one."""
    if found.file:
        return (found.file,)
    spec = locate(found.module)
    if spec is None or not spec.origin or not spec.has_location:
        return ()
    return (str(Path(spec.origin).parent) if spec.submodule_search_locations else spec.origin,)


def _settings_error(name: str, config: Config, error: ConfigError) -> Exception:
    """Return the error about a setting, with the place where the kernel's own configuration gives it."""
    from inarch_sdk.settings import plugin_variable

    own, key, source = f"plugins.{name}", error.key, error.source
    bare = error.message.removeprefix(f"{source}: ").removeprefix(f"{key}: ")
    if not (key == own or key.startswith((f"{own}.", f"{own}[")) or source.startswith(plugin_variable(name))):
        # otherwise it could refuse everything
        return blame(name, "load", f"rejected its settings: {error.message:.200}")
    if not key.startswith("plugins.") or source.startswith("INARCH_"):
        return ConfigError(bare, source=source, key=key, remedy=error.remedy)
    steps = re.findall(r"\[(\d+)\]|\.([^.\[]+)", key.removeprefix("plugins").removeprefix(f".{name}"))
    path = tuple(int(index) if index else word for index, word in steps)
    return config.setting_error(name, path, bare, error.remedy)
