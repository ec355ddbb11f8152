"""BM25F: what each document's terms come to, and which of them it has where."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from inarch_search.documents import FIELDS, GENERATED, NATURES, PRODUCT, TEST, VENDORED
from inarch_search.index import Index, Kept
from inarch_search.postings import STEPS, weight_of
from inarch_search.weighing import Sought

CANDIDATES = 200
SATURATION = 2.0
"""The weight at which a term counts half of what it can."""
COMMON = 0.1
"""A term that stands in a larger share of all documents adds to what others found, and finds nothing by itself."""
NATURE = {PRODUCT: 1.0, TEST: 0.3, VENDORED: 0.3, GENERATED: 0.5}
OTHER = 0.3

Key = tuple[int, int]
"""A document: its segment and its number there."""


class Candidate(NamedTuple):
    """A document that may answer: what its terms come to, and the set of fields that each stands in."""

    kept: Kept
    score: float
    found: Mapping[str, int]


def nature_shares(about_tests: bool, parts_natures: bool) -> tuple[float, ...]:
    """Give what a document of each nature counts, in the order of `NATURES`."""
    if not parts_natures:
        return tuple(1.0 for _ in NATURES)
    shares = {nature: NATURE.get(nature, OTHER) for nature in NATURES}
    if about_tests:
        shares |= {TEST: 1.0, PRODUCT: 0.6}
    return tuple(shares[nature] for nature in NATURES)


def accumulated(index: Index, sought: Sequence[Sought], before: Mapping[Key, float] | None = None) -> dict[Key, float]:
    """Add up what the terms come to in each document that has one of them."""
    scores = dict(before or {})
    common = COMMON * index.size()
    for item in sorted(sought, key=lambda item: (-item.weight, item.term)):
        found = index.postings(item.term)
        only_known = bool(scores) and sum(len(postings.entries) for _, postings in found) > max(common, 50)
        worth = [item.weight * share for share in _shares()]
        for segment, postings in found:
            number = segment.id
            if only_known:
                for entry in postings.entries:
                    key = (number, entry >> 8)
                    if key in scores:
                        scores[key] += worth[entry & 255]
            else:
                for entry in postings.entries:
                    key = (number, entry >> 8)
                    scores[key] = scores.get(key, 0.0) + worth[entry & 255]
    return scores


@cache
def _shares() -> tuple[float, ...]:
    return tuple(weight_of(step) / (SATURATION + weight_of(step)) for step in range(STEPS))


def candidates(
    index: Index, scores: Mapping[Key, float], sought: Iterable[Sought], natures: Sequence[float]
) -> list[Candidate]:
    """Give the documents that score best, with what was found in each."""
    segments = {segment.id: segment for segment in index.segments()}
    weighed = ((score * natures[segments[key[0]].natures[key[1]]], key) for key, score in scores.items())
    best = heapq.nsmallest(CANDIDATES, weighed, key=lambda pair: (-pair[0], segments[pair[1][0]].ids[pair[1][1]]))
    ids = [segments[key[0]].ids[key[1]] for _, key in best]
    kept = index.kept(ids)
    found = _found(index, [key for _, key in best], sought)
    return [
        Candidate(kept[number], score, found[key])
        for number, (score, key) in zip(ids, best, strict=True)
        if number in kept
    ]


def _found(index: Index, keys: Sequence[Key], sought: Iterable[Sought]) -> dict[Key, dict[str, int]]:
    found: dict[Key, dict[str, int]] = {key: {} for key in keys}
    by_segment: dict[int, list[int]] = {}
    for number, document in keys:
        by_segment.setdefault(number, []).append(document)
    for item in sought:
        for segment, postings in index.postings(item.term):
            entries = postings.entries
            for document in by_segment.get(segment.id, ()):
                place = bisect_left(entries, document << 8)
                if place < len(entries) and entries[place] >> 8 == document:
                    found[segment.id, document][item.term] = postings.fields[place]
    return found


STRENGTHS = {
    **dict.fromkeys(("name", "summary"), 1.0),
    **dict.fromkeys(("qualified", "path"), 0.9),
    **dict.fromkeys(("docstring", "signature", "strings", "comments", "body"), 0.8),
    **dict.fromkeys(("callers", "callees"), 0.4),
}
"""How far a word is explained by standing in a field."""


@cache
def strength(fields: int) -> float:
    """Give how far a word is explained that stands in these fields."""
    return max((STRENGTHS[name] for bit, name in enumerate(FIELDS) if fields >> bit & 1), default=0.0)
