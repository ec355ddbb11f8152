"""Learn how sure an answer may be, and say how often it is right from each confidence on.

    python benchmarks/finding/fit_confidence.py

Each question of the half "tune" and each of `short_questions.toml` is asked through the tool `context_get`, the short
ones as the offline planner asks them. A logistic regression over what `inarch_search.confidence` reads of the first
places gives the weights; the table judges each package by weights that were made without it, those of its ranking
(`fit_ranking.py`), too. Nothing is written: who takes the weights over puts them into `inarch_search.confidence`, and
the table into `docs/explanation/finding.md`. It wants NumPy.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import fit_ranking
import sets
import tool

from inarch_offline.intents import parse
from inarch_search import asking
from inarch_search.confidence import BASE, WEIGHTS, Signs, confidence_of, is_doubtful, places_among, says_all, signs_of
from inarch_search.parts import Parts
from inarch_search.questions import SYMBOL, Question
from inarch_search.ranking import Hit, ranked
from inarch_search.scoring import Candidate
from inarch_search.traits import WEIGHTS as RANKED_BY
from inarch_search.traits import Traits
from inarch_search.weighing import Weighing

LINES = (0.5, 0.6, 0.65, 0.67, 0.7, 0.75, 0.8)
ROUNDS = 40
PENALTY = 0.1


class Read(NamedTuple):
    """The first place of an answer, the file it stands in, and what tells how sure that is."""

    qualified: str
    file: str
    signs: Signs
    says_all: bool
    doubtful: bool


class Judged(NamedTuple):
    """What was read of an answer, and whether its first place is right."""

    group: str
    package: str
    signs: Signs
    says_all: bool
    doubtful: bool
    right: bool


def read(root: Path, text: str, weights: Traits) -> Read | None:
    """Ask a question; give what comes first, and what tells how sure that is."""
    kept: list[Read] = []

    def by_these(question: Question, weighing: Weighing, found: Sequence[Candidate], parts: Parts, *more: Any) -> Any:
        return ranked(question, weighing, found, parts._replace(weights=weights), *more)

    def listen(question: Question, weighing: Weighing, hits: Sequence[Hit]) -> float:
        places = places_among(question, hits)
        if places and question.terms and question.shape != SYMBOL:
            best, signs = places[0], signs_of(question, weighing, places)
            place, doubtful = best.place, is_doubtful(question, weighing, places)
            kept.append(Read(place.qualified, place.file, signs, says_all(best, signs), doubtful))
        return confidence_of(question, weighing, hits)

    with patch.object(asking, "confidence_of", listen), patch.object(asking, "ranked", by_these):
        asyncio.run(tool.composed(root).call_tool("context_get", {"query": text}))
    return kept[0] if kept else None


def judged(weights_of: Mapping[str, Traits]) -> Iterator[Judged]:
    """Ask everything, of each package by weights of its own, where there are any."""
    for question in [*sets.questions(), *sets.absent()]:
        root = question.source.root()
        if found := read(root, question.text, weights_of.get(root.name, RANKED_BY)):
            place = tool.place_of({"qualname": found.qualified, "file": found.file})
            right = any(place.answers(expected) for expected in question.expected)
            yield Judged("tuned", root.name, found.signs, found.says_all, found.doubtful, right)
    for group, named in _named():
        root = named.source.root()
        if found := read(root, named.text, weights_of.get(root.name, RANKED_BY)):
            right = named.is_answered_by(found.qualified)
            yield Judged(group, root.name, found.signs, found.says_all, found.doubtful, right)


def _named() -> Iterator[tuple[str, sets.Named]]:
    for question in sets.older_questions():
        yield "tuned", question
    for question in sets.short_questions():
        yield "short", question._replace(text=parse(question.text).subject or question.text)


def fitted(rows: Sequence[Judged]) -> list[float]:
    """Give the base and the weights of a logistic regression that keeps weights small, by Newton's method."""
    inputs = [(1.0, *row.signs) for row in rows]
    size = len(inputs[0])
    weights = [0.0] * size
    for _ in range(ROUNDS):
        slope = [0.0, *(PENALTY * weight for weight in weights[1:])]
        curve = [[PENALTY * (i == j and i > 0) for j in range(size)] for i in range(size)]
        for row, values in zip(rows, inputs, strict=True):
            likely = probability(weights, row.signs)
            for i in range(size):
                slope[i] += (likely - row.right) * values[i]
                for j in range(size):
                    curve[i][j] += likely * (1 - likely) * values[i] * values[j]
        weights = [weight - step for weight, step in zip(weights, solved(curve, slope), strict=True)]
    return weights


def probability(weights: Sequence[float], signs: Signs) -> float:
    """Give how likely the first place is right."""
    evidence = weights[0] + math.fsum(weight * sign for weight, sign in zip(weights[1:], signs, strict=True))
    return 1 / (1 + math.exp(-evidence))


def solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve linear equations."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [value - rows[j][i] * own for value, own in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def told(title: str, rows: Sequence[Judged], likely: Sequence[float]) -> None:
    """Print how many answers are given from each confidence on, and how many of them are right."""
    print(f"\n{title}\n{'from':>6} {'given':>6} {'right':>6}   {'tuned':>9} {'short':>9}")
    for line in LINES:
        sure = [row for row, chance in zip(rows, likely, strict=True) if chance >= line or row.says_all]
        given = [row for row in sure if not row.doubtful]
        by = {
            group: (sum(row.right for row in given if row.group == group), sum(row.group == group for row in given))
            for group in ("tuned", "short")
        }
        shown = "  ".join(f"{right:>3} of {all_:>2}" for right, all_ in by.values())
        print(f"{line:>6} {len(given):>6} {sum(row.right for row in given):>6}   {shown}")


def main() -> None:
    """Ask, learn and print."""
    rows = list(judged(fit_ranking.without_each(list(fit_ranking.asked()))))
    print(f"{len(rows)} answers, {sum(row.right for row in rows)} right first")
    without = {name: fitted([row for row in rows if row.package != name]) for name in {row.package for row in rows}}
    likely = [probability(without[row.package], row.signs) for row in rows]
    told("Each package by weights made without it", rows, likely)
    now = list(judged({}))
    told("As it is", now, [probability([BASE, *WEIGHTS], row.signs) for row in now])
    base, *weights = fitted(rows)
    print(f"\nBASE = {base:.2f}, {Signs(*(round(weight, 2) for weight in weights))}")


if __name__ == "__main__":
    main()
