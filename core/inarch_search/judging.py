"""Judging a place: what it explains of a question, and what speaks for it beside that.

The weights are a few round numbers. Weights that were learned did no better on questions that were kept from learning.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from inarch_search.documents import CLASS, FIELDS, NATURES, TEXTS
from inarch_search.index import Kept
from inarch_search.questions import Question
from inarch_search.scoring import HEAD, Candidate, strength
from inarch_search.weighing import Weighing

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
