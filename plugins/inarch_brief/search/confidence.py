"""Confidence of an answer: the first hit's score, alone and against the others, and the unknown words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_brief.search.documents import MODULE, SECTION, SETTING, TEST
from inarch_brief.search.questions import SYMBOL, Question
from inarch_brief.search.rank import ASYNC, NAMED_THERE, Hit
from inarch_brief.search.term_weights import Weighing
from inarch_brief.search.vocabulary import WEAK_WORDS

SURE, LIKELY = 0.7, 0.2
"""From the first, the top hit counts as found. From the second, one of the first hits is likely the answer."""
_ALONE, _UNKNOWN = 4.0, 4.0
"""The weights of two shares, beside the logarithm of the first hit's score.

The first share is the top hit's part of all scores. The second is the part of the question that is unknown here.
"""
_SURE_FROM, _LIKELY_FROM = 10.0, 4.0
"""The evidence from which a hit is sure, and likely."""
_HALF, _NEARLY_ALL = 0.5, 0.85
"""The least share of the question that a sure hit explains, and that a head explains to count as complete."""
_DOUBTFUL, _NAMED = 0.5, 0.8
"""The most confidence of a doubtful answer, and the least of a named hit or one with a complete head."""
_COMPETES, _AS_MUCH = 0.7, 0.8
"""A hit competes from these shares of the first hit's score and of the share that its head explains."""
_MOST_OTHERS = 15


def confidence_of(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
    """Return the probability that the first hit answers the question, 0 to 1. Sections and modules do not count."""
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
    is_one_of_several = not is_named and any(
        hit.score >= _COMPETES * best.score and hit.in_head >= _AS_MUCH * best.in_head for hit in others
    )
    lacks_a_word = any(question.terms[term].word not in WEAK_WORDS for term in weighing.unknown)
    lacks_much = best.explained < _HALF and not is_named
    return min(sure, _DOUBTFUL) if is_test or is_one_of_several or lacks_a_word or lacks_much else sure


def _is_other(hit: Hit, best: Hit) -> bool:
    """Return whether a place is a different one. A class equals its members, and tests do not compete with code."""
    one, other = f"{best.place.qualified}.", f"{hit.place.qualified}."
    is_one = one.startswith(other) or other.startswith(one) or _are_twins(hit, best)
    return hit.place.nature == best.place.nature and not is_one


def _are_twins(hit: Hit, best: Hit) -> bool:
    """Return whether one is the asynchronous form of the other: `Client.send` and `AsyncClient.send`."""
    one, other = (place.name.lower().replace(ASYNC, "").strip("_") for place in (hit.place, best.place))
    return one == other and (ASYNC in hit.place.qualified.lower()) != (ASYNC in best.place.qualified.lower())
