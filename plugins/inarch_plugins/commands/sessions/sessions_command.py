"""`inarch sessions`: lists stored sessions. Its subcommands are found by entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from inarch.commands import Group, composing_options
from inarch.output import print_json
from inarch_sdk.figures import listing, short_ids

if TYPE_CHECKING:
    from inarch import ContextStore


@click.group("sessions", cls=Group)
def sessions() -> None:
    """List, search, show, name, export, fork, delete and restore sessions."""


@sessions.command("list")
@click.option("--all", "everywhere", is_flag=True, help="Of every directory.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def list_sessions(everywhere: bool, as_json: bool, **given: Any) -> None:
    """List sessions, the newest first."""
    from inarch.commands import compose_given, say
    from inarch_sdk.event_log import WAY_ON

    with compose_given(given, tells=False) as app:
        known = app.store.sessions()
        aside, names = app.parts.storage.set_aside, app.session_names
        shown = [info for info in known if everywhere or info.root == app.config.root]
        branches = {info.id: found for info in shown if (found := branch_of(app.store, info.id))}
    for file in aside:  # the list may lack the sessions of a damaged store
        say("note", f"{file} was set aside because it was damaged; {WAY_ON}, then delete it")
    if as_json:
        from inarch import to_data

        named = {session_id: name for name, session_id in names.items()}
        print_json([{**to_data(info), "name": named.get(info.id, ""), **branches.get(info.id, {})} for info in shown])
        return
    short = short_ids([info.id for info in known])
    for place, info in enumerate(shown):
        if (branch := branches.get(info.id)) is not None:
            parent = short.get(branch["parent"], branch["parent"])
            shown[place] = evolve(info, title=f"{branch['child']} of {parent}: {info.title or '(no prompt)'}")
    for line in listing(shown, [info.id for info in known], with_root=everywhere, names=names):
        click.echo(line)
    if not shown:
        click.echo("no sessions yet" if everywhere else "no sessions in this directory; --all shows all others")


def branch_of(store: ContextStore, session_id: str) -> dict[str, str]:
    """Return the parent of a child session, and the child's name; empty for any other session."""
    first = next(iter(getattr(store, "scan", store.load)(session_id)), None)
    found = first.data.get("branch") if first is not None and first.kind == "session.started" else None
    return {"parent": str(found["parent"]), "child": str(found["name"])} if isinstance(found, dict) else {}
