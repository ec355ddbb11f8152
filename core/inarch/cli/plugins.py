"""`inarch plugins`: what is installed, what the profile loads, and what was refused and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.failure import say
from inarch.cli.options import composing_options
from inarch.cli.terminal import print_json, print_line
from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.cli.plugin_rows import Inventory, Row


@click.group()
def plugins() -> None:
    """Show which plugins are installed, loaded and refused."""


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@composing_options
def list_plugins(as_json: bool, **given: Any) -> None:
    """List all plugins: loaded ones in the order of the profile, refused ones, then the rest."""
    inventory = _inventory(given)
    if as_json:
        print_json({"safe_mode": inventory.safe_mode, "plugins": [row.data() for row in inventory.rows]})
        return
    if inventory.safe_mode:
        click.echo("Safe mode: no plugin but the store is loaded (INARCH_SAFE_MODE=1).")
    if not inventory.rows:
        click.echo("No plugin is installed.")
        return
    cells = [
        (row.name, row.state, f"{row.distribution} {row.version}".strip(), _brought(row)) for row in inventory.rows
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for *first, last in cells:
        text = "  ".join(cell.ljust(width) for cell, width in zip(first, widths, strict=True))
        print_line(f"{text}  {last}".rstrip())


@plugins.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@composing_options
def show_plugin(name: str, as_json: bool, **given: Any) -> None:
    """Show one plugin: where it comes from, its hooks, tools, commands and settings."""
    inventory = _inventory(given)
    row = next((row for row in inventory.rows if row.name == name), None)
    if row is None:
        raise UsageError(f"no plugin is called {name!r}", inventory.nearest(name))
    if as_json:
        print_json(row.data())
        return
    for key, value in row.data().items():
        if value not in ("", [], {}):
            _print_value(key, value)


def _inventory(given: Mapping[str, Any]) -> Inventory:
    from inarch.cli.composing import Options
    from inarch.cli.plugin_rows import take_inventory

    options = Options.of(given)
    inventory = take_inventory(options)
    if not options.quiet:
        for note in inventory.notes:
            say("note", note)
    return inventory


def _brought(row: Row) -> str:
    """Return the last column: what a plugin brought, or why it was left out."""
    if row.state == "refused":
        return f"{row.reason} ({row.remedy})"
    names = [*row.tools, *(hook.removeprefix("inarch_") for hook in row.hooks if hook != "inarch_tools")]
    return ", ".join(names)


def _print_value(key: str, value: Any) -> None:
    if isinstance(value, dict):
        print_line(f"{key}:")
        for name, item in value.items():
            print_line(f"  {name} = {item}")
    elif isinstance(value, bool):
        print_line(f"{key}: {'yes' if value else 'no'}")
    else:
        print_line(f"{key}: {', '.join(value) if isinstance(value, list) else value}")
