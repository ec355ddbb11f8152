"""`inarch sessions export`: a session as a file for people or programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen

from inarch.cli.options import composing_options
from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.contract.ports import ContextStore
    from inarch.journal import Redactor

_ENDINGS = {"jsonl": ".jsonl", "markdown": ".md", "html": ".html"}


@click.command("export")
@click.argument("session_id", metavar="[ID]", default="")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_ENDINGS)),
    help="What to write; as FILE's name ends by default, else html.",
)
@click.option(
    "--output", "-o", "place", metavar="FILE|-", help="Where to; - is standard output. session-ID.html here by default."
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@composing_options
def export_session(session_id: str, form: str | None, place: str | None, force: bool, **given: Any) -> None:
    """Write a session to a file: one HTML page, Markdown, or the events as JSON lines.

    The beginning of the session's id is enough; without one it is the latest of this directory. Secrets stand in it as
    placeholders, and no file's former bytes do.
    """
    from inarch.cli.composing import Options, compose_app
    from inarch.cli.session_ids import latest
    from inarch.cli.terminal import escape
    from inarch.sessions.exporting import export, format_of
    from inarch.sessions.exporting.writing import check_place, write_export
    from inarch.sessions.finding import find_session

    with compose_app(Options.of(given)) as app:
        if not session_id and not app.store.sessions(app.config.root):
            raise UsageError("no sessions in this directory", "name one: inarch sessions list --all shows all others")
        info = find_session(app.store, session_id) if session_id else latest(app.store, app.config.root)
        chosen = form or format_of(place or "") or "html"
        target = Path(place or f"session-{info.id[:13]}{_ENDINGS[chosen]}")
        if place != "-":
            check_place(target, force=force)
        events = _Kept(app.store, info.id, info.events, app.redactor)
        if next(iter(events), None) is None:
            raise UsageError(f"session {info.id} has no events that can be read", "inarch sessions list shows others")
        pieces = export(events, chosen)  # type: ignore[arg-type]  # click lets only the three through
        if place == "-":
            _print(pieces)
        else:
            size = write_export(pieces, target, force=force)
            if not given["quiet"]:
                click.echo(escape(f"{target}  {info.events:,} events, {size:,} bytes", keep_newlines=False))


@frozen
class _Kept:
    """The events of a session up to one, read anew at each pass; what became known as a secret since is hidden, too."""

    store: ContextStore
    session_id: str
    last: int
    redactor: Redactor

    def __iter__(self) -> Iterator[Event]:
        scan = getattr(self.store, "scan", self.store.load)  # a store may have a way to read without holding it all
        for event in scan(self.session_id):
            if event.seq > self.last:
                return
            yield _clean(event, self.redactor)


def _clean(event: Event, redactor: Redactor) -> Event:
    if not redactor.touches(event.line):
        return event
    from attrs import evolve

    return evolve(event, data=redactor.redact(event.data), line="")


def _print(pieces: Iterator[str]) -> None:
    """Write UTF-8, whatever the terminal's encoding; a terminal itself sees nothing that could mislead it."""
    from inarch.cli.terminal import escape, escape_json, is_terminal

    on_terminal = is_terminal(sys.stdout)
    for piece in pieces:
        shown = (escape_json(piece) if piece.startswith("{") else escape(piece)) if on_terminal else piece
        sys.stdout.buffer.write(shown.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
