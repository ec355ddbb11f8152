"""`inarch plugins`: what is installed, what the profile loads, and what was refused and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.failure import say
from inarch.cli.options import composing_options
from inarch.cli.terminal import escape
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
        _print_json({"safe_mode": inventory.safe_mode, "plugins": [row.data() for row in inventory.rows]})
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
        click.echo(escape(f"{text}  {last}".rstrip(), keep_newlines=False))


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
        _print_json(row.data())
        return
    for key, value in row.data().items():
        if value not in ("", [], {}):
            click.echo(escape(f"{key}:{_plain(value)}"))


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


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(f"\n  {key} = {item}" for key, item in value.items())
    if isinstance(value, bool):
        return " yes" if value else " no"
    return f" {', '.join(value) if isinstance(value, list) else value}"


def _print_json(data: Any) -> None:
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
