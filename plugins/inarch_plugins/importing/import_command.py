"""`inarch import`: shows what other tools have, and takes over what is chosen."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import inarch
from inarch.commands import ANSWERED, NOT_DONE, say
from inarch.output import aligned, is_terminal, print_line, shorten
from inarch_plugins.importing.keys import Keys, store
from inarch_plugins.importing.servers import summary
from inarch_plugins.importing.sources import Item, find_items, read_table, servers_of
from inarch_plugins.importing.targets import Change, Targets, config_path, has_target, write_all

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


@click.command("import", short_help="Import servers and files of other tools.")
@click.argument("what", nargs=-1)
@click.option("--all", "take_all", is_flag=True, help="Import everything that you do not have yet.")
@click.option("--only", metavar="KIND", help="List only this kind, such as mcp.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.pass_obj
def import_command(
    context: inarch.PluginContext, what: tuple[str, ...], take_all: bool, only: str | None, yes: bool
) -> int:
    """Import MCP servers, agents, commands, skills, hooks, permissions and instructions of other tools.

    Lists them without WHAT. WHAT is a number of the list, a name such as mcp:github or agents:*, or a file with
    servers. Keys move into the keyring. Inarch shows the changes first.
    """
    told: list[str] = []
    items = [one for one in find_items(context, told) if only in (None, one.kind)]
    if not what and not take_all:
        _list(items, context)
        what = _asked() if items and is_terminal(sys.stdin) else ()
    chosen = _chosen(items, what, take_all or what == ("all",), context, told)
    targets = Targets(context, Keys(context.environ, _ask), {}, [], told)
    taken = [targets.take(item) for item in chosen]
    changes = targets.changes()
    if chosen and all(taken) and not changes:
        say("note", "you have all of it already")
    code = _write(targets, changes, yes) if changes or told else ANSWERED
    if changes and code == ANSWERED and any(one.kind == "mcp" for one in chosen):
        _tell_about_plugin(context)
    return code if changes or all(taken) else NOT_DONE


def _list(items: list[Item], context: inarch.PluginContext) -> None:
    rows = [(str(number), one.label, one.source, _state(one, context)) for number, one in enumerate(items, 1)]
    for line in aligned(rows):
        print_line(line)
    if not items:
        print_line("no other tool has anything to import")


def _state(item: Item, context: inarch.PluginContext) -> str:
    if has_target(item, context):
        return "you have it"
    found = summary(item)
    return "can't be imported" if found is None else shorten(found, 80)


def _asked() -> tuple[str, ...]:
    given = click.prompt("Import which? Numbers or names, `all`, or nothing", default="", show_default=False, err=True)
    return tuple(str(given).replace(",", " ").split())


def _chosen(
    items: list[Item], what: Iterable[str], take_all: bool, context: inarch.PluginContext, told: list[str]
) -> list[Item]:
    """Return the chosen items. Patterns leave out what the user has, and what a project brings without trust.

    Raises:
        UsageError: A word selects nothing.
    """
    free = [one for one in items if not has_target(one, context) and (not one.project or context.brought is not None)]
    found: list[Item] = list(free) if take_all else []
    if take_all and any(one.project and one not in free and not has_target(one, context) for one in items):
        told.append("the servers of this project are left out: trust it first (inarch config trust), or name them")
    for word in () if take_all else what:
        numbers = _NUMBERS.fullmatch(word)
        if numbers:
            these = items[int(numbers[1]) - 1 : int(numbers[2] or numbers[1])] if int(numbers[1]) else []
        elif "*" in word:
            these = [one for one in free if fnmatchcase(one.label, word)]
        elif word.endswith((".json", ".toml")) and ":" not in word:
            path = Path(context.root, word).resolve()
            these = servers_of(path, told, context.root if path.is_relative_to(context.root) else "")
        else:
            these = [one for one in items if one.label == word or one.kind == word]
        if not these and not told:
            raise inarch.UsageError(f"{word} selects nothing to import", "inarch import lists what there is")
        found += these
    if context.project is None and (untrusted := [one for one in found if one.project]):
        names = ", ".join(dict.fromkeys(one.source for one in untrusted))
        raise inarch.UsageError(f"{names}: this project is not trusted", "look at it, then: inarch config trust")
    return list({(one.kind, one.name): one for one in reversed(found)}.values())[::-1]


def _ask(id: str, wanted: Mapping[str, Any]) -> str | None:
    """Ask for an input of VS Code; without a terminal, return its default."""
    default = wanted.get("default")
    if not is_terminal(sys.stdin):
        return default if isinstance(default, str) and wanted.get("password") is not True else None
    kinds = [str(one) for one in wanted.get("options") or () if isinstance(one, str)]
    return str(
        click.prompt(
            inarch.escape(str(wanted.get("description") or id), keep_newlines=False),
            default=default if isinstance(default, str) else None,
            hide_input=wanted.get("password") is True,
            type=click.Choice(kinds) if kinds else None,
            err=True,
        )
    )


def _write(targets: Targets, changes: list[Change], yes: bool) -> int:
    """Show the changes, ask, store the keys, and write the files."""
    keys = targets.keys
    for change in changes:
        for line in change.shown():
            print_line(line)
    for name in keys.new if changes else ():
        print_line(f"the key {name} goes into the keyring")
    for line in targets.told:
        say("note", line)
    if changes and not yes:
        if not is_terminal(sys.stdin):
            raise inarch.UsageError("nothing was changed: there is no terminal to ask at", "approve with --yes")
        if not click.confirm("Write these changes?", default=False):
            return NOT_DONE
    missing = {**keys.missing, **store(keys.new)} if changes else {}
    write_all(changes)
    for name, why in missing.items():
        say("note", f"{name} is not in the keyring: {why}; store it with inarch auth set {name}, or set the variable")
    return ANSWERED


def _tell_about_plugin(context: inarch.PluginContext) -> None:
    profiles = read_table(config_path(context), []).get("profiles", {})
    named = [one.get("plugins") or () for one in profiles.values() if isinstance(one, dict)]
    if find_spec("inarch_mcp") is None or not any("mcp" in names for names in named):
        say("note", "to use the servers: inarch plugins install inarch-mcp --enable")
