"""Judging a place: what it explains of a question, and its traits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from inarch_search.documents import CLASS, FIELDS, NATURES, TEXTS
from inarch_search.questions import Question
from inarch_search.scoring import HEAD, Candidate, strength
from inarch_search.traits import Traits
from inarch_search.weighing import Weighing

LEAST_EXPLAINED = 0.1
"""What a place that explains nothing would keep: so shares are told apart less where all are small."""
_AMONG = ((1 << len(FIELDS)) - 1, HEAD, *(1 << FIELDS.index(field) for field in ("name", "path", "strings")))
"""Sets of fields: all, what is read first, the name, the path, texts that people see."""
_USUAL = {"is_private": 0.12, "is_described": 0.5, "size": 2.7}
"""Means of the traits that say nothing of texts."""


class Explained(NamedTuple):
    """How far a place explains each term of a question, and the shares of the question that it explains.

    Args:
        whole: what all terms of the question weigh.
        terms: each explained term with what is explained of its weight.
        share: of the whole, by any field.
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
    """Tell what a place explains of a question."""
    own = weighing.own
    whole = max(1e-9, sum(own.values()))
    by_fields: list[dict[str, float]] = [{} for _ in _AMONG]
    for item, fields in candidate.found:
        for among, terms in zip(_AMONG, by_fields, strict=True) if item.stands_for else ():
            far = strength(fields & among) * item.share
            for term in item.stands_for if far else ():
                if far * own[term] > terms.get(term, 0.0):
                    terms[term] = far * own[term]
    return Explained(whole, by_fields[0], *(sum(terms.values()) / whole for terms in by_fields))


def file_scores(scored: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Give what the places of each file come to: the best counts whole, each further one half of the one before."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for file, score in scored:
        by_file[file].append(score)
    return {
        file: sum(score / (1 << place) for place, score in enumerate(sorted(scores, reverse=True)[:6]))
        for file, scores in by_file.items()
    }


class Judged(NamedTuple):
    """A candidate with what it explains of the question, and its traits."""

    candidate: Candidate
    explains: Explained
    traits: Traits


def judged(
    question: Question,
    weighing: Weighing,
    found: Sequence[Candidate],
    shares: Sequence[float],
    near: Mapping[int, float],
) -> list[Judged]:
    """Judge the candidates.

    Args:
        question: what is asked.
        weighing: its words.
        found: the candidates.
        shares: what a place of each nature counts.
        near: how much nearer in meaning to the question than others a place is, by its row, where that is known.
    """
    by_file = file_scores((one.kept.file, one.score) for one in found)
    most = max(by_file.values(), default=1.0) or 1.0
    by_nature = dict(zip(NATURES, shares, strict=True))
    rows = []
    for one in found:
        kept, explains = one.kept, explained_by(weighing, one)
        share, beside = by_nature[kept.nature], by_file[kept.file] / most
        rows.append(Judged(one, explains, _traits(question, one, explains, share, near.get(kept.id, 0.0), beside)))
    return rows


def _traits(
    question: Question, candidate: Candidate, explains: Explained, share: float, near: float, beside: float
) -> Traits:
    """Give what speaks for a place.

    Args:
        question: what is asked.
        candidate: the place.
        explains: what it explains.
        share: what its nature counts.
        near: how much nearer in meaning to the question than others it is.
        beside: what its file's places come to together.
    """
    kept = candidate.kept
    traits = Traits(
        words=math.log(max(1e-9, candidate.score / explains.whole)),
        nature=math.log(share),
        meaning=near,
        explained=math.log(LEAST_EXPLAINED + (1 - LEAST_EXPLAINED) * explains.share),
        in_head=explains.in_head,
        in_name=explains.in_name,
        in_path=explains.in_path,
        shown=explains.shown,
        beside=beside,
        is_class=kept.kind == CLASS and question.kind != CLASS,
        is_private=kept.name.startswith("_") and not kept.name.startswith("__"),
        is_described=bool(kept.summary),
        size=math.log(max(1, kept.end - kept.line + 1)),
    )
    return traits._replace(**_USUAL) if kept.nature in TEXTS else traits
