"""What `inarch trace define|list|show|update|delete` do with the paths that people keep, in `.inarch/paths`."""

from __future__ import annotations

from typing import Any

import click

import inarch
from inarch_brief_tracer.answers import command_room, curated_paths
from inarch_brief_tracer.answers.curated_paths import Checked
from inarch_brief_tracer.answers.wording import at, plain
from inarch_brief_tracer.facts.entry_kinds import FIXTURE, TEST
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.flows import flow_to
from inarch_brief_tracer.graph.model import Node
from inarch_brief_tracer.indexing.index import Coverage


def define(name: str, functions: tuple[str, ...], description: str) -> None:
    """Keep a path as NAME: through the FUNCTIONs in their order, or by the best way to a single one."""
    with command_room.room() as room:
        nodes = room.graph(lambda graph, coverage: _nodes(graph, coverage, functions), " ".join(functions))
        _kept(
            lambda: room.paths.put(
                curated_paths.CuratedPath(name, description, curated_paths.kept(nodes)), replaces=False
            )
        )
    command_room.say(f"kept {name}: {' → '.join(node.name for node in nodes)}")


def listing(as_json: bool) -> None:
    """List the kept paths; stale ones are marked."""
    found, ignored = _all()
    if as_json:
        command_room.say_json({"paths": [checked.data() for checked in found], "note": ignored or None})
        return
    for checked in found:
        stale = " (stale)" if checked.is_stale else ""
        summary = f": {plain(checked.path.summary)}" if checked.path.summary else ""
        command_room.say(f"{checked.path.name}{stale}{summary}")
    if ignored:
        click.echo(command_room.noted(ignored), err=True)
    elif not found:
        command_room.say("no paths are kept here; inarch trace define NAME FUNCTION... keeps one")


def show(name: str, as_json: bool) -> None:
    """Show a kept path; steps that are gone or moved are marked."""
    checked = _one(name)
    if as_json:
        command_room.say_json(checked.data())
        return
    command_room.say(f"# {checked.path.name}{' (stale)' if checked.is_stale else ''}")
    if checked.path.description:
        command_room.say(f"\n{plain_lines(checked.path.description)}")
    command_room.say("")
    for place, (step, fault) in enumerate(zip(checked.path.steps, checked.faults, strict=True)):
        arrow = f"{'  ' * place}→ " if place else "Entry: "
        where = f" · {at(step.file, step.line)}" if step.file else ""
        command_room.say(f"{arrow}{plain(step.short)}(){where}{f' ({fault})' if fault else ''}")


def update(name: str, functions: tuple[str, ...], description: str | None) -> None:
    """Take down anew where the steps of a kept path stand; with FUNCTIONs, lead it through these."""
    checked = _one(name)
    with command_room.room() as room:
        if functions:
            steps = curated_paths.kept(
                room.graph(lambda graph, coverage: _nodes(graph, coverage, functions), " ".join(functions))
            )
        else:
            gone = [step.qualname for step, node in zip(checked.path.steps, checked.nodes, strict=True) if node is None]
            if gone:
                command_room.fail(
                    f"{name} has steps that are gone: {', '.join(gone)}; name the FUNCTIONs it leads through now"
                )
            steps = curated_paths.kept([node for node in checked.nodes if node is not None])
        text = checked.path.description if description is None else description
        _kept(lambda: room.paths.put(curated_paths.CuratedPath(name, text, steps), replaces=True))
    command_room.say(f"updated {name}: {' → '.join(step.short for step in steps)}")


def delete(name: str) -> None:
    """Forget a kept path."""
    with command_room.room() as room:
        had: list[bool] = []
        _kept(lambda: had.append(room.paths.drop(name)))
    if not had[0]:
        command_room.fail(f"there is no path {name}")
    command_room.say(f"deleted {name}")


def plain_lines(text: str) -> str:
    """Escape a text of several lines, line by line."""
    return "\n".join(plain(line) for line in text.splitlines())


def _nodes(graph: Graph, coverage: Coverage, functions: tuple[str, ...]) -> list[Node]:
    """Give the functions of a path; to a single one the cheapest way from its best entry."""

    found = [command_room.one(graph, coverage, function) for function in functions]
    if len(found) == 1:
        routes = [route for route in flow_to(graph, found[0], k=1).routes if len(route.steps) > 1]
        routes.sort(key=lambda route: route.entry.kind in (TEST, FIXTURE))
        return [step.node for step in routes[0].steps] if routes else found
    return found


def _all() -> tuple[list[Checked], str]:

    with command_room.room() as room:
        paths = room.paths.all()
        if not paths:
            return [], room.ignored
        return room.graph(lambda graph, _: [curated_paths.checked(graph, path) for path in paths]), room.ignored


def _one(name: str) -> Checked:

    found, ignored = _all()
    checked = next((checked for checked in found if checked.path.name == name), None)
    if checked is None:
        known = ", ".join(checked.path.name for checked in found[:20])
        command_room.fail(ignored or f"there is no path {name}; there is: {known or 'none'}")
    return checked


def _kept(write: Any) -> None:
    """Write, and tell what forbids it in one line."""

    try:
        write()
    except inarch.ToolFailed as error:
        command_room.fail(str(error))
