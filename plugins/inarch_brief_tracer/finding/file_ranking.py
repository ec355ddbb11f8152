"""Which files a question is about: a file with several good symbols before one with a single better one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inarch_brief_tracer.finding.hits import Hit

CANDIDATES = 300
"""How many symbols vote for their files."""
_FLATTENING = 10
"""Reciprocal rank fusion: how slowly the vote of a symbol falls with its rank."""
_VOTES = 5
"""A file's best symbols that count; more would prefer long files."""


def best_files(hits: Iterable[Hit]) -> list[str]:
    """Order the files of ranked symbols by the reciprocal ranks of their best ones."""
    scores: dict[str, float] = {}
    votes: Counter[str] = Counter()
    for rank, hit in enumerate(hits):
        votes[hit.path] += 1
        if votes[hit.path] <= _VOTES:
            scores[hit.path] = scores.get(hit.path, 0.0) + 1 / (_FLATTENING + rank)
    return sorted(scores, key=lambda path: (-round(scores[path], 9), path))
