"""How much each word of a question counts here: by its rarity, with what the repository may call the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from inarch_search.index import Index
from inarch_search.parts import Parts
from inarch_search.plain_words import plain_words
from inarch_search.questions import REPORT, Question
from inarch_search.tokens import stem
from inarch_search.vocabulary import near_words

MOST_TERMS = 40
"""Terms of a report that are looked for: those that count most."""
NEAR, JOINED, SHORTENED = 0.3, 0.8, 0.5
"""What a near or plain word, two words as one, and their beginnings as one count against the word itself."""
_BEGINNING = 3
"""Letters of a word that are its beginning at least."""


class Sought(NamedTuple):
    """A term that is looked for.

    Args:
        term: as it stands in the index.
        weight: what it counts at most.
        stands_for: terms of the question that it explains.
        share: how far it explains them.
    """

    term: str
    weight: float
    stands_for: tuple[str, ...]
    share: float


class Weighing(NamedTuple):
    """The question's terms by weight, those of them that nothing here has, and all that is looked for."""

    own: dict[str, float]
    unknown: tuple[str, ...]
    sought: tuple[Sought, ...]


def rarity(index: Index, term: str, texts: bool) -> float:
    """Give a term's inverse document frequency, among code and texts or among code alone."""
    size, there = max(1, index.size(texts)), index.spread(term, texts)
    return math.log(1 + (size - there + 0.5) / (there + 0.5))


def weighed(index: Index, question: Question, parts: Parts) -> Weighing:
    """Weigh the terms of a question, and add what the repository may call the same."""
    texts = question.about_texts
    rare = {term: rarity(index, term, texts) for term in question.terms}
    order = sorted(rare, key=lambda term: (-rare[term] * question.terms[term].weight, term))[:MOST_TERMS]
    own = {term: rare[term] * question.terms[term].weight for term in order}
    unknown = tuple(term for term in order if not index.postings(term))
    sought: dict[str, Sought] = {term: Sought(term, own[term], (term,), 1.0) for term in order if term not in unknown}

    def add(term: str, words: tuple[str, ...], share: float) -> None:
        if term in sought or term in unknown or not index.postings(term):
            return
        weight = share * min(rarity(index, term, texts), max(own[word] for word in words))
        sought[term] = Sought(term, weight, words, share)

    if parts.joined:
        for first, second, words in _pairs(question, own):
            add(stem(first + second), words, JOINED)
            for term in _shortened(index, first, second):
                add(term, words, SHORTENED)
    if len(order) < MOST_TERMS:  # a report has words enough of its own
        for term in order:
            for near in _called(_near(), term) if parts.near else ():
                add(near, (term,), NEAR)
        for term in order if question.shape != REPORT and parts.plain else ():
            for called in _called(_plain(), term):
                add(called, (term,), NEAR)
    return Weighing(own, unknown, tuple(sought.values()))


def _pairs(question: Question, own: dict[str, float]) -> list[tuple[str, str, tuple[str, ...]]]:
    found: list[tuple[str, str, tuple[str, ...]]] = []
    for first, second in zip(question.order, question.order[1:], strict=False):
        if first in own and second in own and first != second:
            words = question.terms[first].word, question.terms[second].word
            found.append((words[0], words[1], (first, second)))
    return found


def _shortened(index: Index, first: str, second: str) -> list[str]:
    """Give the terms made of the beginnings of two words: `envvar`, `autoescape`."""
    if len(first) < _BEGINNING or len(second) < _BEGINNING:
        return []
    return [
        term
        for term in index.segments.beginning(first[:_BEGINNING])
        if any(
            first.startswith(term[:cut]) and second.startswith(term[cut:])
            for cut in range(_BEGINNING, len(term) - _BEGINNING + 1)
        )
    ]


@cache
def _near() -> dict[str, list[str]]:
    return _by_term(near_words())


@cache
def _plain() -> dict[str, list[str]]:
    return _by_term(plain_words())


def _by_term(listed: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Give what stands for words by the words' terms."""
    found: dict[str, list[str]] = {}
    for word, others in listed.items():
        found.setdefault(stem(word), []).extend(others)
    return found


def _called(words: Mapping[str, list[str]], term: str) -> Iterator[str]:
    """Give the terms of what stands for a term; a question needs few of all that are listed."""
    others = dict.fromkeys(map(stem, words.get(term, ())))
    return (other for other in others if other != term)
