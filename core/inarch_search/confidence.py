"""How sure an answer is: what the first place explains of the question, and how far the next one is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_search.documents import MODULE, SECTION
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import NAMED_THERE, Hit
from inarch_search.tokens import terms_of_word

SURE = 0.6
"""The confidence from which on an answer needs no word of doubt."""
_BASE, _EXPLAINED, _DISTANCE, _WORDS, _NAME = -5.5, 3.9, 0.75, 1.3, 2.45
"""Of a logistic regression over `benchmarks/finding`, its half "tune": whether the first place is a right one."""
_NAMED = 0.8
_ENOUGH_WORDS = 3


def confidence_of(question: Question, hits: Sequence[Hit]) -> float:
    """Give how likely the first hit is what is asked for, 0 to 1; sections and modules are passed over."""
    places = [hit for hit in hits if hit.place.kind not in (MODULE, SECTION)] or hits
    if not places or not question.terms:
        return 0.0
    best = places[0]
    named = NAMED_THERE in best.reasons
    if question.shape == SYMBOL:
        return 1.0 if named else 0.5 * best.explained
    distance = 1 - places[1].score / best.score if len(places) > 1 and best.score else 1.0
    shared = len(question.terms.keys() & {*terms_of_word(best.place.name.strip("_"))})
    evidence = (
        _BASE
        + _EXPLAINED * best.explained
        + _DISTANCE * distance
        + _WORDS * math.log(len(question.terms))
        + _NAME * min(1.0, shared / min(_ENOUGH_WORDS, len(question.terms)))
    )
    return max(_NAMED if named else 0.0, 1 / (1 + math.exp(-evidence)))
