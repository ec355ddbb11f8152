"""Learn what each trait of a place counts for its rank, and say how well questions are answered by what is learned.

    python benchmarks/finding/fit_ranking.py

Each question of the half "tune", each entry of a changelog of that half and each of the older questions tuned on is
asked through the tool `find_symbols`, and so is what the offline planner makes of each of `short_questions.toml`.
Learned are the weights by which the right places come first: a softmax over the candidates of each question, with a
penalty for large weights. The table judges each package by weights that were made without it. Nothing is written: who
takes the weights over puts them into `inarch_search.traits`, and then learns anew how sure an answer may be
(`fit_confidence.py`). It wants NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import sets
import tool

from inarch_offline.intents import parse
from inarch_search import MODULE, SECTION, SETTING, ranking
from inarch_search.documents import TEXTS
from inarch_search.index import Kept
from inarch_search.judging import Judged, judged
from inarch_search.questions import Question
from inarch_search.ranking import given, named_in
from inarch_search.traits import WEIGHTS, Traits

PENALTY = 5.0
SHARES = {"short": 0.5}
"""What a question of a group counts, where that is not 1: the short ones are many, and easier."""
ROUNDS = 25
LEAST_STEP = 1e-3
Numbers = Any
"""An array of NumPy; types are checked without it."""


class Asked(NamedTuple):
    """A question with the traits of its candidates, the logarithm of what is given to each, and which are right."""

    group: str
    package: str
    traits: Numbers
    given: Numbers
    right: Numbers


def read(root: Path, text: str, is_right: Callable[[Kept], bool]) -> tuple[Numbers, Numbers, Numbers]:
    """Ask a question; give the traits of the candidates, what is given to each, and whether it is right."""
    rows: list[tuple[Traits, float, bool]] = []

    def listen(question: Question, *more: Any) -> list[Judged]:
        found = judged(question, *more)
        rows[:] = [
            (traits, math.log(given(question, kept, named_in(question, kept))), is_right(kept))
            for (kept, *_), _, traits in found
            if kept.kind not in (MODULE, SECTION, SETTING) and kept.nature not in TEXTS
        ]
        return found

    with patch.object(ranking, "judged", listen):
        tool.found(text, root, "")
    return (
        np.array([traits for traits, _, _ in rows], dtype=np.float64).reshape(-1, len(Traits._fields)),
        np.array([amount for _, amount, _ in rows]),
        np.array([right for _, _, right in rows], dtype=np.float64),
    )


def asked() -> Iterator[Asked]:
    """Ask everything."""
    for question in sets.questions():
        yield _of_places("questions", question.source.root(), question.text, question.expected)
    for issue in sets.issues():
        yield _of_places("changelogs", issue.source.root(), issue.whole, issue.functions)
    for older in sets.older_questions():
        yield _of_names("older", older)
    for short in sets.short_questions():
        yield _of_names("short", short._replace(text=parse(short.text).subject or short.text))


def _of_places(group: str, root: Path, text: str, expected: Collection[sets.Place]) -> Asked:
    def is_right(kept: Kept) -> bool:
        place = tool.place_of({"qualname": kept.qualified, "file": kept.file})
        return any(place.answers(one) for one in expected)

    return Asked(group, root.name, *read(root, text, is_right))


def _of_names(group: str, question: sets.Named) -> Asked:
    root = question.source.root()
    return Asked(group, root.name, *read(root, question.text, lambda kept: question.is_answered_by(kept.qualified)))


class Fit:
    """A softmax over the candidates of each question; questions of which no candidate is right teach nothing."""

    def __init__(self, rows: Sequence[Asked]) -> None:
        rows = [row for row in rows if row.right.any()]
        self.traits = np.concatenate([row.traits for row in rows])
        self.given = np.concatenate([row.given for row in rows])
        self.right = np.concatenate([row.right for row in rows])
        sizes = [len(row.right) for row in rows]
        self.starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        self.question = np.repeat(np.arange(len(rows)), sizes)
        self.share = np.repeat([SHARES.get(row.group, 1.0) for row in rows], sizes)
        self.spread = np.maximum(self.traits.std(axis=0), 1e-3)
        self.inputs = (self.traits - self.traits.mean(axis=0)) / self.spread

    def weights(self) -> Numbers:
        """Learn the weights: what is likely comes nearer to what is right and likely with each round (Newton)."""
        count = self.inputs.shape[1]
        weights = np.zeros(count)
        for _ in range(ROUNDS):
            likely = self._likely(weights)
            wanted = self._within(likely * self.right)
            slope = self.inputs.T @ (self.share * (likely - wanted)) + PENALTY * weights
            mean = np.add.reduceat(self.inputs * likely[:, None], self.starts)[self.question]
            spread = self.inputs * (self.share * likely)[:, None]
            curve = spread.T @ (self.inputs - mean) + PENALTY * np.eye(count)
            step = np.linalg.solve(curve, slope)
            now, size = self._loss(weights, wanted), 1.0
            while self._loss(weights - size * step, wanted) > now and size > LEAST_STEP:
                size /= 2
            weights = weights - size * step
        return weights / self.spread

    def _likely(self, weights: Numbers) -> Numbers:
        evidence = self.inputs @ weights + self.given
        return self._within(np.exp(evidence - np.maximum.reduceat(evidence, self.starts)[self.question]))

    def _within(self, amounts: Numbers) -> Numbers:
        """Give each amount as a share of those of its question."""
        shares: Numbers = amounts / np.maximum(1e-300, np.add.reduceat(amounts, self.starts)[self.question])
        return shares

    def _loss(self, weights: Numbers, wanted: Numbers) -> float:
        likely = np.maximum(1e-300, self._likely(weights))
        return float(-(self.share * wanted * np.log(likely)).sum() + PENALTY / 2 * weights @ weights)


def without_each(rows: Sequence[Asked]) -> dict[str, Traits]:
    """Learn the weights for each package without it."""
    packages = {row.package for row in rows}
    return {name: Traits(*Fit([row for row in rows if row.package != name]).weights()) for name in packages}


def told(title: str, rows: Sequence[Asked], weights_of: Mapping[str, Traits]) -> None:
    """Print how often the first right place is first, in five and in ten, by the weights for each package."""
    print(f"\n{title}\n{'':<12} {'asked':>6} {'first':>6} {'five':>6} {'ten':>6}")
    for group in dict.fromkeys(row.group for row in rows):
        some = [row for row in rows if row.group == group]
        ranks = [_rank(row, weights_of[row.package]) for row in some]
        counts = [sum(0 < rank <= most for rank in ranks) for most in (1, 5, 10)]
        print(f"{group:<12} {len(some):>6} {counts[0]:>6} {counts[1]:>6} {counts[2]:>6}")


def _rank(row: Asked, weights: Traits) -> int:
    order = np.argsort(-(row.traits @ np.array(weights) + row.given), kind="stable")
    places = np.flatnonzero(row.right[order])
    return int(places[0]) + 1 if len(places) else 0


def main() -> None:
    """Ask, learn and print."""
    rows = list(asked())
    without = without_each(rows)
    told("Each package by weights made without it", rows, without)
    told("As it is", rows, dict.fromkeys(without, WEIGHTS))
    print(f"\n{Traits(*(round(float(weight), 2) for weight in Fit(rows).weights()))}")


if __name__ == "__main__":
    main()
