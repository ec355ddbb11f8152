"""What `inarch trace define|list|show|update|delete` do with the paths that people keep, in `.inarch/paths`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

import inarch
from inarch_brief_tracer.answers import command_room
from inarch_brief_tracer.answers.kept_paths import Checked, checked, path_of
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
        _keep(lambda: room.paths.put(path_of(name, nodes, description), replaces=False))
    command_room.say(f"kept {name}: {_chain(nodes)}")


def listing(as_json: bool) -> None:
    """List the kept paths; stale ones are marked."""
    found, ignored = _all()
    note = "".join(ignored)
    if as_json:
        command_room.say_json({"paths": [path.data() for path in found], "note": note or None})
        return
    for path in found:
        summary = plain(path.path.description.partition("\n")[0])
        command_room.say(f"{path.path.name}{' (stale)' if path.is_stale else ''}{': ' if summary else ''}{summary}")
    if note:
        click.echo(command_room.noted(note), err=True)
    elif not found:
        command_room.say("no paths are kept here; inarch trace define NAME FUNCTION... keeps one")


def show(name: str, as_json: bool) -> None:
    """Show a kept path; steps that are gone or moved are marked."""
    found = _one(name)
    if as_json:
        command_room.say_json(found.data())
        return
    described = "\n".join(plain(line) for line in found.path.description.splitlines())
    command_room.say(f"# {found.path.name}{' (stale)' if found.is_stale else ''}")
    command_room.say(f"\n{described}\n" if described else "")
    for place, (step, fault) in enumerate(zip(found.path.steps, found.faults, strict=True)):
        arrow = f"{'  ' * place}→ " if place else "Entry: "
        where = f" · {at(step.node.file, step.node.line)}" if step.node.file else ""
        command_room.say(f"{arrow}{plain(step.node.name)}(){where}{f' ({fault})' if fault else ''}")


def update(name: str, functions: tuple[str, ...], description: str | None) -> None:
    """Take down anew where the steps of a kept path are; with FUNCTIONs, lead it through these."""
    found = _one(name)
    with command_room.room() as room:
        nodes = [node for node in found.nodes if node is not None]
        if functions:
            nodes = room.graph(lambda graph, coverage: _nodes(graph, coverage, functions), " ".join(functions))
        elif "gone" in found.faults:
            gone = [step.node.qualname for step, fault in zip(found.path.steps, found.faults, strict=True) if fault]
            command_room.fail(
                f"{name} has steps that are gone: {', '.join(gone)}; name the FUNCTIONs it leads through now"
            )
        text = found.path.description if description is None else description
        _keep(lambda: room.paths.put(path_of(name, nodes, text), replaces=True))
    command_room.say(f"updated {name}: {_chain(nodes)}")


def delete(name: str) -> None:
    """Forget a kept path."""
    with command_room.room() as room:
        if not _keep(lambda: room.paths.drop(name)):
            command_room.fail(f"there is no path {name}")
    command_room.say(f"deleted {name}")


def _chain(nodes: Sequence[Node]) -> str:
    return " → ".join(node.name for node in nodes)


def _nodes(graph: Graph, coverage: Coverage, functions: tuple[str, ...]) -> list[Node]:
    """Give the functions of a path; to a single one the cheapest way from its best entry."""
    found = [command_room.one(graph, coverage, function) for function in functions]
    if len(found) > 1:
        return found
    routes = [route for route in flow_to(graph, found[0], k=1).routes if len(route.steps) > 1]
    routes.sort(key=lambda route: route.entry.kind in (TEST, FIXTURE))
    return [step.node for step in routes[0].steps] if routes else found


def _all() -> tuple[list[Checked], tuple[str, ...]]:
    with command_room.room() as room:
        paths = room.paths.all()
        found = room.graph(lambda graph, _: [checked(graph, path) for path in paths]) if paths else []
        return found, room.ignored


def _one(name: str) -> Checked:
    found, ignored = _all()
    one = next((path for path in found if path.path.name == name), None)
    if one is None:
        known = ", ".join(path.path.name for path in found[:20])
        command_room.fail("".join(ignored) or f"there is no path {name}; there is: {known or 'none'}")
    return one


def _keep(write: Callable[[], object]) -> object:
    """Write, and say what forbids it in one line."""
    try:
        return write()
    except inarch.ToolFailed as error:
        command_room.fail(str(error))
