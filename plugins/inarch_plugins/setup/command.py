"""`inarch setup`: configure another agent to use Inarch, or revert that."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from inarch import PluginContext, UsageError, compose
from inarch.commands import ANSWERED, NOT_DONE, composing_options, say
from inarch.output import aligned, print_line
from inarch_plugins.setup.agents import AGENTS
from inarch_plugins.setup.record import WRITTEN, Record, read_record
from inarch_plugins.setup.setup_plan import Change, setting_up, taking_back, write_all

SERVER = "mcp"
"""The command whose `serve` the agents start."""


@click.command("setup", short_help="Offer Inarch to another agent.")
@click.argument("agent", required=False)
@click.option("--remove", is_flag=True, help="Revert the changes.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@composing_options
def setup(agent: str | None, remove: bool, yes: bool, **given: Any) -> int:
    """Offer Inarch to another agent in this project, as an MCP server, instructions and a skill.

    Lists the agents without AGENT. Shows the changes first. --remove reverts them.
    """
    context = click.get_current_context().find_object(PluginContext) or PluginContext("setup", ".")
    root = Path(given.get("root") or ".").resolve()
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory", "name one with --root")
    record = read_record(Path(context.state_dir) / WRITTEN)
    if agent is None:
        state = {True: "set up here", False: "not set up here"}
        rows = [(one.name, one.title, state[bool(record.of([one.name, str(root)]))]) for one in AGENTS]
        for line in aligned(rows):
            print_line(line)
        return ANSWERED
    found = next((one for one in AGENTS if one.name == agent), None)
    if found is None:
        names = " and ".join(one.name for one in AGENTS)
        raise UsageError(f"there is no agent {agent!r}", f"known agents are {names}")
    user = [found.name, str(root)]
    if remove:
        if not record.of(user):
            say("note", f"inarch setup has written nothing for {found.title} in {root}")
            return ANSWERED
        return _do(*taking_back(user, record), record, yes, after=False)
    parts = found.parts(root, context.environ, _server(root, given.get("profile")))
    code = _do(*setting_up(parts, user, record), record, yes, after=True)
    if code == ANSWERED:
        say("note", f"{found.title} uses Inarch after its next start")
    return code


def _do(changes: list[Change], told: Iterable[str], record: Record, yes: bool, *, after: bool) -> int:
    """Show the changes, ask, and write them. The record is saved before files are made and after they are removed."""
    for change in changes:
        for line in change.diff():
            print_line(line.rstrip("\n"))
    for line in told:
        say("note", line)
    if changes and not yes:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise UsageError("nothing was changed: there is no terminal to ask at", "approve with --yes")
        if not click.confirm("Write these changes?", default=False):
            return NOT_DONE
    former = read_record(record.place)
    if after:
        record.save()
    try:
        write_all(changes)
    except UsageError:
        former.save()
        raise
    record.save()
    return ANSWERED


def _server(root: Path, profile: str | None) -> dict[str, Any]:
    """Return the server's table, which is the same for all agents."""
    with compose(root=str(root), profile=profile, journal=False) as app:
        named = app.config.profile.plugins
    context = click.get_current_context().find_root()
    commands = context.command.list_commands(context) if isinstance(context.command, click.Group) else []
    if SERVER not in (*named, *commands):
        raise UsageError("`inarch mcp serve`, which agents start, is not installed", "pip install inarch-mcp")
    chosen = ["--profile", profile] if profile else []
    here, found = Path(sys.executable).with_name("inarch"), shutil.which("inarch")
    is_this = not here.exists() or (found is not None and here.samefile(found))
    return {"command": "inarch" if is_this else str(here), "args": [*chosen, "mcp", "serve"]}
