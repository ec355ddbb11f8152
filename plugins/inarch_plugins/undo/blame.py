"""`inarch blame`: the turn that wrote a line, and its prompt."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError, escape, shorten
from inarch.commands import composing_options
from inarch.output import columns_of, print_json

if TYPE_CHECKING:
    from inarch import App
    from inarch_plugins.undo.line_blame import BlamedLine

NARROW = 80
"""Columns below which authors are shown above the lines instead of beside them."""
_SHORT_ID = 13
_PROMPT = 40


@click.command("blame")
@click.argument("place", metavar="FILE[:LINE]")
@click.option("--json", "as_json", is_flag=True, help="One JSON array, an object a line.")
@composing_options
def blame(place: str, as_json: bool, **given: Any) -> None:
    """Show which session, turn and call wrote each line of FILE, with the prompt.

    It searches all sessions of this directory. Lines by no agent are yours ("you").
    """
    from inarch.commands import compose_given

    with compose_given(given, tells=False) as app:
        path, line = _place(app, place)
        found = _blamed(app, path)
    if line is not None:
        if not 1 <= line <= len(found):
            raise UsageError(f"{path} has {len(found)} lines, not {line}", "name an existing line")
        found = [found[line - 1]]
    if as_json:
        from inarch import to_data

        print_json(to_data(found))
        return
    wide = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    for text in one_line(found[0]) if line is not None else blame_lines(found, wide):
        click.echo(text)


def _place(app: App, place: str) -> tuple[str, int | None]:
    """Return the path below the root, and the line if given. A file's name may itself end in a colon and digits."""
    path = os.path.relpath(place, app.config.root) if Path(place).is_absolute() else place
    if Path(os.path.normpath(path)).parts[:1] == (os.pardir,):
        raise UsageError(f"{place} is outside {app.config.root}", "name a file of this directory")
    named, colon, digits = path.rpartition(":")
    if not colon or not digits.isdecimal() or Path(app.config.root, path).exists():
        return os.path.normpath(path), None
    return os.path.normpath(named), int(digits)


def _blamed(app: App, path: str) -> list[BlamedLine]:
    from inarch_plugins.undo.line_blame import blamed

    return blamed(app.store, app.workspace, path)


def one_line(line: BlamedLine) -> Iterator[str]:
    """Yield the known facts on a line, one each."""
    yield f"{line.line}: {escape(line.text, keep_newlines=False)}"
    if line.by != "agent":
        yield _WORDS[line.by]
        return
    yield f"session  {line.session_id}"
    yield f"turn     {f'{line.turn}  {line.turn_id}' if line.turn else 'your own command'}"
    yield f"call     {line.call_id}  {escape(line.tool, keep_newlines=False)}"
    if line.prompt:
        yield f"prompt   {escape(line.prompt)}".replace("\n", "\n         ")


_WORDS = {"you": "you", "unknown": "unknown: an older version of the file is not stored"}


def blame_lines(found: Sequence[BlamedLine], columns: int) -> Iterator[str]:
    """Yield the lines with their authors: beside them if there is room, else above each run of lines."""
    digits = len(str(len(found)))
    if columns < NARROW:
        for who, lines in groupby(found, _who):
            yield shorten(escape(who, keep_newlines=False), columns)
            for line in lines:
                yield shorten(f"  {line.line:>{digits}}  {escape(line.text, keep_newlines=False)}", columns)
        return
    names = {line.line: shorten(escape(_who(line), keep_newlines=False), columns // 2) for line in found}
    wide = max(map(len, names.values()), default=0)
    for line in found:
        shown = f"{names[line.line]:<{wide}}  {line.line:>{digits}}  {escape(line.text, keep_newlines=False)}"
        yield shorten(shown, columns)


def _who(line: BlamedLine) -> str:
    if line.by != "agent":
        return "you" if line.by == "you" else "?"
    if not line.turn:
        return f"{line.session_id[:_SHORT_ID]} your command"
    return (
        f"{line.session_id[:_SHORT_ID]} turn {line.turn} {line.tool} {shorten(' '.join(line.prompt.split()), _PROMPT)}"
    )
