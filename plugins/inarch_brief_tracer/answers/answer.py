"""What a query is about: a ranked list, the flow through the best match, its code and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch_brief_tracer.answers import kept_paths
from inarch_brief_tracer.answers.flow_text import TOKENS, Story, ordered, own_calls, told
from inarch_brief_tracer.answers.source_lines import Sources
from inarch_brief_tracer.answers.wording import at, cut, entered, joined, plain, signature
from inarch_brief_tracer.facts.entry_kinds import FIXTURE, ORPHAN
from inarch_brief_tracer.facts.entry_kinds import TEST as TEST_ENTRY
from inarch_brief_tracer.facts.file_facts import FULL, LIGHT
from inarch_brief_tracer.facts.file_names import is_other
from inarch_brief_tracer.facts.modules import TEST, TEXT, VENDORED
from inarch_brief_tracer.finding.hits import Hit, described
from inarch_brief_tracer.finding.neighbours import callers_of, made_by
from inarch_brief_tracer.finding.targets import Match, matching
from inarch_brief_tracer.graph.flows import below, ends_of, flow_to, routes_between
from inarch_brief_tracer.graph.model import NAME, Arc, Flow, Node
from inarch_brief_tracer.indexing.index import UNINDEXED
from inarch_brief_tracer.linking.resolver import Place, Resolver
from inarch_search import understood

if TYPE_CHECKING:
    from inarch_brief_tracer.graph.call_graph import Graph
    from inarch_brief_tracer.indexing.index import Coverage

ELSEWHERE = "find other code with search_files"
MAX_OTHERS = 9
MAX_CODE_LINES = 80
MAX_SITES = 30
MAX_BELOW = 24
"""Calls of a function that are shown of a trace downwards."""
SHOWN = 0.7
"""Confidence from which on a model is shown the flow beside the list."""
_LONGEST_LINE = 110
_UNLINKED = "SELECT 1 FROM files f WHERE f.level = ? AND NOT EXISTS (SELECT 1 FROM arcs a WHERE a.file = f.id) LIMIT 1"
_SAME = "SELECT o.id FROM symbols o JOIN symbols s ON s.file = o.file AND s.dotted = o.dotted WHERE s.id = ?"

Row = dict[str, Any]


@frozen(eq=False, repr=False)
class Wish:
    """How a flow is wanted.

    Args:
        file: Only matches in this file or folder.
        paths: Whether the ways from the entries are wanted.
        code: Whether sources are.
    """

    file: str = ""
    paths: bool = True
    code: bool = False


@frozen(eq=False, repr=False)
class Answered:
    """What was found for a query.

    Args:
        match: What the query is about, best first.
        story: The flow and what goes with it; None if no function was found.
        sources: Reads calls and functions.
        note: What has to be said about the answer.
    """

    match: Match
    story: Story | None
    sources: Sources
    note: str = ""

    def text(self, tokens: int = TOKENS) -> str:
        """Write the flow for people and models."""
        return plain(self.note) if self.story is None else told(self.story, self.sources, tokens)

    @property
    def paths(self) -> list[Row]:
        """Give the way from each entry as data: the kind of entry, and the functions with where each is called."""
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
        """Give a model the ranked list, with the flow and its source if that is likely right."""
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
    """Find what a query is about, and the flow through it."""
    sources = Sources(graph.shelf.read)
    if not coverage.files:
        return Answered(Match(), None, sources, coverage.noted(ELSEWHERE) or "")
    kept = [kept_paths.checked(graph, path) for path in paths.all()]
    named = kept_paths.about(kept, query) if not wish.file else []
    match = matching(graph, query, wish.file)
    nodes = _led_by(named, match)
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


def _led_by(named: Sequence[kept_paths.Checked], match: Match) -> tuple[Node, ...]:
    """Put the end of a kept path first if a query is about the path, unless it names something else beyond doubt."""
    ends = [node for checked in named[:1] for node in checked.nodes if node is not None][-1:]
    if not ends or match.is_strong:
        return match.nodes
    return (*ends, *(node for node in match.nodes if node.id != ends[0].id))


def traced(graph: Graph, node: Node, direction: str, depth: int) -> Answered:
    """Trace a function: `up` to its entry points, `down` to what it calls, or `both`."""
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
    """Find the ways from one function to another; no story if there are none."""
    routes = routes_between(graph, start, end, depth=depth)
    flow = Flow(end, routes, min(1, len(routes)), {}, {}, (), 0, "")
    story = Story(flow, is_trace=True) if routes else None
    return Answered(Match(), story, Sources(graph.shelf.read))


def neighbourhood(graph: Graph, coverage: Coverage, query: str, found: Answered) -> Row:
    """Give the best match with its code, its callers and what it calls, and the other matches."""
    hits = found.match.hits
    data: Row = {
        "query": query, "target": None, "confidence": round(found.match.confidence, 2),
        "unknown": list(found.match.unknown), "callers": [], "callees": [], "more_callers": False,
        "more_callees": False, "others": [described(hit) for hit in hits[1 : MAX_OTHERS + 1]],
    }  # fmt: skip
    if not hits:
        return {**data, "note": coverage.noted("nothing found" if coverage.files else ELSEWHERE)}
    best = hits[0]
    if best.role == TEXT:
        target, cut_note = _target(best, (), found.sources.lines(best.path)[best.line - 1 : best.end])
        return {**data, "target": target, "note": coverage.noted(cut_note)}
    symbol = graph.shelf.facts(best.file)[3].symbols[best.place]
    code = found.sources.lines(best.path)[(symbol.decorated or symbol.line) - 1 : symbol.end]
    target, cut_note = _target(best, symbol.decorators, code)
    callers, left = _callers(graph, best, found.sources)
    callees = _callees(graph, best)
    note = f"the first {MAX_SITES} callers found" if left else None
    return {
        **data, "target": target, "callers": callers[:MAX_SITES], "callees": callees[: 2 * MAX_SITES],
        "more_callers": left, "more_callees": len(callees) > 2 * MAX_SITES,
        "note": coverage.noted(graph.linked, note, cut_note),
    }  # fmt: skip


def _callers(graph: Graph, best: Hit, sources: Sources) -> tuple[list[Row], bool]:
    """Give what names and imports show, then what only the graph knows, and whether there are more."""
    resolver, node = Resolver(graph.shelf), graph.at(best.file, best.place)
    known = callers_of(resolver, Place(best.file, best.place))
    found = [_site(resolver.qualname(site.caller), site.path, site.line, sources) for site in known]
    places = {(row["file"], row["line"]) for row in found}
    rows, left = callers_in(graph, sources, node) if node else ([], 0)
    for row in rows:
        is_name = row.pop("confidence") == NAME
        row.pop("kind")
        if (row["file"], row["line"]) not in places and (not is_name or is_other(best.path)):
            found.append({**row, "by_name": True} if is_name else row)
    return found, left > 0 or len(found) > MAX_SITES


def _callees(graph: Graph, best: Hit) -> list[Row]:
    """Give what is called; a class that is made is named itself, not the `__init__` that it may have from a base."""
    resolver, node = Resolver(graph.shelf), graph.at(best.file, best.place)
    rows = callees_in(graph, node) if node else []
    for item in made_by(resolver, Place(best.file, best.place)):
        name, file = resolver.qualname(item.callee), resolver.file(item.callee.file).path
        defined = at(file, resolver.symbol(item.callee).line)
        lines = [row for row in rows if row["line"] == item.line and row["qualname"].endswith(".__init__")]
        if not any(row["qualname"] == f"{name}.__init__" for row in lines):
            rows = [row for row in rows if row not in lines]
            rows.append({"qualname": name, "file": item.path, "line": item.line, "defined_at": defined})
    return sorted(rows, key=lambda row: row["line"])


def _target(best: Hit, decorators: Sequence[str], code: Sequence[str]) -> tuple[Row, str | None]:
    note = f"code cut to {MAX_CODE_LINES} of {len(code)} lines" if len(code) > MAX_CODE_LINES else None
    return {**described(best), "decorators": list(decorators), "code": "\n".join(code[:MAX_CODE_LINES])}, note


def _site(qualname: str, path: str, line: int, sources: Sources) -> Row:
    lines = sources.lines(path)
    text = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
    return {"qualname": qualname, "file": path, "line": line, "text": text}


def callers_in(graph: Graph, sources: Sources, node: Node) -> tuple[list[Row], int]:
    """Give who calls a function, product code first, and how many more do."""
    arcs = {(arc.caller, arc.line): arc for start in _made(graph, node) for arc in graph.callers(start)}
    callers = graph.nodes(arc.caller for arc in arcs.values())
    found = [(callers[arc.caller], arc) for arc in arcs.values() if arc.caller in callers]
    found.sort(key=lambda row: (row[0].role in (TEST, VENDORED), row[0].file != node.file, row[0].file, row[1].line))
    shown = [
        {**_site(caller.qualname, caller.file, arc.line, sources), "kind": arc.kind, "confidence": arc.confidence}
        for caller, arc in found[:MAX_SITES]
    ]
    return shown, len(found) - len(shown)


def callees_in(graph: Graph, node: Node) -> list[Row]:
    """Give what a function surely calls, each once, in order."""
    arcs: dict[int, Arc] = {}
    for start in _made(graph, node):
        for arc in graph.callees(start):
            if arc.confidence != NAME or is_other(node.file):
                arcs.setdefault(arc.callee, arc)
    nodes: Mapping[int, Node] = graph.nodes(item for arc in arcs.values() for item in (arc.callee, arc.caller))
    return [
        {
            "qualname": nodes[arc.callee].qualname,
            "file": nodes[arc.caller].file,
            "line": arc.line,
            "defined_at": at(nodes[arc.callee].file, nodes[arc.callee].line),
            **({"by_name": True} if arc.confidence == NAME else {}),
        }
        for arc in sorted(arcs.values(), key=lambda arc: arc.line)
        if arc.callee in nodes and arc.caller in nodes
    ]


def _made(graph: Graph, node: Node) -> list[int]:
    """Give the nodes of a symbol: other definitions of its name, and of a class what making one runs."""
    ends = (number for number, cost in ends_of(graph, node).items() if not cost)
    same = graph.connection.execute(_SAME, (node.id,)).fetchall()
    return list(dict.fromkeys((node.id, *(number for (number,) in same), *ends)))


def unread(graph: Graph, node: Node) -> str:
    """Say that the calls of a function are not known, as its file is not parsed; "" if it is."""
    row = graph.connection.execute("SELECT level, unparsable FROM files WHERE path = ?", (node.file,)).fetchone()
    if row is None or row[0] != LIGHT:
        return ""
    why = "can't be parsed" if row[1] else "is too large to be parsed"
    return f"{plain(node.file)} {why}: who calls {plain(node.name)} and what it calls is not known"


def as_known(graph: Graph, flow: Flow) -> Flow:
    """Leave out that nothing calls a function while what would is not linked yet."""
    alone = all(route.entry.kind == ORPHAN and len(route.steps) == 1 for route in flow.routes)
    if alone and flow.linked:
        unlinked = graph.connection.execute(_UNLINKED, (FULL,)).fetchone() is not None
        if UNINDEXED in flow.linked or unlinked:
            return flow._replace(routes=(), entry_count=0, entry_counts={})
    return flow
