"""What `find_symbols` answers."""

from __future__ import annotations

from typing import Any

from inarch import ToolContext
from inarch_brief_tracer.answers.tool_look import look
from inarch_brief_tracer.finding.hits import CANDIDATES, best_files, described
from inarch_brief_tracer.finding.search import search
from inarch_brief_tracer.indexing.index import Coverage, Index
from inarch_brief_tracer.store.kept_files import Shelf

MAX_FOUND = 100


def find_symbols(index: Index, context: ToolContext, query: str, kind: str, limit: int) -> dict[str, Any]:
    """Answer `find_symbols`."""

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        hits = search(shelf, query, kind, CANDIDATES)
        shown = hits[: max(1, min(limit, MAX_FOUND))]
        symbols = [described(hit) for hit in shown]
        return {"symbols": symbols, "files": best_files(hits)[: len(symbols)], "note": coverage.noted()}

    return look(context, query).facts(index, answer)
