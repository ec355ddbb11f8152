"""The isolated plugins of one composition: started early and side by side, ended with it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.contract.errors import ConfigError, PluginError
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.isolation.host import START_S, Host
from inarch.plugins.isolation.rights import launch
from inarch.plugins.loading import probe_job
from inarch.plugins.remembering import HOUR, Refusal, Verdicts, key_of

if TYPE_CHECKING:
    from inarch.config import Config
    from inarch.plugins.registration import Registration


def verdicts_of(found: FoundPlugin, config: Config) -> Verdicts | None:
    """Return where it is remembered that an isolated plugin hung: it must not cost every start its time."""
    try:
        return Verdicts(config.cache_dir / "probes", f"{key_of(found)}.isolated")
    except OSError:  # files that can't be read: its process will say so
        return None


@define(eq=False, repr=False)
class Hosts:
    """Hosts by the plugin's name; a plugin whose table says anything else than `process` has none."""

    _config: Config
    _recorded: bool
    _start_s: float = START_S
    _hosts: dict[str, Host] = field(factory=dict)
    _refused: dict[str, PluginError] = field(factory=dict)
    _begun: dict[str, float] = field(factory=dict)

    def has(self, name: str) -> bool:
        """Whether the plugin runs in a process of its own."""
        return self._config.is_isolated(name)

    def begin(self, found: FoundPlugin) -> None:
        """Start the plugin's process, if it is to have one, without waiting for it."""
        if not self.has(found.name) or found.name in self._hosts:
            return
        verdicts = verdicts_of(found, self._config)
        remembered = verdicts.refusal(self._given(found)) if verdicts else None
        if remembered is not None:
            remedy = f"{remembered.remedy}; `inarch plugins check {found.name}` tries it again"
            message = f"plugin {found.name!r} {remembered.text}"
            self._refused[found.name] = PluginError(message, plugin=found.name, door="load", remedy=remedy)
            return
        self._begun[found.name] = time.monotonic()
        try:
            started = launch(found, self._config, self._config.isolation[found.name], self._recorded)
            host = self._hosts[found.name] = Host(found.name, started, self._start_s)
            host.begin()
        except PluginError as error:
            self._refused[found.name] = error

    def load(self, found: FoundPlugin) -> Registration:
        """Return what the plugin registered: proxies.

        Raises:
            PluginError: It can't be isolated, can't be loaded, or broke its side of the contract.
            ConfigError: Its settings in the configuration are wrong.
        """
        from inarch.plugins.isolation.loading import load_isolated

        self.begin(found)
        if found.name in self._refused:
            raise self._refused[found.name]
        host = self._hosts[found.name]
        try:
            return load_isolated(found, self._config, host, self._recorded)
        except PluginError as error:
            host.close()
            self._keep(found, error)
            raise
        except ConfigError:  # nothing is composed
            for one in self._hosts.values():
                one.close()
            raise

    def _keep(self, found: FoundPlugin, error: PluginError) -> None:
        verdicts = verdicts_of(found, self._config)
        if verdicts and time.monotonic() - self._begun[found.name] >= self._start_s:
            text = error.message.removeprefix(f"plugin {found.name!r} ")
            verdicts.keep_refusal(Refusal(text, error.remedy, HOUR), self._given(found))

    def _given(self, found: FoundPlugin) -> Mapping[str, Any]:
        """Return what, changed, could let a refused plugin pass."""
        given = probe_job(found, self._config, self._start_s).given
        return {**given, "isolation": repr(self._config.isolation[found.name])}

    def refuse(self, name: str) -> None:
        """End the process of a plugin that is not composed after all."""
        host = self._hosts.pop(name, None)
        if host is not None:
            host.close()

    def running(self) -> Mapping[str, Host]:
        """Return the hosts."""
        return dict(self._hosts)
