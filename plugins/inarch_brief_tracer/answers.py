"""What the tools answer, from an index that is up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from inarch import ToolContext, ToolFailed
from inarch_brief_tracer.index import Coverage, Damaged, Index
from inarch_brief_tracer.modules import TEST
from inarch_brief_tracer.rows import Shelf
from inarch_brief_tracer.source import first_sentence

if TYPE_CHECKING:
    from inarch_brief_tracer.hits import Hit
    from inarch_brief_tracer.neighbours import CallSite
    from inarch_brief_tracer.resolve import Resolver

MAX_CODE_LINES = 80
MAX_FOUND = 100
LOOK_UPS = ("find_symbols", "context_get", "find_entry_points")

Answer = TypeVar("Answer")


def find_symbols(index: Index, context: ToolContext, query: str, kind: str, limit: int) -> dict[str, Any]:
    """Answer `find_symbols`."""
    from inarch_brief_tracer.search import search

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        hits = search(shelf, query, kind, max(1, min(limit, MAX_FOUND)))
        return {"symbols": [described(hit) for hit in hits], "note": noted(coverage)}

    return asked(index, context, answer)


def context_get(index: Index, context: ToolContext, query: str) -> dict[str, Any]:
    """Answer `context_get`."""
    return asked(index, context, lambda shelf, coverage: context_of(shelf, coverage, query))


def find_entry_points(index: Index, context: ToolContext, kind: str) -> dict[str, Any]:
    """Answer `find_entry_points`."""
    from inarch_brief_tracer.entries import entries

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        found, totals, notes = entries(shelf, kind)
        return {"entries": found, "totals": totals, "note": noted(coverage, *notes)}

    return asked(index, context, answer)


def asked(index: Index, context: ToolContext, answer: Callable[[Shelf, Coverage], Answer]) -> Answer:
    """Answer from an index that is up to date; one that proves damaged is built again, once."""
    # Calls of one turn share a look at the tree as long as nothing but look-ups ran in between.
    others = tuple(call.id for call in context.earlier if call.name not in LOOK_UPS)
    moment = (context.turn_id, others)
    for attempt in range(3):
        try:
            with index.opened(context.workspace, moment, context.cancelled.is_set) as (connection, coverage):
                return answer(Shelf(connection, reader(context)), coverage)
        except Damaged as error:
            index.recover(str(error), in_memory=attempt > 0)
    raise ToolFailed("execution", "the symbol index can't be built", "try again")


def reader(context: ToolContext) -> Callable[[str], bytes | None]:
    """Read files of the workspace; None for what isn't there or isn't for us."""

    def read(path: str) -> bytes | None:
        try:
            return context.workspace.read(path).data
        except ToolFailed:
            return None

    return read


def noted(coverage: Coverage, *notes: str | None) -> str | None:
    """Join what has to be said about an answer."""
    own = "no Python files here" if not coverage.files else coverage.note
    return "; ".join(note for note in (own, *notes) if note) or None


def described(hit: Hit) -> dict[str, Any]:
    """Give a symbol as the tools show it."""
    return {
        "qualname": hit.qualname,
        "kind": hit.kind,
        "file": hit.path,
        "line": hit.line,
        "end_line": hit.end,
        "signature": hit.signature,
        "doc": first_sentence(hit.doc),
        "score": round(hit.score, 3),
        "test": hit.role == TEST,
    }


def context_of(shelf: Shelf, coverage: Coverage, query: str) -> dict[str, Any]:
    """Give the best symbol for a query with its code and its neighbours."""
    from inarch_brief_tracer.neighbours import callees_of, callers_of
    from inarch_brief_tracer.resolve import Place, Resolver
    from inarch_brief_tracer.search import search

    hits = search(shelf, query, limit=6)
    empty: dict[str, Any] = {"query": query, "target": None, "callers": [], "callees": [], "others": []}
    if not hits:
        return {**empty, "note": noted(coverage, "nothing found")}
    best, resolver = hits[0], Resolver(shelf)
    target = Place(best.file, best.place)
    lines: dict[str, list[str]] = {}

    def line_of(path: str, line: int) -> str:
        if path not in lines:
            lines[path] = (shelf.read(path) or b"").decode("utf-8", "replace").splitlines()
        return lines[path][line - 1].strip()[:200] if 0 < line <= len(lines[path]) else ""

    callers, note = callers_of(resolver, target)
    callees, more = callees_of(resolver, target)
    line_of(best.path, 0)
    symbol = resolver.symbol(target)
    code = lines[best.path][(symbol.decorated or symbol.line) - 1 : symbol.end]
    cut = len(code) > MAX_CODE_LINES
    shown = {
        **described(best),
        "decorators": list(symbol.decorators),
        "code": "\n".join(code[:MAX_CODE_LINES]),
    }
    return {
        **empty,
        "target": shown,
        "callers": [
            {
                "qualname": resolver.qualname(site.caller),
                "file": site.path,
                "line": site.line,
                "text": line_of(site.path, site.line),
            }
            for site in callers
        ],
        "callees": [_callee(resolver, site) for site in callees],
        "more_callers": note is not None,
        "more_callees": more,
        "others": [described(hit) for hit in hits[1:]],
        "note": noted(coverage, note, f"code cut to {MAX_CODE_LINES} of {len(code)} lines" if cut else None),
    }


def _callee(resolver: Resolver, site: CallSite) -> Mapping[str, Any]:
    defined = resolver.file(site.callee.file).path
    return {
        "qualname": resolver.qualname(site.callee),
        "file": site.path,
        "line": site.line,
        "defined_at": f"{defined}:{resolver.symbol(site.callee).line}",
    }
