"""The order of the places: by their traits, and by the kind of question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_search.documents import CLASS, CONSTANT, COPIES, FUNCTION, METHOD, MODULE, SECTION, SETTING, TEST, TEXTS
from inarch_search.index import Kept
from inarch_search.judging import judged
from inarch_search.questions import SYMBOL, Question
from inarch_search.scoring import Candidate
from inarch_search.weighing import Weighing

NAMED, NAMED_IN_SENTENCE = 11.0, 3.0
"""What is added where the question names the place: as a name alone, and within more words."""
NAMED_THERE = "named in the question"
_SURELY = 0.7
KINDS = {MODULE: 0.4, SECTION: 0.67, SETTING: 0.4, CONSTANT: 0.15}
OTHER_KIND = 0.005
ASYNC, TWIN = "async", 0.7
"""What is in the names of asynchronous twins, and what they count where the question doesn't say so."""
SPECIAL = 0.5
"""What `__exit__` and the like count: their names are the language's, not the project's."""
BEHIND = 0.4
"""What a text, a test or a copy counts at most against the best place of the product, unless it is asked for."""
READ_FIRST = 1.6
"""What a section of a README counts more than one of other texts."""


class Hit(NamedTuple):
    """A place that may answer.

    Args:
        place: what and where it is.
        score: comparable within one answer only.
        explained: the share of the question's informative words that it explains, weighed by rarity.
        in_head: the share that it explains by what is read first: name, signature, first line of its description, path.
        reasons: why it stands here, for people.
    """

    place: Kept
    score: float
    explained: float
    in_head: float
    reasons: tuple[str, ...]


def ranked(
    question: Question,
    weighing: Weighing,
    found: Sequence[Candidate],
    shares: Sequence[float],
    near: Mapping[int, float],
) -> list[Hit]:
    """Order the candidates.

    Args:
        question: what is asked.
        weighing: its words.
        found: the candidates.
        shares: what a place of each nature counts.
        near: how much nearer in meaning to the question than others a place is, by its row, if that is known.
    """
    hits = []
    for candidate, explains, worth in judged(question, weighing, found, shares, near):
        kept = candidate.kept
        exact = named_in(question, kept)
        score = worth * given(question, kept, exact)
        best = sorted(explains.terms, key=lambda term: (-explains.terms[term], term))[:4]
        reasons = [NAMED_THERE] * (exact >= _SURELY)
        reasons += [question.terms[term].word for term in best if explains.terms[term] > 0]
        hits.append(Hit(kept, score, explains.share, explains.in_head, tuple(reasons)))
    hits.sort(key=_order)
    return hits if question.about_texts else _behind(question, hits)


def _order(hit: Hit) -> tuple[float, str, int, str]:
    return -hit.score, hit.place.file, hit.place.line, hit.place.qualified


def given(question: Question, kept: Kept, exact: float) -> float:
    """Give what a place counts whatever its traits: by its kind, and by how exactly it is named."""
    score = KINDS.get(kept.kind, 1.0)
    if question.kind and not _is(kept.kind, question.kind):
        score *= OTHER_KIND
    if kept.kind == SECTION and kept.file.lower().startswith("readme"):
        score *= READ_FIRST
    if kept.name.startswith("__") and kept.name.endswith("__"):
        score *= SPECIAL
    if ASYNC in kept.qualified.lower() and ASYNC not in question.text.lower():
        score *= TWIN
    return score * (1 + (NAMED if question.shape == SYMBOL else NAMED_IN_SENTENCE) * exact)


def _is(kind: str, asked: str) -> bool:
    return kind == asked or (asked in (FUNCTION, METHOD) and kind in (FUNCTION, METHOD))


def named_in(question: Question, kept: Kept) -> float:
    """Tell how exactly a question names a place: 0 for not at all."""
    best = 0.0
    dotted = f".{kept.qualified}"
    for identifier, share in question.identifiers.items():
        if dotted.endswith(f".{identifier}"):
            best = max(best, share * (1.5 if "." in identifier else 1.0))
        elif len(identifier) > 3 and dotted.lower().endswith(f".{identifier.lower()}"):
            best = max(best, 0.5 * share)
        elif "." in identifier and dotted.endswith(f".{identifier.partition('.')[2]}"):
            best = max(best, 0.7 * share)
    if not best and kept.kind == CLASS and kept.name in question.capitals:
        best = 0.4
    if not best and kept.name in question.pasted:
        best = 0.3
    return best


def _behind(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Put tests, copies, examples and texts behind the best code of the product, unless they are asked for."""
    aside = TEXTS | COPIES if question.about_tests else TEXTS | COPIES | {TEST}
    most = max((hit.score for hit in hits if hit.place.nature not in aside), default=math.inf) * BEHIND

    def placed(hit: Hit) -> Hit:
        is_free = hit.place.nature not in aside or NAMED_THERE in hit.reasons
        return hit if is_free else hit._replace(score=min(hit.score, most))

    return sorted(map(placed, hits), key=_order)
