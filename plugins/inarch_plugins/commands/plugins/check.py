"""`inarch plugins check`: tests plugins without cached results; prints mistakes, warnings and load times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from inarch.commands import ANSWERED, FAILED, composing_options
from inarch.output import aligned, print_json, print_line

if TYPE_CHECKING:
    from inarch_plugins.commands.plugins.plugin_check import Checked


@click.command("check", short_help="Try installed plugins afresh.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def check(names: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Test installed plugins in their own process, ignoring earlier results.

    Without names, it tests all plugins from other distributions, or the file of --plugin. Exit 1 if one is refused or
    missing.
    """
    from inarch.host import Options
    from inarch_plugins.commands.plugins.plugin_check import check_plugins

    options = Options.of(given)
    rows = check_plugins(options.config(), names, options.files, options.without)
    if as_json:
        from inarch import to_data

        print_json({"plugins": to_data(rows)})
    else:
        _print(rows)
    return ANSWERED if all(row.state == "ok" for row in rows) else FAILED


def _print(rows: tuple[Checked, ...]) -> None:
    if not rows:
        print_line("No plugin but Inarch's own is installed.")
        return
    cells = [(row.name, row.state, f"{row.distribution} {row.version}".strip(), _cost(row)) for row in rows]
    for row, line in zip(rows, aligned(cells), strict=True):
        print_line(line)
        if row.reason:
            print_line(f"  {row.reason}")
            print_line(f"  help: {row.remedy}")
        for warning in row.warnings:
            print_line(f"  warning: {warning}")


def _cost(row: Checked) -> str:
    if row.seconds is None:
        return ""
    names = ", ".join(
        [*row.tools, *(hook.removeprefix("inarch_") for hook in row.hooks if hook != "inarch_tools"), *row.commands]
    )
    return f"{row.seconds:.2f} s  {names}"
