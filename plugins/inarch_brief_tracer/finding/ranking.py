"""Ranking: documents with fields go in, and come out with how well they answer and why.

Nothing here knows the index: what ranks better can stand in its place.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from inarch_brief_tracer.finding.terms import Terms
from inarch_brief_tracer.store.word_bags import Texts

_FIELDS = ("name", "qualname", "doc", "path", "body")
# Weight of a field and how much its length counts (BM25F); saturation.
_WEIGHTS = {"name": 6.0, "qualname": 1.6, "doc": 3.0, "path": 0.8, "body": 1.0}
_LENGTHS = {"name": 0.5, "qualname": 0.3, "doc": 0.4, "path": 0.2, "body": 0.45}
_AVERAGES = {"name": 2.0, "qualname": 2.0, "doc": 10.0, "path": 4.0, "body": 30.0}
_MEASURES = tuple((_WEIGHTS[field], 1 - _LENGTHS[field], _LENGTHS[field] / _AVERAGES[field]) for field in _FIELDS)
"""Of each field its weight, and what its length comes to: a fixed part, and one for each word."""
_SATURATION = 1.0
COVERAGE = 0.85


class Document(NamedTuple):
    """Something that can be found."""

    key: int
    fields: Texts
    preference: float = 1.0
    """What its score is multiplied by, whatever is asked."""
    whole: Hashable = None
    """What it is, where others are parts of it: a class."""
    part_of: Hashable = None
    """The `whole` of another document that it is a part of: a method's class."""


class Ranked(NamedTuple):
    """How well a document answers, and which words of the question it has."""

    key: int
    score: float
    reasons: tuple[str, ...]


def ranked(terms: Terms, documents: Iterable[Document]) -> list[Ranked]:
    """Rank documents by the words of a question, best first; a whole is raised by its parts."""
    known = list(documents)
    scored = {document.key: _bm25f(document.fields, terms) for document in known}
    scores = {document.key: scored[document.key][0] * document.preference for document in known}
    raised = _with_parts(known, scores)
    found = [Ranked(document.key, raised[document.key], scored[document.key][1]) for document in known]
    return sorted(found, key=lambda item: (-item.score, item.key))


def _bm25f(texts: Sequence[str], terms: Terms) -> tuple[float, tuple[str, ...]]:
    weights = terms.weights
    masses: dict[str, float] = {}
    for (field_weight, own, per_word), text in zip(_MEASURES, texts, strict=True):
        share = 0.0
        padded = ""
        for term in weights:
            # Far most words are no terms, and most terms are in no field: looking for them is the cheapest.
            if term not in text:
                continue
            padded = padded or f" {text} "
            count = padded.count(f" {term} ")
            if count:
                share = share or field_weight / (own + per_word * (text.count(" ") + 1))
                masses[term] = masses.get(term, 0.0) + share * count
    # A word and what abbreviates it count once.
    best: dict[str, float] = {}
    for term, mass in masses.items():
        score = weights[term] * mass / (mass + _SATURATION)
        for word in terms.source[term]:
            best[word] = max(best.get(word, 0.0), score)
    covered = sum(map(weights.__getitem__, best)) / terms.total if terms.total else 1.0
    return sum(best.values()) * (1 - COVERAGE + COVERAGE * min(1.0, covered)), tuple(best)


def _with_parts(documents: Sequence[Document], scores: dict[int, float]) -> dict[int, float]:
    """Add to each whole what its parts score, saturating: many weak methods don't make an answer."""
    parts: dict[Hashable, list[float]] = {}
    for document in documents:
        if document.part_of is not None:
            parts.setdefault(document.part_of, []).append(scores[document.key])
    result = dict(scores)
    for document in documents:
        if document.whole is not None:
            best = sorted(parts.get(document.whole, ()), reverse=True)[:4]
            result[document.key] += 0.25 * sum(value / (place + 1) for place, value in enumerate(best))
    return result
