"""`inarch trace`: functions traced up, down and to each other, entry points, the index, and curated paths."""

from __future__ import annotations

from typing import Any

import click

from inarch_brief_tracer.answers.paths_command import define, delete, listing, show, update

MAX_TOKENS = 1_000_000
MAX_LISTED = 2_000


def shapes(command: Any) -> Any:
    """Add the options that choose how a trace is printed."""
    for option in (
        click.option("--tokens", type=click.IntRange(50, MAX_TOKENS), help="Bound of the text; 4,000 by default."),
        click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart."),
        click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    ):
        command = option(command)
    return command


@click.group()
def trace() -> None:
    """Trace execution paths through the Python code here."""


@trace.command()
@click.argument("function")
@click.option("--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Calls on a path at most.")
@shapes
def up(function: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None) -> None:
    """Show every entry point that reaches FUNCTION, and how."""
    _trace(function, "up", depth, as_json, mermaid, tokens)


@trace.command()
@click.argument("function")
@click.option("--depth", type=click.IntRange(1, 20), default=3, show_default=True, help="Levels of calls.")
@shapes
def down(function: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None) -> None:
    """Show what FUNCTION calls, level by level."""
    _trace(function, "down", depth, as_json, mermaid, tokens)


@trace.command()
@click.argument("function")
@click.option("--to", "end", required=True, metavar="X", help="Where the path ends.")
@click.option("--depth", type=click.IntRange(1, 20), default=20, show_default=True, help="Calls on a path at most.")
@shapes
def path(function: str, end: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None) -> None:
    """Show how FUNCTION comes to call another one."""
    _trace(function, "path", depth, as_json, mermaid, tokens, end)


def _trace(
    function: str, way: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None, end: str = ""
) -> None:
    from inarch_brief_tracer.answers import command_room, function_traces

    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid exclude each other")
    with command_room.room() as room:

        def answer(graph: Any, coverage: Any) -> tuple[Any, str]:
            node = command_room.one(graph, coverage, function)
            notes = "; ".join(filter(None, (coverage.note, graph.linked)))
            if way != "path":
                found = function_traces.traced(graph, node, way, depth)
                notes = "; ".join(filter(None, (found.unread, notes)))
            else:
                found = function_traces.between(graph, node, command_room.one(graph, coverage, end), depth)
                if not found.ways and not as_json:
                    notes = "; ".join(
                        filter(None, (f"no path is known from {node.qualname} to {found.node.qualname}", notes))
                    )
            if as_json:
                command_room.say_json({**found.data(), "note": notes or None})
            elif mermaid:
                click.echo(found.chart(), nl=False)
            elif way != "path" or found.ways:
                command_room.say(found.text(tokens or 4_000))
            return found, notes

        found, notes = room.graph(answer)
    if notes and not as_json:
        click.echo(command_room.noted(notes), err=True)
    if way == "path" and not found.ways:
        click.get_current_context().exit(1)


@trace.command()
@click.option("--kind", default=None, metavar="KIND", help="Only entry points of this kind.")
@click.option("--limit", type=click.IntRange(1, MAX_LISTED), default=200, show_default=True, help="How many at most.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def entries(kind: str | None, limit: int, as_json: bool) -> None:
    """List the entry points, the most telling kinds first; tests and what nothing calls only with --kind."""
    from inarch_brief_tracer.answers import command_room
    from inarch_brief_tracer.answers.flow_answers import NO_PYTHON
    from inarch_brief_tracer.answers.flow_data import entry_data
    from inarch_brief_tracer.answers.wording import at, count, entered, named
    from inarch_brief_tracer.graph.model import KINDS

    if kind is not None and kind not in KINDS:
        command_room.fail(f"there is no kind {kind}; kinds are: {', '.join(KINDS)}")
    with command_room.room() as room:
        found, totals, note = room.graph(
            lambda graph, coverage: (
                *_listed(graph, kind, limit),
                "; ".join(filter(None, (coverage.note if coverage.files else NO_PYTHON, graph.linked))),
            )
        )
    if as_json:
        command_room.say_json(
            {"entries": [entry_data(entry) for entry in found], "totals": totals, "note": note or None}
        )
        return
    for entry in found:
        command_room.say(f"{named(entry.node)} · {entered(entry)} · {at(entry.node.file, entry.node.line)}")
    in_all = sum(totals.values()) if kind is None else totals.get(kind, 0)
    if not found and not in_all:
        command_room.say(f"no entry point{f' of the kind {kind}' if kind else ''} is known here")
    elif in_all > len(found):
        kinds = ", ".join(f"{number:,} {name}" for name, number in totals.items())
        command_room.say(
            f"+{count(in_all - len(found), 'more entry', 'more entries')} (in all: {kinds}; see --kind, --limit)"
        )
    if note:
        click.echo(command_room.noted(note), err=True)


def _listed(graph: Any, kind: str | None, limit: int) -> tuple[list[Any], dict[str, int]]:
    """List the entries of a kind; of all kinds, those that stand for what runs: tests would be most of the list."""
    from inarch_brief_tracer.graph.entries import listed
    from inarch_brief_tracer.graph.model import FIXTURE, ORPHAN, TEST

    if kind is not None:
        found, totals = listed(graph, kind, limit)
        return found, totals
    _, totals = listed(graph, None, 0)
    found = []
    for name in totals:
        if name not in (TEST, FIXTURE, ORPHAN) and len(found) < limit:
            found += listed(graph, name, limit - len(found))[0]
    return found, totals


@trace.command()
@click.option("--status", is_flag=True, help="Say what is indexed, and change nothing.")
@click.option("--rebuild", is_flag=True, help="Throw the index away and build it again.")
@click.option("--export", "folder", metavar="DIR", help="Write manifest.jsonl and relationships.jsonl to DIR.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def index(status: bool, rebuild: bool, folder: str | None, as_json: bool) -> None:
    """Bring the index up to date, however long that takes, and say what is in it."""
    from inarch_brief_tracer.answers import index_command

    if status and (rebuild or folder):
        raise click.UsageError("--status changes nothing: leave out --rebuild and --export")
    index_command.run(status, rebuild, folder, as_json)


for command in (define, listing, show, update, delete):
    trace.add_command(command)
