"""Feedback from the repository's own prose (RM3): words that stand together with those of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inarch_search.index import Index
from inarch_search.tokens import terms
from inarch_search.weighing import Sought, Weighing, rarity

PASSAGES = 8
WORDS = 8
SHARE = 0.25
"""What the best word of the prose counts against the best of the question."""
_LONGEST = 2_000


def fed_back(index: Index, weighing: Weighing, found: Sequence[tuple[int, float]], texts: bool) -> list[Sought]:
    """Give terms of the prose of the best documents that the question did not have."""
    counted: Counter[str] = Counter()
    passages: Counter[str] = Counter()
    prose = index.prose([index.segments.ids[number] for number, _ in found])
    for (_, score), text in zip(found, prose, strict=True):
        for term, times in Counter(terms(text[:_LONGEST])).items():
            counted[term] += score * times / (times + 1.0)  # type: ignore[assignment]
            passages[term] += 1
    known = {item.term for item in weighing.sought}
    rated = {
        term: score * rarity(index, term, texts)
        for term, score in counted.items()
        if term not in known and passages[term] > 1 and index.postings(term)
    }
    best = sorted(rated, key=lambda term: (-rated[term], term))[:WORDS]
    most = max(weighing.own.values(), default=0.0)
    return [Sought(term, SHARE * most * rated[term] / rated[best[0]], (), 0.0) for term in best]
