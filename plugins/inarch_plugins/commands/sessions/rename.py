"""`inarch sessions rename`: names a session, so that it can be resumed by name."""

from __future__ import annotations

from typing import Any

import click

from inarch.commands import composing_options
from inarch.output import print_line


@click.command("rename")
@click.argument("session", metavar="SESSION")
@click.argument("name", metavar="NAME")
@composing_options
def rename_session(session: str, name: str, **given: Any) -> None:
    """Name a session, given by id, start of the id or current name."""
    from inarch.commands import compose_given

    with compose_given(given, tells=False) as app:
        info = app.find_session(session)
        app.name_session(info.id, name)
    print_line(f"session {info.id} is now {name!r}; resume it: inarch --session {name!r}")
