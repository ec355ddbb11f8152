"""Rows of `inarch plugins`: one for each installed or requested plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

from inarch import App
from inarch.host import discover

if TYPE_CHECKING:
    from inarch.host import Options

State = Literal["loaded", "built-in", "refused", "available"]


@frozen
class Row:
    """One plugin. `available` is installed but not in the profile, and therefore not imported.

    `built-in` is a part of Inarch itself, included in every profile.
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


@frozen
class Inventory:
    """All rows: loaded ones in profile order, then refused, built-in and available ones; `notes` on settings.

    `app` is the application that they came from.
    """

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    app: App


def take_inventory(options: Options) -> Inventory:
    """Compose the profile's plugins without opening a workspace or a store, and list all installed plugins."""
    config = options.config()
    app = App.of(config, without=options.without, files=options.files, environ=config.environ)
    found, composition = discover(), app.composition

    def row(one: Any, state: State, **more: Any) -> Row:
        known = [group[one.name] for group in (found.plugins, found.builtins) if one.name in group]
        plugin = next((each for each in known if each.distribution == one.distribution), None)
        if plugin is None:  # a single file, or a missing plugin
            return Row(one.name, state, one.distribution, one.version, **more)
        commands = tuple(command.name for command in found.commands.values() if plugin.owns(command))
        place = plugin.module, plugin.location, plugin.ours
        return Row(one.name, state, one.distribution, one.version, *place, commands=commands, **more)

    rows = [row(one, "loaded", hooks=one.hooks, tools=one.tools) for one in composition.loaded]
    rows += [row(one, "refused", reason=one.reason, remedy=one.remedy) for one in composition.refused]
    rows += [row(one, "built-in", hooks=one.hooks, tools=one.tools) for one in composition.builtins.values()]
    named = {one.name for one in rows}
    rows += [row(plugin, "available") for name, plugin in sorted(found.plugins.items()) if name not in named]
    return Inventory(tuple(rows), (*config.notes, *config.hints(one.name for one in rows)), app)
