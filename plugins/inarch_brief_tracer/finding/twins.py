"""An async and a plain definition of the same: the plain one comes first, unless async is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_brief_tracer.facts.file_facts import ASYNC
from inarch_brief_tracer.finding.hits import Hit
from inarch_search import Question

_ASKED = ("async", "await", "coroutin", "trio")
_AMONG = 20
"""Places from the top among which twins change places."""


def plain_first(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Let a plain definition come before its async twin, which says the same of itself, unless async is asked for."""
    if any(term.startswith(_ASKED) for term in question.terms):
        return list(hits)
    placed = list(hits)
    seen: dict[tuple[str, str, str], int] = {}
    for place, hit in enumerate(hits[:_AMONG]):
        keys = [(hit.kind, name, hit.doc) for name in _bare(hit)]
        first = min([seen.setdefault(key, place) for key in keys])
        if _is_async(placed[first]) and not _is_async(hit):
            above = placed[first]
            placed[first], placed[place] = hit._replace(score=above.score), above._replace(score=hit.score)
    return placed


def _is_async(hit: Hit) -> bool:
    return bool(hit.flags & ASYNC) or "async" in hit.qualname.lower()


def _bare(hit: Hit) -> set[str]:
    """Give a qualified name without what tells twins apart: `_async.AsyncPool.aclose` and `_sync.Pool.close`."""
    owner, _, name = hit.qualname.lower().rpartition(".")
    names = {name, name.removeprefix("a")} if hit.flags & ASYNC else {name}
    return {f"{owner}.{one}".replace("async", "").replace("sync", "").replace("_", "") for one in names}
