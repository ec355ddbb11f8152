"""Flows as JSON data; docs/how-to/execution-paths.md tells every key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_tree import files_of, in_order
from inarch_brief_tracer.graph.model import Below, Entry, Flow, Node, Route, Step

if TYPE_CHECKING:
    from inarch_brief_tracer.answers.curated_paths import Checked


def node_data(node: Node) -> dict[str, Any]:
    """Give a function with its place."""
    return {
        "qualname": node.qualname,
        "kind": node.kind,
        "file": node.file,
        "line": node.line,
        "end_line": node.end,
        "signature": node.signature,
    }


def entry_data(entry: Entry) -> dict[str, Any]:
    """Give an entry point."""
    return {
        "kind": entry.kind,
        "name": entry.name,
        "qualname": entry.node.qualname,
        "file": entry.node.file,
        "line": entry.node.line,
        "how": entry.how,
        "doc": entry.node.doc,
    }


def step_data(step: Step, caller: Node | None, sites: Sites) -> dict[str, Any]:
    """Give a step: its function, and the call that leads there (null for the first)."""
    call = None
    if step.line:
        site = sites.of(step, caller)
        call = {
            "file": step.file,
            "line": step.line,
            "kind": step.kind,
            "confidence": step.confidence,
            "text": site.text,
            "arguments": site.arguments,
            "result": site.result,
        }
    return {**node_data(step.node), "call": call, "cycle": step.cycle}


def route_data(route: Route, sites: Sites, more_callers: Mapping[int, int] | None = None) -> dict[str, Any]:
    """Give a route: its entry, and its steps down to the target."""
    steps = []
    caller: Node | None = None
    for step in route.steps:
        more = (more_callers or {}).get(step.node.id, 0)
        steps.append({**step_data(step, caller, sites), "more_callers": more})
        caller = step.node
    return {"entry": entry_data(route.entry), "cost": route.cost, "steps": steps}


def below_data(calls: Iterable[Below], caller: Node, sites: Sites) -> list[dict[str, Any]]:
    """Give what a function calls, level by level."""
    return [
        {
            **step_data(item.step, caller, sites),
            "calls": below_data(item.calls, item.step.node, sites),
            "more": item.more,
        }
        for item in in_order(list(calls), sites)
    ]


def flow_data(flow: Flow, sites: Sites, curated: Iterable[Checked] = ()) -> dict[str, Any]:
    """Give a whole flow."""
    files = files_of(flow.routes, flow.down, flow.target)
    return {
        "target": node_data(flow.target),
        "routes": [route_data(route, sites, flow.more_callers) for route in flow.routes],
        "entry_count": flow.entry_count,
        "entry_counts": dict(flow.entry_counts),
        "below": below_data(flow.down, flow.target, sites),
        "more_below": flow.more_below,
        "files": [{"path": path, "target": path == flow.target.file} for path in files],
        "curated": [checked.data() for checked in curated],
        "linked": flow.linked or None,
    }


def bounded(data: dict[str, Any], tokens: int) -> dict[str, Any]:
    """Shorten data to a number of tokens: the last routes go first, then what stands around; `left_out` counts them."""
    left: dict[str, int] = {}

    def fits() -> bool:
        return len(json.dumps({**data, "left_out": left}, ensure_ascii=False)) <= 3 * tokens

    for name, least in (
        ("routes", 3),
        ("others", 0),
        ("callers", 0),
        ("callees", 0),
        ("routes", 1),
        ("below", 0),
        ("routes", 0),
    ):
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
