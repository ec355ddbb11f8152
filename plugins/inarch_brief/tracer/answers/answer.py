"""The answer to a query: a ranked list, the flow through the best match, its code and its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch_brief.search import understood
from inarch_brief.tracer.answers import kept_paths
from inarch_brief.tracer.answers.flow_text import TOKENS, Story, ordered, own_calls, told
from inarch_brief.tracer.answers.flow_words import Sources, at, cut, entered, joined, plain, signature
from inarch_brief.tracer.facts.file_facts import FULL, LIGHT
from inarch_brief.tracer.facts.kinds import FIXTURE, ORPHAN
from inarch_brief.tracer.facts.kinds import TEST as TEST_ENTRY
from inarch_brief.tracer.facts.modules import TEXT
from inarch_brief.tracer.finding.hits import Hit, described
from inarch_brief.tracer.finding.targets import Match, matching
from inarch_brief.tracer.graph.flows import below, flow_to, routes_between
from inarch_brief.tracer.graph.model import Flow, Node
from inarch_brief.tracer.indexing.index import UNINDEXED

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.indexing.index import Coverage

ELSEWHERE = "find other code with search_files"
MAX_OTHERS = 9
MAX_BELOW = 24
"""Calls of a function shown in a trace downwards."""
SHOWN = 0.7
"""Confidence from which on a model gets the flow beside the list."""
_LONGEST_LINE = 110
_UNLINKED = (
    "SELECT 1 FROM files f WHERE f.level = ? AND NOT EXISTS (SELECT 1 FROM linked a WHERE a.file = f.id) LIMIT 1"
)

Row = dict[str, Any]


@frozen(eq=False, repr=False)
class Wish:
    """Options of a flow."""

    file: str = ""
    paths: bool = True
    code: bool = False


@frozen(eq=False, repr=False)
class Answered:
    """The answer to a query."""

    match: Match
    story: Story | None
    sources: Sources
    note: str = ""

    def text(self, tokens: int = TOKENS) -> str:
        """Write the flow for people and models."""
        return plain(self.note) if self.story is None else told(self.story, self.sources, tokens)

    @property
    def paths(self) -> list[Row]:
        """The path from each entry point as data: the kind of entry point, and the functions with their call sites."""
        routes = ordered(self.story.flow.routes) if self.story else []
        each = {route.entry.node.id: route for route in reversed(routes)}
        return [
            {
                "name": route.name,
                "entry": entered(route.entry),
                "test": route.entry.kind in (TEST_ENTRY, FIXTURE),
                "steps": [
                    {"name": step.node.name, "file": step.file or step.node.file, "line": step.line or step.node.line}
                    for step in route.steps
                ],
            }
            for route in reversed(each.values())
        ]

    def brief(self, tokens: int) -> Row:
        """Return a model's answer: the ranked list, with the flow and its source if that is likely right."""
        data: Row = {"confidence": round(self.match.confidence, 2), "found": listed(self.match.hits[: MAX_OTHERS + 1])}
        if self.story is not None and self.match.confidence >= SHOWN:
            data["found"] += f"\n\n{told(self.story, self.sources, tokens)}"
        elif self.note:
            data["note"] = self.note
        return data


def listed(hits: Sequence[Hit]) -> str:
    """Write a ranked list: the place, the name, and the first line of its description or its signature."""
    lines = []
    for number, hit in enumerate(hits, 1):
        name = hit.name if hit.role == TEXT else ".".join(hit.dotted.split(".")[-2:]) or hit.module
        row = described(hit)
        about = f" — {plain(row['doc'])}" if row["doc"] else signature(hit.signature)
        lines.append(cut(f"{number}. {at(hit.path, hit.line)} {plain(name)}{about}", _LONGEST_LINE))
    return "\n".join(lines) or "nothing found"


def answered(graph: Graph, coverage: Coverage, query: str, wish: Wish, paths: kept_paths.KeptPaths) -> Answered:
    """Match a query, and find the flow through the best match."""
    sources = Sources(graph.shelf.read)
    if not coverage.files:
        return Answered(Match(), None, sources, coverage.noted(ELSEWHERE) or "")
    kept = [kept_paths.checked(graph, path) for path in paths.all()]
    named = kept_paths.about(kept, query) if not wish.file else []
    match = matching(graph, query, wish.file)
    nodes = _path_end_first(named, match)
    if not nodes:
        where = f" in {wish.file}" if wish.file else ""
        return Answered(match, None, sources, joined("" if match.hits else f"nothing found{where}", coverage.note))
    flow = flow_to(graph, nodes[0])
    flow = as_known(graph, flow._replace(down=own_calls(flow.down, flow.target)))
    inside = {flow.target.id, *(step.node.id for step in flow.steps)}
    others = tuple(node for node in nodes[1:] if node.id not in inside and node.kind != "module")
    along = tuple({path.path.name: path for path in (*named, *kept_paths.sharing(kept, inside))}.values())
    notes = joined(unread(graph, flow.target), coverage.note)
    tests = understood(query).about_tests
    return Answered(match, Story(flow, others, along, notes, wish.paths, wish.code, tests), sources, notes)


def _path_end_first(named: Sequence[kept_paths.Checked], match: Match) -> tuple[Node, ...]:
    """Put the end of a curated path first if a query is about the path, unless it clearly names another symbol."""
    ends = [node for checked in named[:1] for node in checked.nodes if node is not None][-1:]
    if not ends or match.is_strong:
        return match.nodes
    return (*ends, *(node for node in match.nodes if node.id != ends[0].id))


def traced(graph: Graph, node: Node, direction: str, depth: int) -> Answered:
    """Trace a function: `up` to its entry points, `down` to its callees, or `both`."""
    flow = flow_to(graph, node, entries=1 if direction == "down" else 20, depth=depth)
    levels = 2 if direction != "down" else depth
    down, more = below(graph, node, levels, MAX_BELOW) if direction != "up" else ((), 0)
    flow = as_known(graph, flow._replace(down=own_calls(down, node), more_below=more))
    if direction == "down":
        flow = flow._replace(routes=(), entry_count=0, entry_counts={}, more_callers={}, likely=())
    note = unread(graph, node)
    story = Story(
        flow, note=note, paths=direction != "down", deeper=levels - 2, entries=3, tests=True, is_trace=True
    )  # fmt: skip
    return Answered(Match(), story, Sources(graph.shelf.read), note)


def between(graph: Graph, start: Node, end: Node, depth: int) -> Answered:
    """Find the paths from one function to another; without any there is no story."""
    routes = routes_between(graph, start, end, depth=depth)
    flow = Flow(end, routes, min(1, len(routes)), {}, {}, (), 0, "")
    story = Story(flow, is_trace=True) if routes else None
    return Answered(Match(), story, Sources(graph.shelf.read))


def unread(graph: Graph, node: Node) -> str:
    """Return a note that the calls of a function are unknown because its file does not parse, or ""."""
    row = graph.connection.execute("SELECT level, unparsable FROM files WHERE path = ?", (node.file,)).fetchone()
    if row is None or row[0] != LIGHT:
        return ""
    why = "can't be parsed" if row[1] else "is too large to be parsed"
    return f"{plain(node.file)} {why}: the callers and callees of {plain(node.name)} are unknown"


def as_known(graph: Graph, flow: Flow) -> Flow:
    """Drop the claim that nothing calls a function while possible callers are not linked yet."""
    alone = all(route.entry.kind == ORPHAN and len(route.steps) == 1 for route in flow.routes)
    if alone and flow.linked:
        unlinked = graph.connection.execute(_UNLINKED, (FULL,)).fetchone() is not None
        if UNINDEXED in flow.linked or unlinked:
            return flow._replace(routes=(), entry_count=0, entry_counts={})
    return flow
