"""The order of the places: what each explains of a question, what speaks for it beside that, and the kind of question.

The weights are a few round numbers. Weights that were learned did no better on questions that were kept from learning.
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
"""What each trait counts in the logarithm of a score.

Logarithms count of what its words come to (BM25F), of the share of the question that it explains, and of its lines.
Nearness in meaning counts as it is, as do the shares that it explains by its name, by its path, and by texts that
people see. So does what its file's places come to together, as a share of the best file's. A class counts less: its
methods do the work. A name that begins with one underscore counts more: what is offered hands the work to it.
"""
LEAST_EXPLAINED = 0.1
"""The share that a place keeps that explains nothing: small shares differ less."""
_LINES_OF_TEXT = 15
"""Lines that a text counts as having: its length says nothing."""
_AMONG = ((1 << len(FIELDS)) - 1, HEAD, *(1 << FIELDS.index(field) for field in ("name", "path", "strings")))
"""Sets of fields: all, what is read first, the name, the path, texts that people see."""


class Explained(NamedTuple):
    """How far a place explains each term of a question, and the shares of the question that it explains.

    Args:
        whole: what all terms of the question weigh.
        terms: each explained term with the part of its weight that is explained.
        share: the share of the whole, by any field.
        in_head: by what is read first: name, signature, first line of its description, path.
        in_name: by its name.
        in_path: by the path of its file.
        shown: by texts that people see.
    """

    whole: float
    terms: Mapping[str, float]
    share: float
    in_head: float
    in_name: float
    in_path: float
    shown: float


def explained_by(weighing: Weighing, candidate: Candidate) -> Explained:
    """Say what a place explains of a question."""
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


def judged(
    question: Question,
    weighing: Weighing,
    found: Sequence[Candidate],
    shares: Sequence[float],
    near: Mapping[int, float],
) -> list[tuple[Candidate, Explained, float]]:
    """Return each candidate with what it explains, and with what its traits come to.

    Args:
        question: what is asked.
        weighing: its words.
        found: the candidates.
        shares: what a place of each nature counts.
        near: how much nearer in meaning to the question than others a place is, by its row, if that is known.
    """
    by_file = file_scores((one.kept.file, one.score) for one in found)
    most = max(by_file.values(), default=1.0) or 1.0
    by_nature = dict(zip(NATURES, shares, strict=True))
    rows = []
    for one in found:
        explains = explained_by(weighing, one)
        evidence = MEANING * near.get(one.kept.id, 0.0) + BESIDE * by_file[one.kept.file] / most
        evidence += _by_words(one, explains) + _by_kind(question, one.kept)
        rows.append((one, explains, by_nature[one.kept.nature] * math.exp(evidence)))
    return rows


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
