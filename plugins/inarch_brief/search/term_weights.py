"""Weights of a question's words: their rarity here, and near words that the repository may use instead."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from inarch_brief.search.index import Index
from inarch_brief.search.questions import Question
from inarch_brief.search.tokens import stem
from inarch_brief.search.vocabulary import near_words

MOST_TERMS = 40
"""Terms of a report that are searched: the heaviest."""
NEAR = 0.3
"""The share of a near word against the word itself."""


class Sought(NamedTuple):
    """A term to look up."""

    term: str
    weight: float
    stands_for: tuple[str, ...]
    share: float


class Weighing(NamedTuple):
    """The question's terms by weight, the unknown ones among them, and all terms to look up."""

    own: dict[str, float]
    unknown: tuple[str, ...]
    sought: tuple[Sought, ...]


def rarity(index: Index, term: str, texts: bool) -> float:
    """Return a term's inverse document frequency, among code and texts or among code alone."""
    size, there = max(1, index.size(texts)), index.spread(term, texts)
    return math.log(1 + (size - there + 0.5) / (there + 0.5))


def weighed(index: Index, question: Question) -> Weighing:
    """Weigh the terms of a question, and add near words."""
    texts = question.about_texts
    rare = {term: rarity(index, term, texts) for term in question.terms}
    order = sorted(rare, key=lambda term: (-rare[term] * question.terms[term].weight, term))[:MOST_TERMS]
    own = {term: rare[term] * question.terms[term].weight for term in order}
    unknown = tuple(term for term in order if not index.postings(term))
    sought: dict[str, Sought] = {term: Sought(term, own[term], (term,), 1.0) for term in order if term not in unknown}

    if len(order) < MOST_TERMS:  # a report has enough words of its own
        for term in order:
            for near in map(stem, _near().get(term, ())):
                if near not in sought and near not in unknown and index.postings(near):
                    weight = NEAR * min(rarity(index, near, texts), own[term])
                    sought[near] = Sought(near, weight, (term,), NEAR)
    return Weighing(own, unknown, tuple(sought.values()))


@cache
def _near() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word, others in near_words().items():
        found.setdefault(stem(word), []).extend(others)
    return found
