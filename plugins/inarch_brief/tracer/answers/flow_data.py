"""Flows as JSON data and as Mermaid flowcharts; docs/how-to/execution-paths.md names every key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inarch_brief.tracer.answers.flow_graph import FlowGraph, graph_of
from inarch_brief.tracer.answers.flow_text import in_order, ordered, targets_of
from inarch_brief.tracer.answers.flow_words import Sources, at, count, entered, named
from inarch_brief.tracer.graph.model import CALL, Below, Entry, ExecutionPath, Flow, Node, Step

_SHORTENED = (
    ("routes", 3), ("others", 0), ("callers", 0), ("callees", 0), ("routes", 1), ("below", 0), ("routes", 0),
)  # fmt: skip
"""The rows to leave out, in this order, and how many of each stay."""


def node_data(node: Node) -> dict[str, Any]:
    """Return a function with its place."""
    return {
        "qualname": node.qualname,
        "kind": node.kind,
        "file": node.file,
        "line": node.line,
        "end_line": node.end,
        "signature": node.signature,
    }


def entry_data(entry: Entry) -> dict[str, Any]:
    """Return an entry point."""
    node = entry.node
    place = {"qualname": node.qualname, "file": node.file, "line": node.line}
    return {"kind": entry.kind, "name": entry.name, **place, "how": entry.how, "doc": node.doc}


def step_data(step: Step, sources: Sources) -> dict[str, Any]:
    """Return a step: its function, and the call that leads there (null for the first)."""
    call = {
        "file": step.file, "line": step.line, "kind": step.kind, "confidence": step.confidence,
        "text": sources.call(step),
    }  # fmt: skip
    return {**node_data(step.node), "call": call if step.line else None}


def path_data(path: ExecutionPath, sources: Sources, more_callers: Mapping[int, int]) -> dict[str, Any]:
    """Return a path: its name, its entry point, and its steps down to the target."""
    steps = [{**step_data(step, sources), "more_callers": more_callers.get(step.node.id, 0)} for step in path.steps]
    return {
        "name": path.name, "description": path.description, "entry": entry_data(path.entry), "cost": path.cost,
        "steps": steps, "files": list(path.files),
    }  # fmt: skip


def below_data(calls: Iterable[Below], sources: Sources) -> list[dict[str, Any]]:
    """Return the callees of a function, level by level."""
    return [
        {**step_data(item.step, sources), "calls": below_data(item.calls, sources), "more": item.more}
        for item in in_order(list(calls), sources)
    ]


def flow_data(flow: Flow, sources: Sources) -> dict[str, Any]:
    """Return a whole flow."""
    files = dict.fromkeys((*(step.node.file for step in flow.steps), flow.target.file))
    return {
        "target": node_data(flow.target),
        "routes": [path_data(path, sources, flow.more_callers) for path in ordered(flow.routes)],
        "entry_count": flow.entry_count,
        "entry_counts": dict(flow.entry_counts),
        "likely": [entry_data(entry) for entry in flow.likely],
        "below": below_data(flow.down, sources),
        "more_below": flow.more_below,
        "files": [{"path": path, "target": path == flow.target.file} for path in files],
        "linked": flow.linked or None,
    }


def bounded(data: dict[str, Any], tokens: int) -> dict[str, Any]:
    """Shorten data to a number of tokens: the last paths go first, then the neighbours. `left_out` counts them."""
    left: dict[str, int] = {}

    def fits() -> bool:
        return len(json.dumps({**data, "left_out": left}, ensure_ascii=False)) <= 3 * tokens

    for name, least in _SHORTENED:
        while len(data.get(name) or ()) > least and not fits():
            rows = data[name]
            kept = max(least, len(rows) // 2)
            left[name] = left.get(name, 0) + len(rows) - kept
            data = {**data, name: rows[:kept]}
    for name in ("flow", "files", "curated"):
        if data.get(name) and not fits():
            left[name] = 1
            data = {**data, name: None if name == "flow" else []}
    return {**data, "left_out": left}


def chart(flow: Flow) -> str:
    """Draw the paths to a target and its calls. Calls found by name alone are dotted."""
    graph = graph_of(flow)
    names = {number: f"n{place}" for place, number in enumerate(graph.nodes)}
    lines = ["flowchart TD", *_boxes(graph, names)]
    for (caller_id, callee_id), step in graph.calls.items():
        kind = "" if step.kind in ("", CALL) else f"{step.kind} "
        label = _text(f"{kind}{at(step.file, step.line)}" if step.line else kind or "…")
        lines.append(f'  {names[caller_id]} {"-.->" if step.is_unsure else "-->"}|"{label}"| {names[callee_id]}')
    lines += [f"  %% and {count(graph.left_out, 'more function')}"] if graph.left_out else []
    marked = ",".join(names[number] for number in targets_of(flow) if number in names)
    return "\n".join([*lines, "  classDef target stroke-width:3px", f"  class {marked} target"]) + "\n"


def _boxes(graph: FlowGraph, names: Mapping[int, str]) -> Iterator[str]:
    for number, node in graph.nodes.items():
        entry = graph.entries.get(number)
        parts = (named(node), at(node.file, node.line), entered(entry) if entry else "")
        text = "<br/>".join(_text(part) for part in parts if part)
        left, right = ("([", "])") if entry else ("[", "]")
        yield f'  {names[number]}{left}"{text}"{right}'


def _text(text: str) -> str:
    """Escape a text for the diagram's grammar and HTML."""
    return "".join(
        char if char.isalnum() or (char in " ._/:-(),=@*+→←[]{}$!?'~^") else f"#{ord(char)};" for char in text
    )
