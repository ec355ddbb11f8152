"""`inarch sessions fork`: creates a session that begins with the turns of another one."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from inarch.commands import composing_options
from inarch.output import print_json, print_line


@click.command("fork")
@click.argument("session_id", metavar="ID")
@click.option("--at", type=int, metavar="TURN", help="Last turn to copy, counted from 1. Default: all.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def fork_a_session(session_id: str, at: int | None, as_json: bool, **given: Any) -> None:
    """Start a session with the turns of another. Files stay unchanged."""
    from inarch.commands import compose_given

    with compose_given(given, tells=False) as app:
        source = app.find_session(session_id)
        fork_id = app.kept.fork(source.id, at)
        asyncio.run(app.store.sync())
        turns = int(app.transcript(fork_id).begun["forked_at"])
    if as_json:
        print_json({"session_id": fork_id, "forked_from": source.id, "forked_at": turns})
        return
    print_line(f"session {fork_id} begins with {'1 turn' if turns == 1 else f'{turns} turns'} of {source.id}")
    print_line(f"resume it: inarch --session {fork_id}")
