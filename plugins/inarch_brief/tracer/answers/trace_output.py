"""Output of `inarch context get` and `inarch trace`: traces, entry points, and curated paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

import inarch
from inarch_brief.tracer.answers import command_index
from inarch_brief.tracer.answers.answer import Answered, Wish, answered, between, traced
from inarch_brief.tracer.answers.flow_data import bounded, chart, entry_data, flow_data
from inarch_brief.tracer.answers.flow_drawing import drawing
from inarch_brief.tracer.answers.flow_text import TOKENS
from inarch_brief.tracer.answers.flow_words import at, count, entered, joined, named, plain
from inarch_brief.tracer.answers.kept_paths import Checked, checked, path_of
from inarch_brief.tracer.answers.neighbourhood import neighbourhood
from inarch_brief.tracer.answers.trace_shape import Shape
from inarch_brief.tracer.facts.kinds import ENTRY_KINDS, FIXTURE, ORPHAN, TEST
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.entries import listed
from inarch_brief.tracer.graph.flows import flow_to
from inarch_brief.tracer.graph.model import Entry, Node
from inarch_brief.tracer.indexing.index import Coverage

_TRACE_TOKENS = 4_000


def get(query: str, shape: Shape, wish: Wish) -> None:
    """Print the best match for a query, every entry point that reaches it, and its calls."""
    with command_index.room() as room:

        def answer(graph: Graph, coverage: Coverage) -> None:
            found = answered(graph, coverage._replace(notes=(*coverage.notes, *room.ignored)), query, wish, room.paths)
            flow = found.story.flow if found.story else None
            if shape.as_json:
                data = {
                    "routes": [], "entry_count": 0, "entry_counts": {}, "below": [], "more_below": 0, "files": [],
                    "linked": None, "likely": [], **(flow_data(flow, found.sources) if flow else {}),
                    **neighbourhood(graph, coverage, query, found),
                    "curated": [path.data() for path in found.story.kept] if found.story else [],
                    "flow": found.text(shape.tokens or TOKENS),
                }  # fmt: skip
                data["routes"] = data["routes"] if wish.paths else []
                command_index.say_json(bounded(data, shape.tokens) if shape.tokens else data)
            elif (shape.mermaid or shape.svg) and flow:
                click.echo(
                    (drawing if shape.svg else chart)(flow if wish.paths else flow._replace(routes=())), nl=False
                )
            else:
                command_index.say(found.text(shape.tokens or TOKENS))

        room.graph(answer, query)


def trace(function: str, way: str, depth: int, shape: Shape, end: str = "") -> None:
    """Print a trace of a function: up, down, or to another one."""
    with command_index.room() as room:

        def answer(graph: Graph, coverage: Coverage) -> tuple[Answered, str]:
            node = command_index.one(graph, coverage, function)
            notes = joined(coverage.note, graph.linked)
            if way == "path":
                other = command_index.one(graph, coverage, end)
                found = between(graph, node, other, depth)
                notes = joined("" if found.story else _no_way(graph, node, other, depth), notes)
            else:
                found = traced(graph, node, way, depth)
                notes = joined(found.note, notes)
            if found.story is None:
                if shape.as_json:
                    command_index.say_json({"routes": [], "note": notes or None})
            elif shape.as_json:
                command_index.say_json({**flow_data(found.story.flow, found.sources), "note": notes or None})
            elif shape.mermaid or shape.svg:
                click.echo((drawing if shape.svg else chart)(found.story.flow), nl=False)
            else:
                command_index.say(found.text(shape.tokens or _TRACE_TOKENS))
            return found, notes

        found, notes = room.graph(answer, f"{function} {end}")
    if notes and not shape.as_json:
        click.echo(command_index.noted(notes), err=True)
    if found.story is None:
        click.get_current_context().exit(1)


def _no_way(graph: Graph, start: Node, end: Node, depth: int) -> str:
    """Return a note that there is no path, and whether there is one in the other direction."""
    back = between(graph, end, start, depth).story
    turned = f" (there is one from {end.qualname} to {start.qualname})" if back else ""
    return f"no path of {count(depth, 'call')} or fewer is known from {start.qualname} to {end.qualname}{turned}"


def entries(kind: str | None, limit: int, as_json: bool) -> None:
    """Print the entry points of a kind, or by default all except tests and orphans."""
    if kind is not None and kind not in ENTRY_KINDS:
        command_index.fail(f"there is no kind {kind}; kinds are: {', '.join(ENTRY_KINDS)}")
    with command_index.room() as room:
        found, totals, note = room.graph(
            lambda graph, coverage: (*_listed(graph, kind, limit), coverage.noted(graph.linked))
        )
    if as_json:
        command_index.say_json(
            {"entries": [entry_data(entry) for entry in found], "totals": totals, "note": note or None}
        )
        return
    for entry in found:
        command_index.say(f"{named(entry.node)} · {entered(entry)} · {at(entry.node.file, entry.node.line)}")
    in_all = sum(totals.values()) if kind is None else totals.get(kind, 0)
    if not found and not in_all:
        command_index.say(f"no entry point{f' of the kind {kind}' if kind else ''} is known here")
    elif in_all > len(found):
        kinds = ", ".join(f"{number:,} {name}" for name, number in totals.items())
        more = count(in_all - len(found), "more entry", "more entries")
        command_index.say(f"+{more} (in all: {kinds}; see --kind, --limit)")
    if note:
        click.echo(command_index.noted(note), err=True)


def _listed(graph: Graph, kind: str | None, limit: int) -> tuple[list[Entry], dict[str, int]]:
    """List the entry points of a kind. Without a kind, leave out tests, which would be most of the list."""
    if kind is not None:
        return listed(graph, kind, limit)
    _, totals = listed(graph, None, 0)
    found: list[Entry] = []
    for name in totals:
        if name not in (TEST, FIXTURE, ORPHAN) and len(found) < limit:
            found += listed(graph, name, limit - len(found))[0]
    return found, totals


def define(name: str, functions: tuple[str, ...], description: str) -> None:
    """Store a path as NAME: through the FUNCTIONs in their order, or along the best path to a single one."""
    with command_index.room() as room:
        nodes = room.graph(lambda graph, coverage: _nodes(graph, coverage, functions), " ".join(functions))
        _keep(lambda: room.paths.put(path_of(name, nodes, description), replaces=False))
    command_index.say(f"stored {name}: {_chain(nodes)}")


def listing(as_json: bool) -> None:
    """List the curated paths, and mark stale ones."""
    found, ignored = _all()
    note = "".join(ignored)
    if as_json:
        command_index.say_json({"paths": [path.data() for path in found], "note": note or None})
        return
    for path in found:
        summary = plain(path.path.description.partition("\n")[0])
        command_index.say(f"{path.path.name}{' (stale)' if path.is_stale else ''}{': ' if summary else ''}{summary}")
    if note:
        click.echo(command_index.noted(note), err=True)
    elif not found:
        command_index.say("there are no curated paths here; inarch trace define NAME FUNCTION... stores one")


def show(target: str, shape: Shape) -> None:
    """Show a curated path and mark deleted or moved steps, or the paths through a function."""
    paths, ignored = _all()
    found = next((path for path in paths if path.path.name == target), None)
    if found is None and not ignored:
        try:
            trace(target, "both", 20, shape)
        except click.ClickException as error:
            command_index.fail(f"there is no path {target}, and {error.message}")
        return
    found = found or _one(target)
    if shape.as_json:
        command_index.say_json(found.data())
        return
    if shape.mermaid or shape.svg:
        click.echo((drawing if shape.svg else chart)(found.flow), nl=False)
        return
    described = "\n".join(plain(line) for line in found.path.description.splitlines())
    command_index.say(f"# {found.path.name}{' (stale)' if found.is_stale else ''}")
    command_index.say(f"\n{described}\n" if described else "")
    for place, (step, fault) in enumerate(zip(found.path.steps, found.faults, strict=True)):
        arrow = f"{'  ' * place}→ " if place else "Entry: "
        where = f" · {at(step.node.file, step.node.line)}" if step.node.file else ""
        command_index.say(f"{arrow}{plain(step.node.name)}(){where}{f' ({fault})' if fault else ''}")


def update(name: str, functions: tuple[str, ...], description: str | None) -> None:
    """Update the places of a curated path's steps, or lead the path through FUNCTIONs instead."""
    found = _one(name)
    with command_index.room() as room:
        nodes = [node for node in found.nodes if node is not None]
        if functions:
            nodes = room.graph(lambda graph, coverage: _nodes(graph, coverage, functions), " ".join(functions))
        elif "gone" in found.faults:
            gone = [step.node.qualname for step, fault in zip(found.path.steps, found.faults, strict=True) if fault]
            command_index.fail(f"{name} has deleted steps: {', '.join(gone)}; name its FUNCTIONs again")
        text = found.path.description if description is None else description
        _keep(lambda: room.paths.put(path_of(name, nodes, text), replaces=True))
    command_index.say(f"updated {name}: {_chain(nodes)}")


def delete(name: str) -> None:
    """Delete a curated path."""
    with command_index.room() as room:
        if not _keep(lambda: room.paths.drop(name)):
            command_index.fail(f"there is no path {name}")
    command_index.say(f"deleted {name}")


def _chain(nodes: Sequence[Node]) -> str:
    return " → ".join(node.name for node in nodes)


def _nodes(graph: Graph, coverage: Coverage, functions: tuple[str, ...]) -> list[Node]:
    """Return the functions of a path. For a single one, take the cheapest path from its best entry point."""
    found = [command_index.one(graph, coverage, function) for function in functions]
    if len(found) > 1:
        return found
    routes = [route for route in flow_to(graph, found[0], k=1).routes if len(route.steps) > 1]
    routes.sort(key=lambda route: route.entry.kind in (TEST, FIXTURE))
    return [step.node for step in routes[0].steps] if routes else found


def _all() -> tuple[list[Checked], tuple[str, ...]]:
    with command_index.room() as room:
        paths = room.paths.all()
        found = room.graph(lambda graph, _: [checked(graph, path) for path in paths]) if paths else []
        return found, room.ignored


def _one(name: str) -> Checked:
    found, ignored = _all()
    one = next((path for path in found if path.path.name == name), None)
    if one is None:
        known = ", ".join(path.path.name for path in found[:20])
        command_index.fail("".join(ignored) or f"there is no path {name}; there is: {known or 'none'}")
    return one


def _keep(write: Callable[[], object]) -> object:
    """Write, or end the command with the reason in one line."""
    try:
        return write()
    except inarch.ToolFailed as error:
        command_index.fail(str(error))
