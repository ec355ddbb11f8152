"""`inarch plugins`: installed, loaded and refused plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError
from inarch.commands import Group, composing_options, say
from inarch.output import aligned, print_json, print_line
from inarch_plugins.commands.plugins.check import check
from inarch_plugins.commands.plugins.install import install, uninstall
from inarch_plugins.commands.plugins.new import new

if TYPE_CHECKING:
    from inarch_plugins.commands.plugins.rows import Inventory, Row


@click.group("plugins", cls=Group)
def plugins() -> None:
    """List, test, install, remove and create plugins."""


# Their modules import what a command needs when it is called, to keep this one light.
plugins.add_command(check)
plugins.add_command(install)
plugins.add_command(new)
plugins.add_command(uninstall)


@plugins.command("list", short_help="List all plugins.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def list_plugins(as_json: bool, **given: Any) -> None:
    """List plugins: loaded ones in the profile's order, refused ones, then the rest."""
    inventory = _inventory(given)
    safe_mode = inventory.app.config.safe_mode
    if as_json:
        from inarch import to_data

        print_json({"safe_mode": safe_mode, "plugins": to_data(inventory.rows)})
        return
    if safe_mode:
        click.echo("Safe mode: no plugin but the store is loaded (INARCH_SAFE_MODE=1).")
    if not inventory.rows:
        click.echo("No plugin is installed.")
        return
    named = [(row, f"{row.distribution} {row.version}".strip()) for row in inventory.rows]
    for line in aligned([(row.name, row.state, origin, _brought(row)) for row, origin in named]):
        print_line(line)


@plugins.command("show", short_help="Show one plugin with its settings.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def show_plugin(name: str, as_json: bool, **given: Any) -> None:
    """Show a plugin's origin, hooks, commands, settings and requirements."""
    inventory = _inventory(given)
    row = next((row for row in inventory.rows if row.name == name), None)
    if row is None:
        from inarch_sdk.suggestions import nearest

        raise UsageError(f"no plugin is called {name!r}", nearest(name, (row.name for row in inventory.rows)))
    from inarch_plugins.commands.plugins.plugin_page import page_data, page_lines

    data = page_data(row, inventory)
    if as_json:
        print_json(data)
        return
    for line in page_lines(data):
        print_line(line)


def _inventory(given: Mapping[str, Any]) -> Inventory:
    from inarch.host import Options
    from inarch_plugins.commands.plugins.rows import take_inventory

    options = Options.of(given)
    inventory = take_inventory(options)
    if not options.quiet:
        for note in inventory.notes:
            say("note", note)
    return inventory


def _brought(row: Row) -> str:
    """Return the last column: what the plugin registered, or why it was not loaded."""
    if row.state == "refused":
        return f"{row.reason} ({row.remedy})"
    names = [*row.tools, *(hook.removeprefix("inarch_") for hook in row.hooks if hook != "inarch_tools")]
    return ", ".join(names)
