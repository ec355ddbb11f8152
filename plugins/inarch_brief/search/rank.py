"""The order of places: how much of a question each explains, its other traits, and the kind of question.

The weights are a few round numbers. Learned weights did no better on held-out questions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from inarch_brief.search.bm25f import HEAD, Candidate, strength
from inarch_brief.search.documents import (
    CLASS,
    CONSTANT,
    COPIES,
    FIELDS,
    FUNCTION,
    METHOD,
    MODULE,
    NATURES,
    SECTION,
    SETTING,
    TEST,
    TEXTS,
)
from inarch_brief.search.index import Kept
from inarch_brief.search.questions import SYMBOL, Question
from inarch_brief.search.term_weights import Weighing

WORDS, MEANING, EXPLAINED, IN_NAME, IN_PATH, SHOWN, BESIDE = 0.5, 9.0, 2.0, 3.0, 4.0, 2.0, 1.5
IS_CLASS, IS_PRIVATE, SIZE = -2.5, 1.0, 0.5
"""The weight of each trait in the logarithm of a score.

Three traits count by their logarithm: the BM25F score, the share of the question that a place explains, and its lines.
Nearness in meaning counts as it is. So do the shares explained by the name, by the path, and by texts that people see.
The last trait is the file's score as a share of the best file's. A class counts less, because its methods do the work.
A name with one leading underscore counts more, because public functions delegate to it.
"""
LEAST_EXPLAINED = 0.1
"""The share of a place that explains nothing: small shares differ less."""
_LINES_OF_TEXT = 15
"""The number of lines of any text: its real length means nothing."""
_AMONG = ((1 << len(FIELDS)) - 1, HEAD, *(1 << FIELDS.index(field) for field in ("name", "path", "strings")))
"""Sets of fields: all, those read first, the name, the path, texts that people see."""


class Explained(NamedTuple):
    """The terms of a question that a place explains, and the explained shares of the question."""

    whole: float
    terms: Mapping[str, float]
    share: float
    in_head: float
    in_name: float
    in_path: float
    shown: float


def explained_by(weighing: Weighing, candidate: Candidate) -> Explained:
    """Return how much of a question a place explains."""
    own = weighing.own
    whole = max(1e-9, sum(own.values()))
    by_fields: list[dict[str, float]] = [{} for _ in _AMONG]
    for item, fields in candidate.found:
        for among, terms in zip(_AMONG, by_fields, strict=True):
            far = strength(fields & among) * item.share
            for term in item.stands_for if far else ():
                if far * own[term] > terms.get(term, 0.0):
                    terms[term] = far * own[term]
    return Explained(whole, by_fields[0], *(sum(terms.values()) / whole for terms in by_fields))


def file_scores(scored: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Add up the places of each file: the best counts whole, each further one half of the one before."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for file, score in scored:
        by_file[file].append(score)
    return {
        file: sum(score / (1 << place) for place, score in enumerate(sorted(scores, reverse=True)[:6]))
        for file, scores in by_file.items()
    }


def _by_words(candidate: Candidate, explains: Explained) -> float:
    return (
        WORDS * math.log(max(1e-9, candidate.score / explains.whole))
        + EXPLAINED * math.log(LEAST_EXPLAINED + (1 - LEAST_EXPLAINED) * explains.share)
        + IN_NAME * explains.in_name
        + IN_PATH * explains.in_path
        + SHOWN * explains.shown
    )


def _by_kind(question: Question, kept: Kept) -> float:
    if kept.nature in TEXTS:
        return SIZE * math.log(_LINES_OF_TEXT)
    return (
        IS_CLASS * (kept.kind == CLASS != question.kind)
        + IS_PRIVATE * (kept.name.startswith("_") and not kept.name.startswith("__"))
        + SIZE * math.log(max(1, kept.end - kept.line + 1))
    )


NAMED, NAMED_IN_SENTENCE = 11.0, 3.0
"""The bonus if the question is the place's name, and if it contains the name."""
NAMED_THERE = "named in the question"
_SURELY = 0.7
KINDS = {MODULE: 0.4, SECTION: 0.67, SETTING: 0.4, CONSTANT: 0.15}
OTHER_KIND = 0.005
ASYNC, TWIN = "async", 0.7
"""The mark in names of asynchronous twins, and their factor if the question does not contain it."""
SPECIAL = 0.5
"""The factor of `__exit__` and similar names: they belong to the language, not to the project."""
BEHIND = 0.4
"""The most that an unrequested text, test or copy scores against the best place of the product."""
READ_FIRST = 1.6
"""The factor of a README's section over one of other texts."""


class Hit(NamedTuple):
    """A place that may answer.

    Args:
        place: its document.
        score: comparable within one answer only.
        explained: the share of the question's informative words that it explains, weighted by rarity.
        in_head: the share explained by the fields read first: name, signature, first line of its description, path.
        reasons: why it matched, for people.
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
    """Rank the candidates."""
    by_file = file_scores((one.kept.file, one.score) for one in found)
    most = max(by_file.values(), default=1.0) or 1.0
    by_nature = dict(zip(NATURES, shares, strict=True))
    hits = []
    for candidate in found:
        kept, explains = candidate.kept, explained_by(weighing, candidate)
        exact = named_in(question, kept)
        evidence = MEANING * near.get(kept.id, 0.0) + BESIDE * by_file[kept.file] / most
        evidence += _by_words(candidate, explains) + _by_kind(question, kept)
        score = by_nature[kept.nature] * math.exp(evidence) * given(question, kept, exact)
        best = sorted(explains.terms, key=lambda term: (-explains.terms[term], term))[:4]
        reasons = [NAMED_THERE] * (exact >= _SURELY)
        reasons += [question.terms[term].word for term in best if explains.terms[term] > 0]
        hits.append(Hit(kept, score, explains.share, explains.in_head, tuple(reasons)))
    hits.sort(key=_order)
    return hits if question.about_texts else _behind(question, hits)


def _order(hit: Hit) -> tuple[float, str, int, str]:
    return -hit.score, hit.place.file, hit.place.line, hit.place.qualified


def given(question: Question, kept: Kept, exact: float) -> float:
    """Return the factor of a place apart from its traits: by its kind, and by how exactly the question names it."""
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
    """Return how exactly a question names a place; 0 for not at all."""
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
    """Put tests, copies, examples and texts behind the best code of the product, unless the question asks for them."""
    aside = TEXTS | COPIES if question.about_tests else TEXTS | COPIES | {TEST}
    most = max((hit.score for hit in hits if hit.place.nature not in aside), default=math.inf) * BEHIND

    def placed(hit: Hit) -> Hit:
        is_free = hit.place.nature not in aside or NAMED_THERE in hit.reasons
        return hit if is_free else hit._replace(score=min(hit.score, most))

    return sorted(map(placed, hits), key=_order)
