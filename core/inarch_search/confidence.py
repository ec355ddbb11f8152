"""How sure an answer is: what the first place comes to, alone and beside the others, and what nothing here has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from inarch_search.documents import MODULE, SECTION, SETTING, TEST
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import ASYNC, NAMED_THERE, Hit
from inarch_search.vocabulary import WEAK_WORDS
from inarch_search.weighing import Weighing

SURE = 0.7
"""The confidence from which on an answer needs no word of doubt."""


class Signs(NamedTuple):
    """What tells whether the first place is what is asked for.

    Args:
        score: the logarithm of what it comes to.
        alone: its share of what it and the other places come to.
        unknown: the share of the question that stands nowhere.
        words: how many terms the question has: each adds to what a place may come to.
    """

    score: float
    alone: float
    unknown: float
    words: float


WEIGHTS = Signs(score=0.3, alone=2.22, unknown=-0.78, words=0.36)
"""Of a logistic regression over the tuned half of `benchmarks/finding` and over short questions as people type them."""
BASE = -4.36
_DOUBTFUL = 0.5
"""The most that an answer has that is never sure."""
_COMPETES, _AS_MUCH = 0.7, 0.8
"""Of the first place's score, and of what it explains in its head, what a place has that may as well be meant."""
_MOST_OTHERS = 15
_MANY = 10
"""Terms from which on a question has many."""
_WHOLE, _HALF = 0.85, 0.5
_NAMED = 0.8
"""The least that a place has that is named, or that says all."""


def confidence_of(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
    """Give how likely the first hit is what is asked for, 0 to 1; sections and modules are passed over."""
    places = places_among(question, hits)
    if not places or not question.terms:
        return 0.0
    named = NAMED_THERE in places[0].reasons
    if question.shape == SYMBOL:
        return 1.0 if named else 0.5 * places[0].explained
    signs = signs_of(question, weighing, places)
    evidence = BASE + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    sure = max(_NAMED if named or says_all(places[0], signs) else 0.0, 1 / (1 + math.exp(-evidence)))
    return min(sure, _DOUBTFUL) if is_doubtful(question, weighing, places) else sure


def places_among(question: Question, hits: Sequence[Hit]) -> Sequence[Hit]:
    """Give the hits that can be what is asked for."""
    aside = (MODULE,) if question.about_texts else (MODULE, SECTION, SETTING)
    return [hit for hit in hits if hit.place.kind not in aside] or hits


def signs_of(question: Question, weighing: Weighing, places: Sequence[Hit]) -> Signs:
    """Read what tells whether the first of some places is what is asked for."""
    best = places[0].score
    return Signs(
        score=math.log(max(best, 1e-9)),
        alone=best / max(1e-9, best + sum(hit.score for hit in _others(places))),
        unknown=sum(weighing.own[term] for term in weighing.unknown) / sum(weighing.own.values()),
        words=min(_MANY, len(question.terms)),
    )


def says_all(best: Hit, signs: Signs) -> bool:
    """Whether a place has nearly all of the question in what is read first, and comes to as much as all the others."""
    return best.in_head >= _WHOLE and signs.alone >= _HALF


def is_doubtful(question: Question, weighing: Weighing, places: Sequence[Hit]) -> bool:
    """Whether an answer is never sure, whatever the signs: a word is unknown, a test comes first, others compete."""
    best = places[0]
    is_test = best.place.nature == TEST and not question.about_tests
    is_one_of_several = NAMED_THERE not in best.reasons and any(_competes(hit, best) for hit in _others(places))
    return is_test or is_one_of_several or not _telling(question, weighing).isdisjoint(weighing.unknown)


def _telling(question: Question, weighing: Weighing) -> set[str]:
    return {term for term in weighing.own if question.terms[term].word not in WEAK_WORDS}


def _others(places: Sequence[Hit]) -> Sequence[Hit]:
    return [hit for hit in places[1:] if _is_other(hit, places[0])][:_MOST_OTHERS]


def _is_other(hit: Hit, best: Hit) -> bool:
    """Whether a place is another one: a class and what stands in it are one, and tests don't compete with the code."""
    one, other = f"{best.place.qualified}.", f"{hit.place.qualified}."
    is_one = one.startswith(other) or other.startswith(one) or _are_twins(hit, best)
    return hit.place.nature == best.place.nature and not is_one


def _are_twins(hit: Hit, best: Hit) -> bool:
    """Whether one is the asynchronous form of the other: `Client.send` and `AsyncClient.send`."""
    one, other = (place.name.lower().replace(ASYNC, "").strip("_") for place in (hit.place, best.place))
    return one == other and (ASYNC in hit.place.qualified.lower()) != (ASYNC in best.place.qualified.lower())


def _competes(hit: Hit, best: Hit) -> bool:
    return hit.score >= _COMPETES * best.score and hit.in_head >= _AS_MUCH * best.in_head
