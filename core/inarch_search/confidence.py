"""How sure an answer is: what the first place explains of the question and where, and how far the others are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarch_search.documents import MODULE, SECTION, SETTING, TEST
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import NAMED_THERE, Hit
from inarch_search.tokens import terms_of_word
from inarch_search.vocabulary import WEAK_WORDS
from inarch_search.weighing import Weighing

SURE = 0.67
"""The confidence from which on an answer needs no word of doubt."""
_BASE, _EXPLAINED, _HEAD, _DISTANCE, _ALONE, _WORDS, _NAME, _UNKNOWN = -2.45, 0.32, 0.66, 1.16, 1.14, 0.17, 0.69, -1.02
"""Of a logistic regression over the tuned half of `benchmarks/finding` and over short questions as people type them."""
_DOUBTFUL = 0.5
"""The most where a telling word of the question stands nowhere, where a test comes first that was not asked for, and
where another place competes with the first."""
_COMPETES, _AS_MUCH = 0.7, 0.8
"""Of the first place's score, and of what it explains in its head, what a place has that may as well be meant."""
_MOST_OTHERS = 15
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
    elsewhere = next((hit.score for hit in places if hit.place.file != best.place.file), 0.0)
    others = [hit for hit in places[1:] if _is_other(hit, best)][:_MOST_OTHERS]
    telling = {term for term in weighing.own if question.terms[term].word not in WEAK_WORDS}
    evidence = (
        _BASE
        + _EXPLAINED * best.explained
        + _HEAD * best.in_head
        + _DISTANCE * (1 - _share(elsewhere, best))
        + _ALONE / (1 + sum(_share(hit.score, best) ** 2 for hit in others))
        + _WORDS * math.log(max(1, len(telling)))
        + _NAME * len(question.terms.keys() & _parts_of(best.place.name))
        + _UNKNOWN * sum(weighing.own[term] for term in weighing.unknown) / sum(weighing.own.values())
    )
    sure = max(_NAMED if named else 0.0, 1 / (1 + math.exp(-evidence)))
    is_test = best.place.nature == TEST and not question.about_tests
    is_one_of_several = not named and any(_competes(hit, best) for hit in others)
    is_doubtful = is_test or is_one_of_several or not telling.isdisjoint(weighing.unknown)
    return min(sure, _DOUBTFUL) if is_doubtful else sure


def _is_other(hit: Hit, best: Hit) -> bool:
    """Whether a place is another one: a class and what stands in it are one, and tests don't compete with the code."""
    one, other = f"{best.place.qualified}.", f"{hit.place.qualified}."
    return hit.place.nature == best.place.nature and not (one.startswith(other) or other.startswith(one))


def _competes(hit: Hit, best: Hit) -> bool:
    return _share(hit.score, best) >= _COMPETES and hit.in_head >= _AS_MUCH * best.in_head


def _share(score: float, best: Hit) -> float:
    return score / best.score if best.score else 0.0


def _parts_of(name: str) -> set[str]:
    own = list(dict.fromkeys(terms_of_word(name.strip("_"))))
    return {*(own[:-1] if len(own) > 2 else own)}  # the last is the whole
