"""What `inarch trace up|down|path|entries` print."""

from __future__ import annotations

import click

from inarch_brief_tracer.answers import command_room, function_traces
from inarch_brief_tracer.answers.flow_data import entry_data
from inarch_brief_tracer.answers.function_traces import Traced
from inarch_brief_tracer.answers.wording import at, count, entered, joined, named
from inarch_brief_tracer.facts.entry_kinds import ENTRY_KINDS, FIXTURE, ORPHAN, TEST
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.entries import listed
from inarch_brief_tracer.graph.model import Entry, Node
from inarch_brief_tracer.indexing.index import Coverage

_TOKENS, _WAYS = 4_000, 4
"""What is told where no bound is given: few ways, as most differ in a step or two."""


def trace(function: str, way: str, depth: int, as_json: bool, mermaid: bool, tokens: int | None, end: str = "") -> None:
    """Print what was traced from a function on: up, down, or to another one."""
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid exclude each other")
    with command_room.room() as room:

        def answer(graph: Graph, coverage: Coverage) -> tuple[Traced, str]:
            node = command_room.one(graph, coverage, function)
            notes = joined(coverage.note, graph.linked)
            if way != "path":
                found = function_traces.traced(graph, node, way, depth)
                notes = joined(found.unread, notes)
            else:
                found = function_traces.between(graph, node, command_room.one(graph, coverage, end), depth)
                if not found.ways and not as_json:
                    notes = joined(_no_way(graph, node, found.node, depth), notes)
            if as_json:
                command_room.say_json({**found.data(), "note": notes or None})
            elif mermaid:
                click.echo(found.chart(), nl=False)
            elif way != "path" or found.ways:
                command_room.say(found.text(tokens) if tokens else found.text(_TOKENS, _WAYS))
            return found, notes

        found, notes = room.graph(answer, f"{function} {end}")
    if notes and not as_json:
        click.echo(command_room.noted(notes), err=True)
    if way == "path" and not found.ways:
        click.get_current_context().exit(1)


def _no_way(graph: Graph, start: Node, end: Node, depth: int) -> str:
    """Say that there is no path, and whether there is one the other way round."""
    back = function_traces.between(graph, end, start, depth).ways
    turned = f" (there is one from {end.qualname} to {start.qualname})" if back else ""
    return f"no path of {count(depth, 'call')} or fewer is known from {start.qualname} to {end.qualname}{turned}"


def entries(kind: str | None, limit: int, as_json: bool) -> None:
    """Print the entry points of a kind, or of all that stand for what runs."""
    if kind is not None and kind not in ENTRY_KINDS:
        command_room.fail(f"there is no kind {kind}; kinds are: {', '.join(ENTRY_KINDS)}")
    with command_room.room() as room:
        found, totals, note = room.graph(
            lambda graph, coverage: (*_listed(graph, kind, limit), coverage.noted(graph.linked))
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


def _listed(graph: Graph, kind: str | None, limit: int) -> tuple[list[Entry], dict[str, int]]:
    """List the entries of a kind; of all kinds, those that stand for what runs: tests would be most of the list."""
    if kind is not None:
        found, totals = listed(graph, kind, limit)
        return found, totals
    _, totals = listed(graph, None, 0)
    found = []
    for name in totals:
        if name not in (TEST, FIXTURE, ORPHAN) and len(found) < limit:
            found += listed(graph, name, limit - len(found))[0]
    return found, totals
