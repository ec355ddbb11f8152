"""Port of loaders, which load a plugin outside this process: their input and output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.records import PluginContext


@frozen
class LoadJob:
    """Plugin that the user wants loaded elsewhere, with everything known about it.

    Args:
        found: Identifies it for `load_alone`, which loads it there; plain data.
        context: The context its hooks would receive here, without its settings; `environ` has all the user's variables.
        table: `[isolation.NAME]`, with its defaults.
        settings: `[plugins.NAME]`, unchecked.
        variables: The environment variables that give settings.
        code: Files and folders of the plugin's own code.
        kept: Inarch's own folders: configuration, state, cache.
        seconds: Time limit for loading.
    """

    found: Mapping[str, Any]
    context: PluginContext
    table: Mapping[str, Any]
    settings: Mapping[str, Any]
    variables: Mapping[str, str]
    code: tuple[str, ...]
    kept: tuple[str, ...]
    seconds: float

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.context.name


@frozen
class Offered:
    """Registration of a plugin: the hooks it defines, proxies of its objects by kind, and its settings."""

    hooks: tuple[str, ...]
    offers: Mapping[str, Sequence[Any]]
    settings: object | None = None


class Loading(Protocol):
    """Plugin that is loaded or loading."""

    def wait(self) -> Offered:
        """Return its registration once it is loaded.

        Raises:
            PluginError: It cannot be loaded.
            ConfigError: Its settings are wrong; `key` and `source` are the given ones.
        """

    def close(self) -> None:
        """End all processes of it; may be called twice."""


class Loader(Protocol):
    """Port of an object that loads plugins in its own way; `mode` of `[isolation.NAME]` names it."""

    @property
    def name(self) -> str:
        """The mode."""

    def begin(self, job: LoadJob) -> Loading:
        """Begin to load a plugin, without waiting for it.

        Raises:
            PluginError: It cannot be loaded this way.
        """
