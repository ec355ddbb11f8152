"""`inarch sessions export`: a session as a file for people or programs."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import inarch
from inarch.commands import compose_given, composing_options
from inarch.output import is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from inarch.host import Bound


@click.command("export")
@click.argument("session_id", metavar="[ID]", default="")
@click.option("--format", "form", metavar="NAME", help="What to write; as FILE's name ends by default, else html.")
@click.option(
    "--output", "-o", "place", metavar="FILE|-", help="Where to; - is standard output. session-ID.html here by default."
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@composing_options
def export_session(session_id: str, form: str | None, place: str | None, force: bool, **given: Any) -> None:
    """Write a session to a file: one HTML page, Markdown, the events as JSON lines, or what a plugin makes of it.

    The beginning of the session's id is enough; without one it is the latest of this directory. Secrets stand in it as
    placeholders, and no file's former bytes do.
    """
    from inarch_commands.sessions.writing import check_place, write_export

    with compose_given(given, tells=False) as app:
        session = app.transcript(session_id)
        chosen = _chosen(app.composition.exporters, form, place or "", given["without"])
        target = Path(place or f"session-{session.info.id[:13]}{chosen.suffixes[0]}")
        if place != "-":
            check_place(target, force=force)
        if next(session.events(), None) is None:
            raise inarch.UsageError(
                f"session {session.info.id} has no events that can be read", "inarch sessions list shows others"
            )
        write = partial(app.export, session, chosen.name)
        if place == "-":
            _print(write)
            return
        size = write_export(write, target, force=force)
        if not given["quiet"]:
            said = f"{target}  {session.info.events:,} events, {size:,} bytes"
            click.echo(inarch.escape(said, keep_newlines=False))


def _chosen(
    bound: Mapping[str, Bound[inarch.Exporter]], form: str | None, place: str, without: tuple[str, ...]
) -> inarch.Exporter:
    """Return the exporter that is named, else the one for such a file, else the first.

    Raises:
        UsageError: There is none.
    """
    exporters = {name: one.value for name, one in bound.items()}
    if form is not None and form in exporters:
        return exporters[form]
    if form is not None or not exporters:
        what = f"no format {form!r}" if form is not None else "no format to write it in"
        left_out = "".join(f" -p {one}" for one in without)
        raise inarch.UsageError(
            f"there is {what}{f' with{left_out}' if left_out else ''}",
            f"name one of {', '.join(sorted(exporters))}" if exporters else f"take{left_out} away, or add a plugin",
        )
    fitting = (one for one in exporters.values() if place.lower().endswith(one.suffixes))
    return next(fitting, next(iter(exporters.values())))


class _OnTerminal(io.TextIOWrapper):
    """Standard output where it is a terminal: it sees nothing that could mislead it."""

    def write(self, text: str) -> int:
        """Write text."""
        super().write(inarch.escape_json(text) if text.startswith("{") else inarch.escape(text))
        return len(text)


def _print(write: Callable[[TextIO], object]) -> None:
    """Write UTF-8, whatever the terminal's encoding."""
    kind = _OnTerminal if is_terminal(sys.stdout) else io.TextIOWrapper
    out = kind(sys.stdout.buffer, "utf-8", "backslashreplace", newline="")
    try:
        write(out)
    finally:
        out.detach()
