"""How sure an answer is: what the first place explains of the question and where, and how far the next file is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_search.documents import MODULE, SECTION, SETTING, TEST
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import NAMED_THERE, Hit
from inarch_search.tokens import terms_of_word
from inarch_search.vocabulary import WEAK_WORDS
from inarch_search.weighing import Weighing

SURE = 0.6
"""The confidence from which on an answer needs no word of doubt."""
_BASE, _EXPLAINED, _HEAD, _DISTANCE, _WORDS, _NAME, _UNKNOWN = -2.31, 0.85, 0.8, 0.31, 0.38, 0.88, -0.61
"""Of a logistic regression over `benchmarks/finding`, its half "tune", that keeps weights small: few questions tell."""
_DOUBTFUL = 0.5
"""The most where a telling word of the question stands nowhere, or where a test comes first that was not asked for."""
_NAMED = 0.8


def confidence_of(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
    """Give how likely the first hit is what is asked for, 0 to 1; sections and modules are passed over."""
    aside = (MODULE,) if question.about_texts else (MODULE, SECTION, SETTING)
    places = [hit for hit in hits if hit.place.kind not in aside] or hits
    if not places or not question.terms:
        return 0.0
    best = places[0]
    named = NAMED_THERE in best.reasons
    if question.shape == SYMBOL:
        return 1.0 if named else 0.5 * best.explained
    other = next((hit.score for hit in places if hit.place.file != best.place.file), 0.0)
    telling = {term for term in weighing.own if question.terms[term].word not in WEAK_WORDS}
    evidence = (
        _BASE
        + _EXPLAINED * best.explained
        + _HEAD * best.in_head
        + _DISTANCE * (1 - other / best.score if best.score else 1.0)
        + _WORDS * math.log(max(1, len(telling)))
        + _NAME * len(question.terms.keys() & _parts_of(best.place.name))
        + _UNKNOWN * sum(weighing.own[term] for term in weighing.unknown) / sum(weighing.own.values())
    )
    sure = max(_NAMED if named else 0.0, 1 / (1 + math.exp(-evidence)))
    is_test = best.place.nature == TEST and not question.about_tests
    return min(sure, _DOUBTFUL) if is_test or not telling.isdisjoint(weighing.unknown) else sure


def _parts_of(name: str) -> set[str]:
    own = list(dict.fromkeys(terms_of_word(name.strip("_"))))
    return {*(own[:-1] if len(own) > 2 else own)}  # the last is the whole
