"""What stands next to a symbol: its code, who calls it and what it calls, from names, imports and the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarch_brief_tracer.answers.call_sites import Sites
from inarch_brief_tracer.facts.file_names import is_other
from inarch_brief_tracer.facts.modules import TEST, TEXT, VENDORED
from inarch_brief_tracer.finding.hits import Hit, described
from inarch_brief_tracer.finding.neighbours import callees_of, callers_of
from inarch_brief_tracer.finding.search import search
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.model import NAME, Arc, Node
from inarch_brief_tracer.indexing.index import Coverage
from inarch_brief_tracer.linking.resolver import Place, Resolver

MAX_CODE_LINES = 80
MAX_SITES = 30

Row = dict[str, Any]


def neighbourhood(graph: Graph, coverage: Coverage, query: str) -> Row:
    """Give the best symbol for a query with its code, its callers and what it calls."""
    found = search(graph.shelf, query, limit=6)
    hits, confidence = found.hits, round(found.confidence, 2)
    empty: Row = {
        "query": query, "target": None, "confidence": confidence, "unknown": list(found.unknown), "callers": [],
        "callees": [], "others": [],
    }  # fmt: skip
    if not hits:
        return {**empty, "note": coverage.noted("nothing found")}
    best, sites = hits[0], Sites(graph.shelf.read)
    if best.role == TEXT:
        target, cut = _told(best, (), sites.lines(best.path)[best.line - 1 : best.end])
        others = [described(hit) for hit in hits[1:]]
        return {
            **empty, "target": target, "more_callers": False, "more_callees": False, "others": others,
            "note": coverage.noted(cut),
        }  # fmt: skip
    target, cut = _target(graph, best, sites)
    callers, note = _callers(graph, best, sites)
    callees, more = _callees(graph, best)
    return {
        **empty,
        "target": target,
        "callers": callers,
        "callees": callees,
        "more_callers": note is not None,
        "more_callees": more,
        "others": [described(hit) for hit in hits[1:]],
        "note": coverage.noted(graph.linked, note, cut),
    }


def _target(graph: Graph, best: Hit, sites: Sites) -> tuple[Row, str | None]:
    symbol = graph.shelf.facts(best.file)[3].symbols[best.place]
    code = sites.lines(best.path)[(symbol.decorated or symbol.line) - 1 : symbol.end]
    return _told(best, symbol.decorators, code)


def _told(best: Hit, decorators: Sequence[str], code: Sequence[str]) -> tuple[Row, str | None]:
    cut = f"code cut to {MAX_CODE_LINES} of {len(code)} lines" if len(code) > MAX_CODE_LINES else None
    return {**described(best), "decorators": list(decorators), "code": "\n".join(code[:MAX_CODE_LINES])}, cut


def _callers(graph: Graph, best: Hit, sites: Sites) -> tuple[list[Row], str | None]:
    """Give what names and imports show, then what only the graph knows: calls through objects."""
    resolver = Resolver(graph.shelf)
    known, note = callers_of(resolver, Place(best.file, best.place))
    found = [_caller(resolver.qualname(site.caller), site.path, site.line, sites) for site in known]
    node = graph.at(best.file, best.place)
    if node is not None:
        places = {(row["file"], row["line"]) for row in found}
        more, left = callers_in(graph, sites, node)
        found += [
            row
            for row in more
            if (row["file"], row["line"]) not in places and (row["confidence"] != NAME or is_other(best.path))
        ]
        found = [_without_kind(row) for row in found]
        note = note or (f"the first {MAX_SITES} callers found" if left or len(found) > MAX_SITES else None)
    return found[:MAX_SITES], note


def _without_kind(row: Row) -> Row:
    """Say of a call only whether nothing but its name tells what it calls."""
    kept = {name: value for name, value in row.items() if name not in ("kind", "confidence")}
    return {**kept, "by_name": True} if row.get("confidence") == NAME else kept


def _callees(graph: Graph, best: Hit) -> tuple[list[Row], bool]:
    resolver = Resolver(graph.shelf)
    known, more = callees_of(resolver, Place(best.file, best.place))
    found: list[Row] = []
    for site in known:
        defined = f"{resolver.file(site.callee.file).path}:{resolver.symbol(site.callee).line}"
        found.append(
            {"qualname": resolver.qualname(site.callee), "file": site.path, "line": site.line, "defined_at": defined}
        )
    node = graph.at(best.file, best.place)
    if node is not None:
        lines = {row["line"] for row in found}
        names = {row["qualname"] for row in found}
        more_rows = callees_in(graph, node)
        found += [row for row in more_rows if row["line"] not in lines and row["qualname"] not in names]
        found.sort(key=lambda row: row["line"])
    return found[: 2 * MAX_SITES], more or len(found) > 2 * MAX_SITES


def callers_in(graph: Graph, sites: Sites, node: Node) -> tuple[list[Row], int]:
    """Give who calls a function as the graph knows, product code first, and how many more do."""
    arcs = {(arc.caller, arc.line): arc for start in _made(graph, node) for arc in graph.callers(start)}
    callers = graph.nodes(arc.caller for arc in arcs.values())
    found = [(callers[arc.caller], arc) for arc in arcs.values() if arc.caller in callers]
    found.sort(
        key=lambda item: (item[0].role in (TEST, VENDORED), item[0].file != node.file, item[0].file, item[1].line)
    )
    shown = [
        {**_caller(caller.qualname, caller.file, arc.line, sites), "kind": arc.kind, "confidence": arc.confidence}
        for caller, arc in found[:MAX_SITES]
    ]
    return shown, len(found) - len(shown)


def callees_in(graph: Graph, node: Node) -> list[Row]:
    """Give what a function surely calls as the graph knows, each once, in order."""
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
            "defined_at": f"{nodes[arc.callee].file}:{nodes[arc.callee].line}",
            **({"by_name": True} if arc.confidence == NAME else {}),
        }
        for arc in sorted(arcs.values(), key=lambda arc: arc.line)
        if arc.callee in nodes and arc.caller in nodes
    ]


def _made(graph: Graph, node: Node) -> list[int]:
    """Give the nodes that stand for a symbol: of a class what making one runs, too."""
    if node.kind != "class":
        return [node.id]
    names = (f"{node.qualname}.{name}" for name in ("__init__", "__new__", "__post_init__"))
    return [node.id, *(item.id for name in names for item in graph.find(name) if item.qualname == name)]


def _caller(qualname: str, path: str, line: int, sites: Sites) -> Row:
    lines = sites.lines(path)
    text = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
    return {"qualname": qualname, "file": path, "line": line, "text": text}
