"""What `inarch plugins` shows: one row for each installed or wanted plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from attrs import asdict, frozen

from inarch.host import Composition, Config, Discovery, FoundPlugin, Options, compose_plugins, discover, load_config

if TYPE_CHECKING:
    from inarch import Refused

State = Literal["loaded", "built-in", "refused", "available"]


@frozen
class Row:
    """One plugin. `available` is installed but not in the profile, and therefore not imported.

    `built-in` is a part of Inarch itself, which every profile has.
    """

    name: str
    state: State
    distribution: str = ""
    version: str = ""
    module: str = ""
    location: str = ""
    ours: bool = False
    hooks: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""

    @property
    def origin(self) -> str:
        """Distribution and version."""
        return f"{self.distribution} {self.version}".strip()

    def data(self) -> dict[str, Any]:
        """Return the row as plain JSON data."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


@frozen
class Inventory:
    """All rows: loaded ones in the order of the profile, refused and built-in ones, the available; `notes` on settings.

    The rest is what they were made from.
    """

    rows: tuple[Row, ...]
    safe_mode: bool
    notes: tuple[str, ...]
    config: Config
    discovery: Discovery
    composition: Composition

    def nearest(self, name: str) -> str:
        """Return the remedy for a name that nobody has."""
        from difflib import get_close_matches

        near = get_close_matches(name, [row.name for row in self.rows], 1)
        return f"did you mean {near[0]!r}?" if near else "`inarch plugins list` shows them all"


def take_inventory(options: Options) -> Inventory:
    """Compose the profile's plugins, without opening a workspace or a store, and look at everything installed.

    Raises:
        ConfigError: The configuration is wrong.
    """
    config = load_config(os.path.realpath(options.root), profile=options.profile, flags=options.flags)
    found = discover()
    composition = compose_plugins(config, without=options.without, files=options.files)
    rows = [*_loaded(composition, found), *(_refused(item, found) for item in composition.refused)]
    rows += [
        _row(found.builtins[name], "built-in", found, hooks=one.hooks, tools=one.tools)
        for name, one in composition.builtins.items()
    ]
    named = {row.name for row in rows}
    rows += [_row(plugin, "available", found) for name, plugin in sorted(found.plugins.items()) if name not in named]
    notes = (*config.notes, *config.hints(row.name for row in rows))
    return Inventory(tuple(rows), config.safe_mode, notes, config, found, composition)


def _loaded(composition: Composition, found: Discovery) -> Iterator[Row]:
    for plugin in composition.loaded:
        installed = found.plugins.get(plugin.name)
        if installed is None or installed.distribution != plugin.distribution:  # a single file
            installed = FoundPlugin(plugin.name, "", plugin.distribution, plugin.version, "")
        yield _row(installed, "loaded", found, hooks=plugin.hooks, tools=plugin.tools)


def _refused(refused: Refused, found: Discovery) -> Row:
    installed = found.plugins.get(refused.name)
    if installed is None or installed.distribution != refused.distribution:
        installed = FoundPlugin(refused.name, "", refused.distribution, refused.version, "")
    return _row(installed, "refused", found, reason=refused.reason, remedy=refused.remedy)


def _row(plugin: FoundPlugin, state: State, found: Discovery, **more: Any) -> Row:
    commands = tuple(command.name for command in found.commands.values() if plugin.owns(command))
    return Row(
        plugin.name, state, plugin.distribution, plugin.version, plugin.module, plugin.location, plugin.ours,
        commands=commands, **more,
    )  # fmt: skip
