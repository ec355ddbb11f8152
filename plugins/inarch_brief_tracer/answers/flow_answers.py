"""Answers about flows, from a graph: for the tools, the command line and the context of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch_brief_tracer.answers import curated_paths
from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.answers.flow_data import flow_data, node_data
from inarch_brief_tracer.answers.flow_text import TOKENS, Story, told
from inarch_brief_tracer.answers.flow_tree import own_calls
from inarch_brief_tracer.answers.unknowns import as_known, unread
from inarch_brief_tracer.answers.wording import joined, plain
from inarch_brief_tracer.finding.targets import Match, matching
from inarch_brief_tracer.graph.flows import flow_to
from inarch_search import understood

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.graph.model import Flow
    from inarch_brief_tracer.indexing.index import Coverage

ELSEWHERE = "find other code with search_files"
MAX_OTHERS = 5
_NOTHING: Mapping[str, Any] = {
    "target": None, "routes": [], "entry_count": 0, "entry_counts": {}, "below": [], "more_below": 0, "files": [],
    "curated": [], "linked": None, "others": [],
}  # fmt: skip


@frozen(eq=False, repr=False)
class Wish:
    """How a flow is wanted.

    Args:
        tokens: Bound of the text.
        file: Only matches in this file or folder.
        paths: Whether the ways from the entries are wanted.
        code: Whether sources are.
    """

    tokens: int = TOKENS
    file: str = ""
    paths: bool = True
    code: bool = False


@frozen(eq=False, repr=False)
class Answered:
    """What was found for a query.

    Args:
        match: What the query is about.
        story: The flow and what goes with it; None if nothing was found.
        sites: Reads call sites.
        note: What has to be said where there is no story.
    """

    match: Match
    story: Story | None
    sites: Sites
    note: str = ""

    def text(self, tokens: int = TOKENS) -> str:
        """Write it for people and models."""
        if self.story is None:
            return plain(self.note)
        return told(self.story, self.sites, tokens)

    def data(self) -> dict[str, Any]:
        """Give it as JSON data."""
        if self.story is None:
            return {**_NOTHING, "note": self.note}
        others = [node_data(node) for node in self.story.others]
        data = flow_data(self.story.flow, self.sites, self.story.curated)
        if not self.story.paths:
            data["routes"] = []
        if self.story.code:
            data["target"]["code"] = self.sites.source(self.story.flow.target, 400)
        return {**data, "others": others, "note": self.story.note or None}


def answered(
    graph: Graph, coverage: Coverage, query: str, wish: Wish, paths: curated_paths.CuratedPaths, note: str = ""
) -> Answered:
    """Find what a query is about, and the flow through it."""
    sites = Sites(graph.shelf.read)
    notes = joined(coverage.note, note)
    if not coverage.files:
        return Answered(Match(()), None, sites, coverage.noted(ELSEWHERE, note) or "")
    curated = [curated_paths.checked(graph, path) for path in paths.all()]
    named = curated_paths.about(curated, query)
    match = _led_by(named, matching(graph, query, wish.file)) if not wish.file else matching(graph, query, wish.file)
    if not match.nodes:
        where = f" in {wish.file}" if wish.file else ""
        return Answered(match, None, sites, joined(f"nothing found{where}", notes))
    flow = flow_to(graph, match.nodes[0])
    flow = as_known(graph, flow._replace(down=own_calls(flow.down, flow.target)))
    notes = joined(unread(graph, flow.target), notes)
    inside = nodes_of(flow)
    others = tuple(node for node in match.nodes[1:] if node.id not in inside and node.kind != "module")[:MAX_OTHERS]
    along = tuple(dict.fromkeys((*named, *curated_paths.sharing(curated, inside))))
    return Answered(
        match, Story(flow, others, along, notes, wish.paths, wish.code, understood(query).about_tests), sites
    )


def _led_by(named: Sequence[curated_paths.Checked], match: Match) -> Match:
    """Put the end of a kept path first where a query is about the path, unless it names something else beyond doubt."""
    ends = [node for checked in named[:1] for node in checked.nodes if node is not None][-1:]
    if not ends or match.is_strong:
        return match
    return Match((*ends, *(node for node in match.nodes if node.id != ends[0].id)), True)


def nodes_of(flow: Flow) -> set[int]:
    """Give the functions of a flow by their numbers."""
    found = {flow.target.id, *(step.node.id for route in flow.routes for step in route.steps)}
    waiting = list(flow.down)
    while waiting:
        item = waiting.pop()
        found.add(item.step.node.id)
        waiting += item.calls
    return found
