"""`inarch sessions show`: prints the turns of one session."""

from __future__ import annotations

from typing import Any

import click

from inarch import UsageError
from inarch.commands import composing_options
from inarch_plugins.commands.sessions.pages import PAGE, Shown, chosen, print_json_object
from inarch_plugins.commands.sessions.session_text import glyphs


@click.command("show")
@click.argument("session_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every turn unless --turns names some.")
@click.option("--turns", metavar="A-B", help=f"Turns, counted from 1: 7, 7-9, 7- or -9. Default: the last {PAGE}.")
@click.option("--all", "everything", is_flag=True, help="Every turn.")
@click.option("--full", is_flag=True, help="Complete outputs of calls.")
@composing_options
def show_session(session_id: str, as_json: bool, turns: str | None, everything: bool, full: bool, **given: Any) -> None:
    """Show a session's last turns and calls, with results and times. The start of the id is enough."""
    from inarch.commands import compose_given, say
    from inarch_sdk.event_log import WAY_ON, gap_words

    if turns and everything:
        raise UsageError("--turns and --all cannot be combined", "use one of them")
    with compose_given(given, tells=False) as app:
        info = app.find_session(session_id)
        contents = app.kept.contents(info.id)
        first, last = chosen(turns, everything or as_json, contents.turns)
        shown = Shown(app, info, first, last, full)
        if as_json:
            print_json_object(shown.as_json())
            return
        for line in shown.lines(glyphs()):
            click.echo(line)
    for gap in contents.gaps:  # damage is reported when the store is closed
        say("note", gap_words(*gap))
    if contents.gaps:
        say("note", WAY_ON)
