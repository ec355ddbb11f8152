"""BM25F: the score of each document's terms, and the fields that contain them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from inarch_brief.search.documents import FIELDS, GENERATED, HISTORY, NATURES, PRODUCT, TEST, TEXT, VENDORED
from inarch_brief.search.index import Index, Kept
from inarch_brief.search.questions import Question
from inarch_brief.search.segments import STEPS, weight_of
from inarch_brief.search.term_weights import Sought

CANDIDATES = 200
SATURATION = 2.0
"""The weight at which a term reaches half of its maximum score."""
COMMON = 0.1
"""A term in a larger share of all documents raises scores, but adds no candidates."""
NATURE = {PRODUCT: 1.0, TEST: 0.3, VENDORED: 0.3, GENERATED: 0.5, TEXT: 0.15, HISTORY: 0.05}
ABOUT_TESTS = {TEST: 1.0, PRODUCT: 0.6}
ABOUT_TEXTS = {TEXT: 1.5, HISTORY: 0.5, PRODUCT: 0.5}
"""Shares that change if a question asks for tests, or for documentation and configuration."""
OTHER = 0.3


class Candidate(NamedTuple):
    """A document that may answer: its score, and its matched terms with the set of fields of each."""

    kept: Kept
    score: float
    found: Sequence[tuple[Sought, int]]


def nature_shares(question: Question, among: Collection[str]) -> tuple[float, ...]:
    """Return the share of each nature, in the order of `NATURES`; 0 for a nature that is not wanted."""
    shares = {nature: NATURE.get(nature, OTHER) for nature in NATURES}
    if question.about_tests:
        shares |= ABOUT_TESTS
    if question.about_texts:
        shares |= ABOUT_TEXTS
    shares |= dict.fromkeys(set(NATURES).difference(among), 0.0)
    return tuple(shares[nature] for nature in NATURES)


def accumulated(index: Index, sought: Sequence[Sought], texts: bool) -> dict[int, float]:
    """Add up the scores of the terms in each document that contains one, by document number."""
    scores: dict[int, float] = {}
    common = max(COMMON * index.size(texts), 50)
    for item in sorted(sought, key=lambda item: (-item.weight, item.term)):
        found = index.postings(item.term)
        only_known = bool(scores) and index.spread(item.term, texts) > common
        worth = [item.weight * share for share in _shares()]
        for first, postings in found:
            for entry in postings.entries:
                number = first + (entry >> 8)
                if number in scores or not only_known:
                    scores[number] = scores.get(number, 0.0) + worth[entry & 255]
    return scores


@cache
def _shares() -> tuple[float, ...]:
    return tuple([weight / (SATURATION + weight) for weight in map(weight_of, range(STEPS))])


def best(index: Index, scores: Mapping[int, float], natures: Sequence[float], most: int) -> list[tuple[int, float]]:
    """Return the numbers of the best documents, each with its score times the share of its nature."""
    of = index.segments.natures
    worth = {number: score * share for number, score in scores.items() if (share := natures[of[number]])}
    least = sorted(worth.values())[-most] if len(worth) > most else 0.0
    ids = index.segments.ids
    ordered = sorted((-score, ids[number], number) for number, score in worth.items() if score >= least)
    return [(number, -score) for score, _, number in ordered[:most]]


def candidates(index: Index, chosen: Sequence[tuple[int, float]], sought: Iterable[Sought]) -> list[Candidate]:
    """Return the chosen documents with their matched terms."""
    ids = index.segments.ids
    kept = index.kept([ids[number] for number, _ in chosen])
    found = _found(index, [number for number, _ in chosen], sought)
    return [Candidate(kept[ids[number]], score, found[number]) for number, score in chosen if ids[number] in kept]


def _found(index: Index, numbers: Sequence[int], sought: Iterable[Sought]) -> dict[int, list[tuple[Sought, int]]]:
    found: dict[int, list[tuple[Sought, int]]] = {number: [] for number in numbers}
    for item in sought:
        for first, (entries, fields) in index.postings(item.term):
            for number, mine in found.items():
                place = bisect_left(entries, (number - first) << 8)
                if place < len(entries) and entries[place] >> 8 == number - first:
                    mine.append((item, fields[place]))
    return found


STRENGTHS = {
    **dict.fromkeys(("name", "summary"), 1.0),
    **dict.fromkeys(("qualified", "path"), 0.9),
    **dict.fromkeys(("docstring", "signature", "strings", "comments", "body"), 0.8),
    **dict.fromkeys(("callers", "callees"), 0.4),
}
"""The share of a word that a match in each field explains."""

HEAD = sum(1 << FIELDS.index(name) for name in ("name", "qualified", "signature", "summary", "path"))
"""The set of fields that a reader sees first."""


@cache
def strength(fields: int) -> float:
    """Return how well matches in these fields explain a word."""
    return max((STRENGTHS[name] for bit, name in enumerate(FIELDS) if fields >> bit & 1), default=0.0)
