"""`inarch sessions delete`: deletes events and stored bytes of sessions permanently."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError
from inarch.commands import composing_options
from inarch.output import is_terminal, print_json, print_line
from inarch_sdk.figures import listing

if TYPE_CHECKING:
    from inarch import SessionInfo

_AGE = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@click.command("delete")
@click.argument("ids", metavar="ID...", nargs=-1)
@click.option("--older-than", metavar="AGE", help="Sessions of this directory without activity for 30d, 12h or 8w.")
@click.option("--all", "everywhere", is_flag=True, help="With --older-than: of every directory.")
@click.option("--logs", is_flag=True, help="Also delete event logs, which could restore the sessions.")
@click.option("--dry-run", is_flag=True, help="Only list the sessions.")
@click.option("--yes", is_flag=True, help="Delete without asking, for scripts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def delete_sessions(
    ids: tuple[str, ...],
    older_than: str | None,
    everywhere: bool,
    logs: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Delete sessions, with their events and files for undo."""
    from inarch.commands import compose_given

    if bool(ids) == bool(older_than):
        raise UsageError("which sessions?", "name them by their ids, or give --older-than 30d")
    end = _end(older_than) if older_than else None
    with compose_given(given, tells=False) as app:
        if end is not None:
            known = app.store.sessions(None if everywhere else app.config.root)
            chosen = [info for info in known if max(info.started, info.updated) < end]
        else:
            chosen = [*{app.find_session(one): None for one in ids}]
        if dry_run:
            if as_json:
                print_json({"would_delete": [info.id for info in chosen]})
                return 0
            _show(chosen)
            many = "1 session" if len(chosen) == 1 else f"{len(chosen)} sessions"
            print_line(f"would delete {many}" if chosen else "nothing to delete")
            return 0
        if chosen and not yes:
            _ask(chosen)
        files = [file for info in chosen for file in app.kept.delete(info.id, keeps_logs=not logs)]
        left = [file for file in files if not (logs and _unlink(file))]
    if as_json:
        print_json({"deleted": [info.id for info in chosen], "logs": [str(file) for file in left]})
        return 0
    print_line({0: "nothing to delete", 1: "deleted 1 session"}.get(len(chosen), f"deleted {len(chosen)} sessions"))
    if left:
        many = "1 file" if len(left) == 1 else f"{len(left)} files"
        print_line(f"their event logs stay ({many}, first {left[0]}); --logs deletes those, too")
    return 0


def _show(chosen: Sequence[SessionInfo]) -> None:
    for line in listing(chosen, [info.id for info in chosen], with_root=True):
        click.echo(line)


def _end(text: str) -> str:
    """Return the time before which sessions are as old as this."""
    from datetime import UTC, datetime, timedelta

    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--older-than {text!r} is not an age", "write it like 30d, 12h or 8w")
    return (datetime.now(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})).isoformat()


def _ask(chosen: Sequence[SessionInfo]) -> None:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise UsageError("there is no terminal to ask at", "review them with inarch sessions show and add --yes")
    _show(chosen)
    if not click.confirm("Delete them for good?" if len(chosen) > 1 else "Delete it for good?", default=False):
        raise UsageError("nothing was deleted")


def _unlink(file: Path) -> bool:
    """Remove a file by its real path; return whether it is gone.

    If a parent folder has become a link, nothing is removed: an isolated plugin's process may have created it.
    """
    if os.unlink not in os.supports_dir_fd:
        file.unlink(missing_ok=True)
        return True
    folder = os.open("/", os.O_RDONLY)
    try:
        for part in file.parent.parts[1:]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = below
        os.unlink(file.name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        return False
    finally:
        os.close(folder)
    return True
