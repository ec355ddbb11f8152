"""How sure an answer is: what its first place comes to, alone and beside the others, and which words are unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_brief.search.documents import MODULE, SECTION, SETTING, TEST
from inarch_brief.search.questions import SYMBOL, Question
from inarch_brief.search.rank import ASYNC, NAMED_THERE, Hit
from inarch_brief.search.term_weights import Weighing
from inarch_brief.search.vocabulary import WEAK_WORDS

SURE, LIKELY = 0.7, 0.2
"""Confidences from which on the first place is found, and one of the first is likely to be it."""
_ALONE, _UNKNOWN = 4.0, 4.0
"""What two shares count beside the logarithm of the first place's score.

One is its share of what it and the other places come to, the other the share of the question that stands nowhere.
"""
_SURE_FROM, _LIKELY_FROM = 10.0, 4.0
"""Evidence from which on a place is sure, and likely."""
_HALF, _NEARLY_ALL = 0.5, 0.85
"""The share of the question that a sure place explains at least, and one whose head says nearly all."""
_DOUBTFUL, _NAMED = 0.5, 0.8
"""The most that a doubtful answer has, and the least that a place has that is named, or whose head says nearly all."""
_COMPETES, _AS_MUCH = 0.7, 0.8
"""Another place may as well be meant from these shares of the first place's score and of what its head explains."""
_MOST_OTHERS = 15


def confidence_of(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
    """Return how likely the first hit is what is asked for, 0 to 1; sections and modules are skipped."""
    aside = (MODULE,) if question.about_texts else (MODULE, SECTION, SETTING)
    places = [hit for hit in hits if hit.place.kind not in aside] or hits
    if not places or not question.terms:
        return 0.0
    best = places[0]
    is_named = NAMED_THERE in best.reasons
    if question.shape == SYMBOL:
        return 1.0 if is_named else _DOUBTFUL * best.explained
    others = [hit for hit in places[1:] if _is_other(hit, best)][:_MOST_OTHERS]
    alone = best.score / max(1e-9, best.score + sum(hit.score for hit in others))
    unknown = sum(weighing.own[term] for term in weighing.unknown) / sum(weighing.own.values())
    evidence = math.log(max(best.score, 1e-9)) + _ALONE * alone - _UNKNOWN * unknown
    sure = LIKELY + (SURE - LIKELY) * (evidence - _LIKELY_FROM) / (_SURE_FROM - _LIKELY_FROM)
    says_all = best.in_head >= _NEARLY_ALL and alone >= _HALF
    sure = max(_NAMED if is_named or says_all else 0.0, min(1.0, sure))
    is_test = best.place.nature == TEST and not question.about_tests
    is_one_of_several = not is_named and any(_competes(hit, best) for hit in others)
    lacks_a_word = any(question.terms[term].word not in WEAK_WORDS for term in weighing.unknown)
    lacks_much = best.explained < _HALF and not is_named
    return min(sure, _DOUBTFUL) if is_test or is_one_of_several or lacks_a_word or lacks_much else sure


def _is_other(hit: Hit, best: Hit) -> bool:
    """Whether a place is another one: a class and what it contains are one, and tests do not compete with the code."""
    one, other = f"{best.place.qualified}.", f"{hit.place.qualified}."
    is_one = one.startswith(other) or other.startswith(one) or _are_twins(hit, best)
    return hit.place.nature == best.place.nature and not is_one


def _are_twins(hit: Hit, best: Hit) -> bool:
    """Whether one is the asynchronous form of the other: `Client.send` and `AsyncClient.send`."""
    one, other = (place.name.lower().replace(ASYNC, "").strip("_") for place in (hit.place, best.place))
    return one == other and (ASYNC in hit.place.qualified.lower()) != (ASYNC in best.place.qualified.lower())


def _competes(hit: Hit, best: Hit) -> bool:
    return hit.score >= _COMPETES * best.score and hit.in_head >= _AS_MUCH * best.in_head
