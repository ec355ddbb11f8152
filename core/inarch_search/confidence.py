"""How sure an answer is: what the first place explains of the question and where, and how far the next file is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_search.documents import MODULE, SECTION, SETTING
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import NAMED_THERE, Hit
from inarch_search.tokens import terms_of_word
from inarch_search.vocabulary import WEAK_WORDS
from inarch_search.weighing import Weighing

SURE = 0.4
"""The confidence from which on an answer needs no word of doubt."""
_BASE, _EXPLAINED, _HEAD, _DISTANCE, _WORDS, _NAME, _UNKNOWN = -4.14, 1.62, 1.56, 0.66, 0.86, 0.92, -0.94
"""Of a logistic regression over `benchmarks/finding`, its half "tune": whether the first place is a right one."""
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
    telling = sum(question.terms[term].word not in WEAK_WORDS for term in weighing.own)
    evidence = (
        _BASE
        + _EXPLAINED * best.explained
        + _HEAD * best.in_head
        + _DISTANCE * (1 - other / best.score if best.score else 1.0)
        + _WORDS * math.log(max(1, telling))
        + _NAME * len(question.terms.keys() & _parts_of(best.place.name))
        + _UNKNOWN * sum(weighing.own[term] for term in weighing.unknown) / sum(weighing.own.values())
    )
    return max(_NAMED if named else 0.0, 1 / (1 + math.exp(-evidence)))


def _parts_of(name: str) -> set[str]:
    own = list(dict.fromkeys(terms_of_word(name.strip("_"))))
    return {*(own[:-1] if len(own) > 2 else own)}  # the last is the whole
