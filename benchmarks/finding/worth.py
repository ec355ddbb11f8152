"""What each part of finding is worth: every ranker answers the same questions, with one part or one field left out.

    python benchmarks/finding/worth.py [--issues]

Only the halves "tune" are asked: the questions of `sets.py`, the 80 older ones of `offline_questions.toml`, and with
`--issues` every second of SWE-bench Lite's issues that `tracing/issues.toml` pins. Of an issue, every function of the
fix has to be among the first. The difference of first and in five to the whole is told with its 95 % interval.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import score
import sets
from engine import Engine, modules, tree
from fetch import fetch_sdist
from score import Answer, System
from sets import Place

sys.path.insert(0, str(sets.HERE.parent / "tracing"))

import issues as lite

from inarch_search.documents import WEIGHTS
from inarch_search.parts import ALL, Parts
from inarch_search.traits import WEIGHTS as WEIGHTS_OF_TRAITS
from inarch_search.traits import Traits


class Case(NamedTuple):
    """A question and its right places: one of them is wanted, of a fix all."""

    text: str
    root: Path
    language: str
    right: tuple[Place, ...]
    every: bool = False

    def rank(self, found: Sequence[Place]) -> int:
        """Give the rank of the first right place, or of the last one that is wanted; 0 if it is not there."""
        if not self.every:
            return next((rank for rank, one in enumerate(found, 1) if any(map(one.answers, self.right))), 0)
        ranks = [found.index(right) + 1 if right in found else 0 for right in self.right]
        return max(ranks) if all(ranks) else 0


def older(half: str = "tune") -> list[Case]:
    """Give the 80 older questions of a half; their right answers are dotted names."""
    listed = tomllib.loads((sets.HERE.parent / "offline_questions.toml").read_text(encoding="utf-8"))["questions"]
    cases = []
    for row in (row for row in listed if row["half"] == half):
        root = fetch_sdist(row["package"], row["version"])
        right = [
            Place(document.file, document.qualified.removeprefix(f"{modules(root)[document.file]}."))
            for documents in tree(root).values()
            for document in documents
            if document.qualified in row["expected"]
        ]
        cases.append(Case(row["question"], root, "Python", tuple(right)))
    return cases


def newer(half: str = "tune") -> list[Case]:
    """Give the questions in users' own words that can be answered."""
    return [Case(row.text, row.source.root(), row.language, row.expected) for row in sets.questions(half)]


def reports() -> list[Case]:
    """Give every second of the pinned issues."""
    pinned, _ = lite.pinned(lite.fetch_issues())
    return [
        Case(row.text, row.root, "Python", tuple(Place(*function) for function in row.functions), True)
        for row in pinned[::2]
    ]


def ranks(system: System, cases: Sequence[Case]) -> list[int]:
    """Give the rank of the right answer to each."""
    answers: list[Answer] = [system(case.text, case.root, case.language) for case in cases]
    return [case.rank(answer.places) for case, answer in zip(cases, answers, strict=True)]


def report(name: str, found: Mapping[str, list[int]], whole: Mapping[str, list[int]]) -> None:
    """Print a line: first and in five of each set, and the difference of both together to the whole."""
    shares = []
    for what, values in found.items():
        first, five = sum(rank == 1 for rank in values), sum(1 <= rank <= 5 for rank in values)
        shares.append(f"{what} {first / len(values):6.1%} {five / len(values):6.1%}")
    mine = [flag for values in found.values() for rank in values for flag in (rank == 1, 1 <= rank <= 5)]
    theirs = [flag for values in whole.values() for rank in values for flag in (rank == 1, 1 <= rank <= 5)]
    mean, low, high = score.paired_bootstrap(mine, theirs, 2_000)
    print(f"{name:24} {'   '.join(shares)}   {mean:+6.1%} [{low:+.1%}, {high:+.1%}]", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Ask everything of the whole, of plain BM25, and with each part and each field left out."""
    asked = {"newer": newer(), "older": older()} | ({"issues": reports()} if "--issues" in arguments else {})
    whole = Engine()

    def run(system: System) -> dict[str, list[int]]:
        return {what: ranks(system, cases) for what, cases in asked.items()}

    everything = run(whole)
    report("all", everything, everything)
    report("plain BM25", run(score.named("bm25")), everything)
    for part, there in Parts()._asdict().items():
        if there is True:
            report(f"without {part}", run(whole.with_parts(Parts(**{**ALL._asdict(), part: False}))), everything)
    for trait in Traits._fields:
        parts = ALL._replace(weights=WEIGHTS_OF_TRAITS._replace(**{trait: 0.0}))
        report(f"trait {trait}", run(whole.with_parts(parts)), everything)
    for field in WEIGHTS:
        report(
            f"no field {field}",
            run(Engine(measures={**WEIGHTS, field: WEIGHTS[field]._replace(weight=0.0)})),
            everything,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
