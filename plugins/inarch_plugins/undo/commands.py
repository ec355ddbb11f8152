"""`inarch undo` and `inarch redo`: revert or reapply a turn's changes to files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError, escape
from inarch.commands import composing_options
from inarch.output import columns_of, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inarch import App, UndoReport

ANSWERED, FAILED = 0, 1
PAGE = 50
"""Most turns listed by default."""
_session = click.option("--session", metavar="ID", help="Session, by id or its start, instead of the latest.")
_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
_dry = click.option("--dry-run", is_flag=True, help="Show what would happen, and write nothing.")


@click.command("undo")
@click.argument("target", metavar="[TURN|CALL]", required=False, default="")
@click.option(
    "--list", "as_list", is_flag=True, help=f"List the last {PAGE} turns that changed files, and their calls."
)
@click.option("--all", "everything", is_flag=True, help="With --list: every turn.")
@_session
@_dry
@_json
@composing_options
def undo(
    target: str, as_list: bool, everything: bool, session: str | None, dry_run: bool, as_json: bool, **given: Any
) -> int:
    """Revert a turn's changes to files: the last one, TURN (3), or one CALL.

    Keeps your later changes, line by line. In a conflict it writes nothing and shows the lines.
    """
    if as_list:
        return _list(session, None if everything else PAGE, given)
    if everything:
        raise UsageError("--all goes with --list", "inarch undo TURN takes one turn back")
    return _put_back("undo", target, session, dry_run, as_json, given)


@click.command("redo")
@click.argument("target", metavar="[TURN|CALL]", required=False, default="")
@_session
@_dry
@_json
@composing_options
def redo(target: str, session: str | None, dry_run: bool, as_json: bool, **given: Any) -> int:
    """Reapply the last undone turn, or the named turn or call."""
    return _put_back("redo", target, session, dry_run, as_json, given)


def _put_back(
    action: Any, target: str, session: str | None, dry_run: bool, as_json: bool, given: dict[str, Any]
) -> int:
    from inarch.commands import compose_given

    with compose_given(given, tells=False) as app:
        report: UndoReport = app.extension(_session_of(app, session), "undo").run(action, target, dry_run)
    if as_json:
        from inarch import to_data

        print_json(to_data(report))
    else:
        from inarch_plugins.undo.report import report_lines

        _print(report_lines(report, _columns()))
    return ANSWERED if report.done or (dry_run and _would(report)) else FAILED


def _would(report: UndoReport) -> bool:
    return bool(report.files) and not report.conflicts


def _list(session: str | None, most: int | None, given: dict[str, Any]) -> int:
    from inarch.commands import compose_given
    from inarch_plugins.undo.report import checkpoint_lines

    with compose_given(given, tells=False) as app:
        found = app.extension(_session_of(app, session), "undo").checkpoints()
        lines = list(checkpoint_lines(found, _columns(), most))
    _print(lines or ["no turn of this session changed files"])
    return ANSWERED


def _session_of(app: App, beginning: str | None) -> str:
    """Return the session's id, by default of the latest in this directory."""

    if beginning is not None:
        return app.find_session(beginning).id
    known = app.store.sessions(app.config.root)
    if not known:
        raise UsageError(f"no session of {app.config.root}", "inarch sessions list --all shows those there are")
    return known[0].id


def _columns() -> int:
    return columns_of(sys.stdout) if sys.stdout.isatty() else 10_000


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(escape(line, keep_newlines=False))
