"""How sure an answer is: what the first place explains of the question, and how far the next one is."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import Hit
from inarch_search.weighing import Weighing


def confidence_of(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
    """Give how likely the first hit is what is asked for, 0 to 1."""
    if not hits:
        return 0.0
    best = hits[0]
    if question.shape == SYMBOL:
        return 1.0 if "named in the question" in best.reasons or best.explained >= 1.0 else 0.5 * best.explained
    after = hits[1].score if len(hits) > 1 else 0.0
    distance = 1 - after / best.score if best.score else 0.0
    return min(1.0, best.explained * (0.6 + distance))
