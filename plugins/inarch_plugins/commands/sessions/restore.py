"""`inarch sessions restore`: restores sessions, or lost parts of them, from an event log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError
from inarch.commands import composing_options
from inarch.output import print_json, print_line

if TYPE_CHECKING:
    from inarch import App
    from inarch_sdk.log_restore import Restoration, Restored

MOST_TOLD = 20
"""Maximum number of problems listed per log; the others are counted."""


@click.command("restore")
@click.argument("file", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def restore_sessions(file: Path | None, as_json: bool, **given: Any) -> int:
    """Restore sessions from an event log, and report losses. Exit 1 if it has none.

    Without FILE, restores every session of this directory that has an event log.
    """
    from inarch import to_data
    from inarch.commands import compose_given, say

    with compose_given(given, tells=False) as app:
        try:
            done = _restore(app, file)
        except OSError as error:
            raise UsageError(
                f"{file or error.filename} can't be read: {error.strerror or error}", "name a JSON Lines event log"
            ) from None
        asyncio.run(app.store.sync())
    if as_json:
        print_json(to_data(done))
        return 0 if done.sessions else 1
    for problem in done.problems[:MOST_TOLD]:
        say("note", str(problem))
    if len(done.problems) > MOST_TOLD:
        say("note", f"{len(done.problems) - MOST_TOLD} more such lines")
    for session in done.sessions:
        for line in _lines(session, app.config.root):
            print_line(line)
    if not done.sessions:
        print_line(f"{file} has no event that can be read" if file else "no session of this directory has an event log")
    return 0 if done.sessions else 1


def _restore(app: App, file: Path | None) -> Restoration:
    """Restore the content of one log, or of the logs of all sessions of this directory."""
    from inarch_sdk.event_log import first_event
    from inarch_sdk.log_restore import Restoration, restore_log

    root = app.config.root
    files = [file] if file else []
    for log in () if file else app.kept.logs():
        first = first_event(log)
        if first is not None and first.kind == "session.started" and first.data.get("root") == root:
            files.append(log)
    done = [restore_log(app.store, one, root) for one in files]
    sessions = tuple(session for one in done for session in one.sessions)
    return Restoration(sessions, tuple(problem for one in done for problem in one.problems))


def _lines(session: Restored, here: str) -> Iterator[str]:
    from inarch_sdk.event_log import gap_words

    turns = "1 turn" if session.turns == 1 else f"{session.turns} turns"
    there = f", {session.present:,} were there" if session.present else ""
    did = f"{_events(session.events)} restored{there}" if session.events else "everything that the log has was there"
    yield f"session {session.session_id}: {did} · {turns} · {session.title or '(no prompt)'}"
    if session.placed:
        yield "  its beginning is lost: it now belongs to this directory"
    if session.root != here:
        yield f"  it belongs to {session.root}"
    for gap in session.missing:
        yield f"  {gap_words(*gap)}"
    if session.left_out:
        yield f"  {_events(session.left_out)} left out: the session went on without them, and has others in their place"
    if session.not_undoable:
        changes = "1 change" if session.not_undoable == 1 else f"{session.not_undoable} changes"
        yield f"  {changes} of files can't be undone: a log doesn't have the bytes"
    yield f"  resume it: inarch --session {session.session_id}"


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count:,} events"
