"""One function traced up, down, or to another: as text, data and diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from inarch_brief_tracer.answers import flow_mermaid
from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_data import below_data, node_data, route_data
from inarch_brief_tracer.answers.flow_text import TOKENS, UNLINKED, file_lines, fitted
from inarch_brief_tracer.answers.flow_tree import (
    Detail,
    Drawing,
    below_lines,
    doubts,
    entry_lines,
    files_of,
    own_calls,
    route_lines,
    shown_routes,
    targets_of,
)
from inarch_brief_tracer.answers.unknowns import as_known, unread
from inarch_brief_tracer.answers.wording import MARK, at, count, named, signature
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.flows import below, flow_to, routes_between
from inarch_brief_tracer.graph.model import Below, Flow, Node, Route

MAX_BELOW = 24
_ENTRIES = 3
"""How many times as many entries are listed as in other answers: they are what a trace upwards is asked for."""


@frozen(eq=False, repr=False)
class Traced:
    """What was found from a function on.

    Args:
        node: The function.
        sites: Reads call sites.
        up: The flow to it, without what lies below; None where only down was asked.
        ways: Routes to it from another function, where these were asked for.
        down: What it calls.
        more: How many calls of its own are left out.
        depth: Levels below.
        unread: Why its calls are not known, "" where they are.
    """

    node: Node
    sites: Sites
    up: Flow | None = None
    ways: tuple[Route, ...] = ()
    down: tuple[Below, ...] = ()
    more: int = 0
    depth: int = 2
    unread: str = ""

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes to the function."""
        return self.up.routes if self.up else self.ways

    def text(self, tokens: int = TOKENS, ways: int = Detail().routes) -> str:
        """Write it as indented arrows; of many ways from entries so many, one of each, and the rest counted."""

        def write(detail: Detail) -> str:
            is_cut = self.up is not None and ways < detail.routes
            return "\n".join(self._lines(detail._replace(routes=ways, each=1) if is_cut else detail))

        return fitted(write, tokens)

    def data(self) -> dict[str, Any]:
        """Give it as JSON data."""
        more = self.up.more_callers if self.up else {}
        return {
            "target": node_data(self.node),
            "routes": [route_data(route, self.sites, more) for route in self.routes],
            "entry_count": self.up.entry_count if self.up else len({route.entry.node.id for route in self.ways}),
            "below": below_data(self.down, self.node, self.sites),
            "more_below": self.more,
        }

    def chart(self) -> str:
        """Draw it as a Mermaid flowchart."""
        return flow_mermaid.chart(shown_routes(self.routes, Detail()), self.down, self.node)

    def _lines(self, detail: Detail) -> Iterator[str]:
        # What is asked for stays longest: the levels of a trace downwards.
        more = self.up.more_callers if self.up else {}
        detail = detail._replace(levels=max(1, self.depth - 2 + detail.levels))
        drawing = Drawing(self.sites, detail, targets_of(self.node, self.routes), more)
        calls = list(below_lines(drawing, self.node, self.down, self.more))
        routes = shown_routes(self.routes, detail)
        every = detail._replace(entries=_ENTRIES * detail.entries)
        listed = list(entry_lines(self.up, every)) if self.up is not None and routes else []
        yield from listed
        if routes:
            yield from route_lines(drawing, routes, calls, bool(listed))
        else:
            yield f"{named(self.node)} {MARK} · {signature(self.node)} · {at(self.node.file, self.node.line)}"
            yield from (f"  {line}" for line in calls)
        yield from doubts(routes, self.down)
        if self.up is not None:
            left = _left_out(self.up, routes, are_listed=bool(listed))
            if left:
                yield ""
                yield left
            elif not routes and self.up.linked:
                yield UNLINKED
            elif not routes:
                yield "Nothing is known to call it."
        elif self.down == () and not self.ways and not self.unread:
            yield "It calls nothing of this code."
        yield ""
        yield "## Files in this path"
        files = [path for path in files_of(routes, self.down, self.node) if path != self.node.file]
        yield from file_lines([*files[: detail.files], self.node.file], self.node.file)


def _left_out(flow: Flow, routes: Sequence[Route], are_listed: bool) -> str:
    """Say which entries and ways are not shown; entries that are listed are counted there."""
    entries = 0 if are_listed else flow.entry_count - len({route.entry.node.id for route in routes})
    ways = len({route.steps for route in flow.routes}) - len(routes) if entries <= 0 else 0
    if entries > 0:
        return f"Left out: {count(entries, 'more entry', 'more entries')}"
    return f"Left out: {count(ways, 'other way', 'other ways')} (more with --tokens)" if ways > 0 and routes else ""


def traced(graph: Graph, node: Node, direction: str, depth: int) -> Traced:
    """Trace a function: `up` to its entry points, `down` to what it calls, or `both`."""
    sites = Sites(graph.shelf.read)
    up = as_known(graph, flow_to(graph, node, depth=depth))._replace(down=()) if direction in ("up", "both") else None
    levels = 2 if direction == "both" else depth
    down, more = below(graph, node, levels, MAX_BELOW) if direction in ("down", "both") else ((), 0)
    return Traced(node, sites, up, (), own_calls(down, node), more, levels if down else 2, unread(graph, node))


def between(graph: Graph, start: Node, end: Node, depth: int) -> Traced:
    """Find the ways from one function to another."""
    return Traced(end, Sites(graph.shelf.read), None, routes_between(graph, start, end, depth=depth))
