"""`inarch config init`: a first configuration file, and the commands that the project at hand suggests."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inarch import UsageError
from inarch.commands import ANSWERED, FAILED

if TYPE_CHECKING:
    from inarch_commands.config.proposing import Proposal

_HINT = "inarch config init --project"


def begin(root: str, *, project: bool, force: bool, yes: bool) -> int:
    """Write the user's file, the project's, or both, and say what was recognised; return the exit code.

    Raises:
        UsageError: There is nothing to write, or nobody to say yes.
    """
    from inarch_commands.config.proposing import proposals

    folder = os.path.realpath(root)
    if not Path(folder).is_dir():
        raise UsageError(f"{root} is not a directory")
    found = proposals(folder)
    if project and not found:
        raise UsageError(f"{folder} looks like nothing known", "write [commands.NAME] with argv by hand")
    if not project:
        _write_own(found, force)
    for proposal in found:
        _say(f"recognised {proposal.seen}")
    if not found:
        return ANSWERED
    return _grant(folder, found, project=project, yes=yes)


def _write_own(found: Sequence[Proposal], force: bool) -> None:
    from inarch.host import user_config_path
    from inarch_commands.config.starter import write_starter

    path = user_config_path()
    if found and not force and path.exists():
        _say(f"{path} is there already and stays as it is (--force writes over it)")
        return
    write_starter(path, force=force, found=found)
    _say(f"wrote {path}")


def _grant(folder: str, found: Sequence[Proposal], *, project: bool, yes: bool) -> int:
    """Grant the commands in the project's file if the person says so; else show what there is to add."""
    from inarch.host import state_dir
    from inarch_commands.config.starter import PROJECT_FILE, write_project_config

    path = Path(folder, PROJECT_FILE)
    if os.path.lexists(path):
        granted = _granted(folder)
        found = [proposal for proposal in found if proposal.argv not in granted]
        if not found:
            _say(f"{path} has them already")
            return ANSWERED
        _say(f"{path} is there already; to grant these commands, add to it (and run inarch config trust):")
        _show_tables(found)
        return ANSWERED
    if not yes:
        here = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        if not here and project:
            raise UsageError("nobody is here to answer", "look at what was recognised and give --yes")
        _say("these commands could run without a question in this project:")
        _show_tables(found)
        if not here:
            _say(f"to grant them: {_HINT}")
            return ANSWERED
        if not click.confirm(f"Write them to {path} and trust it?", default=False):
            return FAILED if project else ANSWERED
    trusted = write_project_config(folder, found, state_dir())
    _say(f"wrote {path}")
    if not trusted:
        _say("the project brings along more that needs trust: look at it with inarch config trust")
    return ANSWERED


def _granted(folder: str) -> list[tuple[str, ...]]:
    """Return the commands that a project's file has, whatever its state; none where it can't be read."""
    import tomllib

    from inarch.host import Unreadable, read_project_file
    from inarch_commands.config.starter import PROJECT_FILE

    try:
        commands = tomllib.loads((read_project_file(folder, PROJECT_FILE) or b"").decode()).get("commands", {})
        return [tuple(command["argv"]) for command in commands.values()]
    except (Unreadable, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return []


def _show_tables(found: Sequence[Proposal]) -> None:
    for proposal in found:
        for line in proposal.toml.splitlines():
            _say(f"  {line}")


def _say(text: str) -> None:
    from inarch import escape

    click.echo(escape(text, keep_newlines=False))
