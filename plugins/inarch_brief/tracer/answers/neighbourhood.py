"""A match with its code, its callers and its callees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inarch_brief.tracer.answers.answer import ELSEWHERE, MAX_OTHERS, Answered
from inarch_brief.tracer.answers.flow_words import Sources, at
from inarch_brief.tracer.facts.file_facts import CLASS
from inarch_brief.tracer.facts.modules import TEST, TEXT, VENDORED, is_other
from inarch_brief.tracer.finding.hits import Hit, described
from inarch_brief.tracer.graph.flows import ends_of
from inarch_brief.tracer.graph.model import NAME, Arc, Node

if TYPE_CHECKING:
    from inarch_brief.tracer.graph.call_graph import Graph
    from inarch_brief.tracer.indexing.index import Coverage

MAX_CODE_LINES = 80
MAX_SITES = 30
_SAME = "SELECT o.id FROM symbols o JOIN symbols s ON s.file = o.file AND s.dotted = o.dotted WHERE s.id = ?"

Row = dict[str, Any]


def neighbourhood(graph: Graph, coverage: Coverage, query: str, found: Answered) -> Row:
    """Return the best match with its code, callers and callees, and the other matches."""
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
    """Return the callers of a match, and whether there are more. In Python, matches by name alone are left out."""
    node = graph.at(best.file, best.place)
    called = _called_from(graph, node) if node else []
    found = []
    for caller, arc in called[: MAX_SITES + 1]:
        is_name = arc.confidence == NAME
        if not is_name or is_other(best.path):
            row = _site(caller.qualname, caller.file, arc.line, sources)
            found.append({**row, "by_name": True} if is_name else row)
    return found, len(called) > MAX_SITES


def _callees(graph: Graph, best: Hit) -> list[Row]:
    """Return the callees of a match. A constructed class is listed instead of an inherited `__init__`."""
    node = graph.at(best.file, best.place)
    rows = _callees_in(graph, node) if node else []
    made = {row["line"] for row in rows if row["kind"] == CLASS}
    return [
        {name: value for name, value in row.items() if name != "kind"}
        for row in rows
        if not (row["line"] in made and row["qualname"].endswith(".__init__"))
    ]


def _target(best: Hit, decorators: Sequence[str], code: Sequence[str]) -> tuple[Row, str | None]:
    note = f"code cut to {MAX_CODE_LINES} of {len(code)} lines" if len(code) > MAX_CODE_LINES else None
    return {**described(best), "decorators": list(decorators), "code": "\n".join(code[:MAX_CODE_LINES])}, note


def _site(qualname: str, path: str, line: int, sources: Sources) -> Row:
    lines = sources.lines(path)
    text = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
    return {"qualname": qualname, "file": path, "line": line, "text": text}


def callers_in(graph: Graph, sources: Sources, node: Node) -> tuple[list[Row], int]:
    """Return the callers of a function, product code first, and the number of further ones."""
    found = _called_from(graph, node)
    shown = [
        {**_site(caller.qualname, caller.file, arc.line, sources), "kind": arc.kind, "confidence": arc.confidence}
        for caller, arc in found[:MAX_SITES]
    ]
    return shown, len(found) - len(shown)


def _called_from(graph: Graph, node: Node) -> list[tuple[Node, Arc]]:
    """Return the callers of a function with each call, product code first."""
    arcs = {(arc.caller, arc.line): arc for start in _made(graph, node) for arc in graph.callers(start)}
    callers = graph.nodes(arc.caller for arc in arcs.values())
    found = [(callers[arc.caller], arc) for arc in arcs.values() if arc.caller in callers]
    return sorted(
        found, key=lambda row: (row[0].role in (TEST, VENDORED), row[0].file != node.file, row[0].file, row[1].line)
    )


def _callees_in(graph: Graph, node: Node) -> list[Row]:
    """Return the callees of a function, each once, in order. In Python, matches by name alone are left out."""
    arcs: dict[int, Arc] = {}
    for start in _made(graph, node):
        for arc in graph.callees(start):
            if arc.confidence != NAME or is_other(node.file):
                arcs.setdefault(arc.callee, arc)
    nodes: Mapping[int, Node] = graph.nodes(item for arc in arcs.values() for item in (arc.callee, arc.caller))
    return [
        {
            "qualname": nodes[arc.callee].qualname,
            "kind": nodes[arc.callee].kind,
            "file": nodes[arc.caller].file,
            "line": arc.line,
            "defined_at": at(nodes[arc.callee].file, nodes[arc.callee].line),
            **({"by_name": True} if arc.confidence == NAME else {}),
        }
        for arc in sorted(arcs.values(), key=lambda arc: arc.line)
        if arc.callee in nodes and arc.caller in nodes
    ]


def _made(graph: Graph, node: Node) -> list[int]:
    """Return the nodes of a symbol: other definitions of its name, and for a class its constructors."""
    ends = (number for number, cost in ends_of(graph, node).items() if not cost)
    same = graph.connection.execute(_SAME, (node.id,)).fetchall()
    return list(dict.fromkeys((node.id, *(number for (number,) in same), *ends)))
