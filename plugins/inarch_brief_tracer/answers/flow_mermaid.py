"""Flows as Mermaid flowcharts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inarch_brief_tracer.answers.flow_tree import targets_of
from inarch_brief_tracer.answers.wording import at, entered, named
from inarch_brief_tracer.graph.model import CALL, Below, Node, Route, Step

MOST_ROUTES = 20


def chart(routes: Sequence[Route], below: Sequence[Below], target: Node) -> str:
    """Draw routes and what lies below the target; calls found by name alone are dotted."""
    nodes: dict[int, Node] = {}
    arrows: dict[tuple[int, int], Step] = {}
    entries: dict[int, str] = {}
    for route in routes[:MOST_ROUTES]:
        entries[route.entry.node.id] = entered(route.entry)
        for before, step in zip(route.steps, route.steps[1:], strict=False):
            arrows.setdefault((before.node.id, step.node.id), step)
        nodes.update((step.node.id, step.node) for step in route.steps)
    for caller, step in _pairs(target, below):
        nodes[step.node.id] = step.node
        arrows.setdefault((caller.id, step.node.id), step)
    if not nodes or below:
        nodes[target.id] = target
    marked = [number for number in targets_of(target, routes[:MOST_ROUTES]) if number in nodes]
    return "\n".join(_lines(nodes, arrows, entries, marked)) + "\n"


def _pairs(caller: Node, below: Iterable[Below]) -> Iterator[tuple[Node, Step]]:
    for item in below:
        yield caller, item.step
        yield from _pairs(item.step.node, item.calls)


def _lines(
    nodes: dict[int, Node], arrows: dict[tuple[int, int], Step], entries: dict[int, str], marked: Sequence[int]
) -> Iterator[str]:
    yield "flowchart TD"
    names = {number: f"n{place}" for place, number in enumerate(nodes)}
    for number, node in nodes.items():
        text = "<br/>".join(
            _text(part) for part in (named(node), at(node.file, node.line), entries.get(number, "")) if part
        )
        left, right = ("([", "])") if number in entries else ("[", "]")
        yield f'  {names[number]}{left}"{text}"{right}'
    for (caller, callee), step in arrows.items():
        kind = "" if step.kind in ("", CALL) else f"{step.kind} "
        line = "-.->" if step.is_unsure else "-->"
        label = _text(f"{kind}{at(step.file, step.line)}")
        yield f'  {names[caller]} {line}|"{label}"| {names[callee]}'
    yield "  classDef target stroke-width:3px"
    yield f"  class {','.join(names[number] for number in marked)} target"


def _text(text: str) -> str:
    """Write a text so that the diagram's grammar and HTML take it for nothing else."""
    return "".join(
        char if char.isalnum() or (char in " ._/:-(),=@*+→←[]{}$!?'~^") else f"#{ord(char)};" for char in text
    )
