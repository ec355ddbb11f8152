"""From a question to an answer: ranked places, the reasons for each, and a confidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum
from typing import NamedTuple

from inarch_brief.search.bm25f import CANDIDATES, Candidate, accumulated, best, candidates, nature_shares
from inarch_brief.search.confidence import confidence_of
from inarch_brief.search.documents import MODULE, NATURES, TEXTS
from inarch_brief.search.index import Index
from inarch_brief.search.questions import REPORT, SYMBOL, Question, understood
from inarch_brief.search.rank import Hit, file_scores, ranked
from inarch_brief.search.term_weights import Weighing, weighed
from inarch_brief.search.word_vectors import embedded, is_known, similarity


class Answer(NamedTuple):
    """The result of a search.

    Args:
        question: the parsed question.
        hits: the places, best first.
        files: their files, best first.
        confidence: from 0 to 1, how likely the first hit answers the question.
        unknown: informative words of the question that do not occur in the repository.
    """

    question: Question
    hits: tuple[Hit, ...]
    files: tuple[str, ...]
    confidence: float
    unknown: tuple[str, ...]


def search(index: Index, text: str, limit: int = 20, among: Collection[str] = NATURES) -> Answer:
    """Find the places that a question, a name, a `path:line`, a traceback or a report is about.

    Args:
        index: the index to search.
        text: the question, cut at 40,000 characters.
        limit: the largest number of places.
        among: natures of documents to search.
    """
    index.refresh()
    question = understood(text)
    if TEXTS.issuperset(among):
        question = question._replace(about_texts=True)
    weighing = weighed(index, question)
    natures = nature_shares(question, among)
    scores = accumulated(index, weighing.sought, question.about_texts)
    found = candidates(index, best(index, scores, natures, CANDIDATES), weighing.sought)
    is_of_code = question.shape != SYMBOL and not (question.about_tests or question.about_texts)
    near = _near(index, question, weighing, found) if is_of_code else {}
    hits = ranked(question, weighing, found, natures, near)
    if question.frames:
        hits = _framed(index, question, hits)
    unknown = tuple(question.terms[term].word for term in weighing.unknown)
    of_files = file_scores((hit.place.file, hit.score) for hit in hits)
    files = tuple(sorted(of_files, key=lambda file: (-of_files[file], file)))
    return Answer(question, tuple(hits[:limit]), files, confidence_of(question, weighing, hits), unknown)


def _near(index: Index, question: Question, weighing: Weighing, found: Sequence[Candidate]) -> dict[int, float]:
    """Return how much nearer in meaning than the average each place is to the question, by its row.

    The value shrinks with the share of words without a vector, such as `row42`.
    """
    asked = embedded((term, max(1, round(2 * weight))) for term, (weight, _) in question.terms.items())
    if not asked:
        return {}
    near = {row: similarity(asked, vector) for row, vector in index.vectors([one.kept.id for one in found]).items()}
    usual = fsum(near.values()) / max(1, len(near))  # a place without a vector is neither near nor far
    whole = fsum(weighing.own.values()) or 1.0
    known = fsum(weight for term, weight in weighing.own.items() if is_known(term)) / whole
    return {row: known * (likeness - usual) for row, likeness in near.items()}


def _framed(index: Index, question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Put the places at the frames of a question first, the innermost frame before the others."""
    most = hits[0].score if hits else 1.0
    first: dict[int, Hit] = {}
    for number, frame in enumerate(question.frames, 1):
        around = [
            kept for kept in index.in_file(frame.file) if kept.line <= frame.line <= kept.end or kept.kind == MODULE
        ]
        around.sort(key=lambda kept: (kept.kind == MODULE, kept.end - kept.line, -kept.line))
        for kept in around[:1]:
            first[kept.id] = Hit(kept, most * (1 + number / 100), 1.0, 1.0, (f"{frame.file}:{frame.line}",))
    if question.shape == REPORT:
        # A report's frames show where it failed, often not the cause: its own best words may come between them.
        first = {number: hit._replace(score=hit.score * 0.9) for number, hit in first.items()}
    rest = [hit for hit in hits if hit.place.id not in first]
    return sorted([*first.values(), *rest], key=lambda hit: (-hit.score, hit.place.file, hit.place.line))
