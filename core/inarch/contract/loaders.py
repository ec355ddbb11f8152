"""What loads a plugin elsewhere than in this process: what it is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.records import PluginContext


@frozen
class LoadJob:
    """A plugin that the user wants loaded elsewhere, and all that there is to know of it.

    Args:
        found: Names it for `load_alone`, which loads it there; plain data.
        context: What its hooks would be told here, but for its settings; `environ` has every variable of the user's.
        table: `[isolation.NAME]`, with its defaults.
        settings: `[plugins.NAME]`, unchecked.
        variables: The environment variables that give settings.
        code: Files and folders of the plugin's own code.
        kept: Places of Inarch's own: configuration, state, cache.
        seconds: After which it counts as one that hangs.
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
    """What a plugin registers: the hooks it defines, the objects that stand for its own, by kind, and its settings."""

    hooks: tuple[str, ...]
    offers: Mapping[str, Sequence[Any]]
    settings: object | None = None


class Loading(Protocol):
    """A plugin that is loaded, or on its way."""

    def wait(self) -> Offered:
        """Return what it registers, once it is loaded.

        Raises:
            PluginError: It can't be loaded.
            ConfigError: Its settings are wrong; `key` and `source` are those that it was given.
        """

    def close(self) -> None:
        """End whatever runs for it; may be called twice."""


class Loader(Protocol):
    """Loads plugins in a way of its own; `mode` of `[isolation.NAME]` names it."""

    @property
    def name(self) -> str:
        """The mode."""

    def begin(self, job: LoadJob) -> Loading:
        """Begin to load a plugin, without waiting for it.

        Raises:
            PluginError: It can't be loaded this way.
        """
