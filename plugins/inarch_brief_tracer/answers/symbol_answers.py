"""What `find_symbols` answers."""

from __future__ import annotations

from typing import Any

from inarch import ToolContext
from inarch_brief_tracer.answers.tool_look import look
from inarch_brief_tracer.finding.hits import described
from inarch_brief_tracer.finding.search import search
from inarch_brief_tracer.indexing.index import Coverage, Index
from inarch_brief_tracer.store.kept_files import Shelf

MAX_FOUND = 100


def find_symbols(index: Index, context: ToolContext, query: str, kind: str, limit: int) -> dict[str, Any]:
    """Answer `find_symbols`."""

    def answer(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
        found = search(shelf, query, kind, max(1, min(limit, MAX_FOUND)))
        return {
            "symbols": [described(hit) for hit in found.hits],
            "files": found.files[: len(found.hits)],
            "confidence": round(found.confidence, 2),
            "unknown": list(found.unknown),
            "note": coverage.noted(),
        }

    return look(context, query).facts(index, answer)
