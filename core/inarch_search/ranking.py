"""What a reader of code would prefer: names, files that fit as a whole, a hit of each file before the second ones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_search.documents import CLASS, CONSTANT, FUNCTION, METHOD, MODULE, SECTION, SETTING, TEXTS
from inarch_search.index import Kept
from inarch_search.parts import Parts
from inarch_search.questions import REPORT, SYMBOL, Question
from inarch_search.scoring import HEAD, Candidate, strength
from inarch_search.tokens import terms_of_word
from inarch_search.weighing import Weighing

COVERAGE = 1.25
"""The power of the share of a question that a place explains."""
LEAST_COVERAGE = 0.1
"""What a place that explains nothing would keep: so shares are told apart less where all are small."""
NAMED, NAMED_IN_SENTENCE = 3.0, 1.2
"""What is added where the question names the place: as a name alone, and within more words."""
NAMED_THERE = "named in the question"
_SURELY = 0.7
WHOLE_NAME = 0.5
"""What is added where the question has every word of a name."""
MEANING, MEANING_OF_REPORT = 4.0, 1.5
"""How much a place gains that is near in meaning, as a power of e for a cosine that is greater by 1."""
_MANY = 5
"""Words from which on a question's meaning counts whole: one of few words is about those words."""
_BESIDE_NAMES = 0.5
COHERENCE = 0.35
"""What is added in the file whose places match best together."""
DECAY = 0.9
"""What each further place of a file keeps."""
KINDS = {MODULE: 0.6, SECTION: 0.8, SETTING: 0.6, CONSTANT: 0.35, CLASS: 0.85}
OTHER_KIND = 0.6
DUNDER_INIT = 0.7
BEHIND = 0.6
"""What a text counts at most against the best place of the code, where it is not texts that are asked for."""
READ_FIRST = 1.3
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
    question: Question, weighing: Weighing, found: Sequence[Candidate], parts: Parts, near: Mapping[int, float]
) -> list[Hit]:
    """Order the candidates.

    Args:
        question: what is asked.
        weighing: its words.
        found: the candidates.
        parts: what takes part.
        near: how much nearer in meaning to the question than others a place is, by its row, where that is known.
    """
    meaning = _meaning(question)
    hits = [_hit(question, weighing, one, parts, math.exp(meaning * near.get(one.kept.id, 0.0))) for one in found]
    if parts.coherence:
        hits = _coherent(hits)
    hits.sort(key=_order)
    hits = _decayed(hits) if parts.decay else hits
    return hits if question.about_texts else _behind(hits)


def _order(hit: Hit) -> tuple[float, str, int, str]:
    return -hit.score, hit.place.file, hit.place.line, hit.place.qualified


def _explained(weighing: Weighing, candidate: Candidate, among: int = ~0) -> dict[str, float]:
    """Give how far each word of the question is explained by some of the fields."""
    mine: dict[str, float] = {}
    for item, fields in candidate.found:
        far = strength(fields & among) * item.share
        for term in item.stands_for:
            mine[term] = max(mine.get(term, 0.0), far * weighing.own[term])
    return mine


def _hit(question: Question, weighing: Weighing, candidate: Candidate, parts: Parts, gain: float) -> Hit:
    kept, reasons = candidate.kept, []
    by_term = _explained(weighing, candidate)
    whole = max(1e-9, sum(weighing.own.values()))
    share, in_head = sum(by_term.values()) / whole, sum(_explained(weighing, candidate, HEAD).values()) / whole
    score = candidate.score * KINDS.get(kept.kind, 1.0) * gain
    if parts.coverage:
        score *= (LEAST_COVERAGE + (1 - LEAST_COVERAGE) * share) ** COVERAGE
    if question.kind and not _is(kept.kind, question.kind):
        score *= OTHER_KIND
    if kept.kind == SECTION and kept.file.lower().startswith("readme"):
        score *= READ_FIRST
    if kept.name in ("__init__", "__new__"):
        score *= DUNDER_INIT
    if parts.whole_names and kept.kind not in (SECTION, MODULE):
        score *= 1 + WHOLE_NAME * _whole_name(kept, by_term)
    if parts.names and (exact := _named(question, kept)):
        score *= 1 + (NAMED if question.shape == SYMBOL else NAMED_IN_SENTENCE) * exact
        reasons += [NAMED_THERE] * (exact >= _SURELY)
    best = sorted(by_term, key=lambda term: (-by_term[term], term))[:4]
    reasons += [question.terms[term].word for term in best if by_term[term] > 0]
    return Hit(kept, score, share, in_head, tuple(reasons))


def _meaning(question: Question) -> float:
    """Give what nearness in meaning counts: less where the question has few words, or names what it is about."""
    if question.shape == REPORT:
        return MEANING_OF_REPORT
    return MEANING * min(1.0, len(question.terms) / _MANY) * (_BESIDE_NAMES if question.identifiers else 1.0)


def _is(kind: str, asked: str) -> bool:
    return kind == asked or (asked in (FUNCTION, METHOD) and kind in (FUNCTION, METHOD))


def _whole_name(kept: Kept, by_term: Mapping[str, float]) -> float:
    """Tell how much of a name the question has, of 1; a name of one word says half as much."""
    own = terms_of_word(kept.name.strip("_"))
    parts = own[:-1] if len(own) > 2 else own  # the last is the whole
    if not parts:
        return 0.0
    there = sum(term in by_term for term in parts) / len(parts)
    return there * there * min(1.0, len(parts) / 2)


def _named(question: Question, kept: Kept) -> float:
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


def _coherent(hits: Sequence[Hit]) -> list[Hit]:
    """Raise the places of files that match with several of their places."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for hit in hits:
        by_file[hit.place.file].append(hit.score)
    sums = {file: file_score(scores) for file, scores in by_file.items()}
    most = max(sums.values(), default=1.0) or 1.0
    return [hit._replace(score=hit.score * (1 + COHERENCE * sums[hit.place.file] / most)) for hit in hits]


def file_score(scores: Sequence[float]) -> float:
    """Give what a file's places come to: the best counts whole, each further one half of the one before."""
    return sum(score / (1 << place) for place, score in enumerate(sorted(scores, reverse=True)[:6]))


def _behind(hits: Sequence[Hit]) -> list[Hit]:
    """Put texts behind the best code: who asks what a program does wants to see where."""
    most = max((hit.score for hit in hits if hit.place.nature not in TEXTS), default=0.0) * BEHIND
    return sorted(
        (hit._replace(score=min(hit.score, most)) if most and hit.place.nature in TEXTS else hit for hit in hits),
        key=_order,
    )


def _decayed(hits: Sequence[Hit]) -> list[Hit]:
    seen: dict[str, int] = defaultdict(int)
    decayed = []
    for hit in hits:
        decayed.append(hit._replace(score=hit.score * DECAY ** min(4, seen[hit.place.file])))
        seen[hit.place.file] += 1
    return sorted(decayed, key=_order)
