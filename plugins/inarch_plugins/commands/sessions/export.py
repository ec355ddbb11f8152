"""`inarch sessions export`: writes a session to a file for people or programs."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

import inarch
from inarch.commands import compose_given, composing_options
from inarch.output import is_terminal
from inarch_lib.staging import opened, staged, sweep


@click.command("export")
@click.argument("session_id", metavar="[ID]", default="")
@click.option("--format", "form", metavar="NAME", help="Format. Default: by FILE's suffix, else html.")
@click.option(
    "--output", "-o", "place", metavar="FILE|-", help="Target, - for standard output. Default: session-ID.html."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@composing_options
def export_session(session_id: str, form: str | None, place: str | None, force: bool, **given: Any) -> None:
    """Write a session to a file: HTML, Markdown, JSON lines or a plugin's format.

    Without ID it is the latest of this directory. Secrets are redacted, and former file contents are left out.
    """

    with compose_given(given, tells=False) as app:
        session = app.transcript(session_id)
        exporters = {name: one.value for name, one in app.composition.exporters.items()}
        chosen = _chosen(exporters, form, place or "", given["without"])
        target = Path(place or f"session-{session.info.id[:13]}{chosen.suffixes[0]}")
        if place != "-":
            check_place(target, force=force)
        if next(session.events(), None) is None:
            what = f"session {session.info.id} has no events that can be read"
            raise inarch.UsageError(what, "inarch sessions list shows others")
        write = partial(app.export, session, chosen.name)
        if place == "-":
            _print(write)
            return
        size = write_export(write, target, force=force)
        if not given["quiet"]:
            said = f"{target}  {session.info.events:,} events, {size:,} bytes"
            click.echo(inarch.escape(said, keep_newlines=False))


def _chosen(
    exporters: Mapping[str, inarch.Exporter], form: str | None, place: str, without: tuple[str, ...]
) -> inarch.Exporter:
    """Return the named exporter, else the one for this file name, else the first."""
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
    """Standard output of a terminal, with control characters escaped."""

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


class _Staged(io.FileIO):
    """A file that is being written; errors of the disk are not blamed on the exporter."""

    target: Path

    def write(self, data: object) -> int:
        """Write bytes."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            raise _unwritable(self.target, error) from None


def write_export(write: Callable[[TextIO], object], target: Path, *, force: bool = False) -> int:
    """Write a new file and return its size in bytes."""
    check_place(target, force=force)
    try:
        with opened(target.parent) as folder:
            sweep(folder, rf"\.{re.escape(target.name[:100])}\.[0-9a-f-]{{36}}\.part")
            with staged(folder) as file:
                with _Staged(file.descriptor, "wb", closefd=False) as raw:
                    raw.target = target
                    with io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", newline="") as out:
                        write(out)
                os.fsync(file.descriptor)
                (file.place_over if force else file.place_new)(target.name)
                return os.fstat(file.descriptor).st_size
    except FileExistsError:
        raise _taken(target) from None
    except OSError as error:
        raise _unwritable(target, error) from None


def check_place(target: Path, *, force: bool = False) -> None:
    """Check that a file may be written there, before any work is done for it."""
    folder = Path(os.path.realpath(target.parent))
    if any(part.lower() in (".git", ".inarch") for part in (*folder.parts, target.name)):
        raise inarch.UsageError(f"{target} is protected: exports don't go into .git or .inarch", "name another file")
    if not folder.is_dir():
        raise inarch.UsageError(f"there is no folder {target.parent}", "make it first, or name another file")
    try:
        found = target.lstat()
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise inarch.UsageError(f"{target} is {what}", "name a file, or - for standard output")
    if not force:
        raise _taken(target)


def _taken(target: Path) -> inarch.UsageError:
    return inarch.UsageError(f"{target} exists already", "name another file, or add --force to replace it")


def _unwritable(target: Path, error: OSError) -> inarch.UsageError:
    return inarch.UsageError(f"{target} can't be written: {error.strerror or error}", "name another file")
