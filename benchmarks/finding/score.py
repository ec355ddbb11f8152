"""How well a system finds the place that a question or an issue is about, and whether it knows when it doesn't.

    python benchmarks/finding/score.py [bm25] [grep] [MODULE:FUNCTION ...] [--held | --fresh] [--misses]

A system is a function that takes a question's text and the root of a tree and gives an `Answer`: places, best first,
and whether it is sure. Named `MODULE:FUNCTION`, it is compared with BM25 on the same questions. Without `--held` only
the half "tune" is asked; of what was kept from tuning (the half "held", the later set "fresh") nothing but totals is
printed, and each look at it is noted in the cache.

    first, five    questions whose right place came first, or among the first five; "file" asks for the right file only
    sure           answers given without a word of doubt: how many of them are right first (precision), how many of the
                   questions that can be answered have one (coverage), and how many questions about what is not there
                   are told to be unclear (doubt)
    issues         every function (file) of the fix among the first k
"""

from __future__ import annotations

import importlib
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import sets
from sets import HALVES, Issue, Place, Question

sys.path.insert(0, str(sets.HERE.parent))

import baselines
from fetch import cache_folder

DEPTHS = (1, 5, 10)
ROUNDS = 10_000


class Answer(NamedTuple):
    """What a system gives: places, best first, and whether it says that it is sure of the first."""

    places: Sequence[Place]
    sure: bool = True


System = Callable[[str, Path, str], Answer]
"""Takes the question, the tree's root and the language that the question is about (a system may ignore it)."""


class Asked(NamedTuple):
    """A question with what came back for it."""

    question: Question
    answer: Answer

    @property
    def place(self) -> int:
        """The rank of the first right place, 0 if there is none."""
        return _rank(self.answer.places, lambda found: any(found.answers(right) for right in self.question.expected))

    @property
    def file(self) -> int:
        """The rank of the first right file among the files named."""
        files = _files(self.answer.places)
        return _rank(files, lambda found: any(found == right.file for right in self.question.expected))


class Traced(NamedTuple):
    """An issue with the places that came back for it."""

    issue: Issue
    places: Sequence[Place]

    def functions_at(self, depth: int) -> bool:
        """Whether all functions of the fix are among the first; an issue that changed none doesn't count."""
        return bool(self.issue.functions) and self.issue.functions <= set(_distinct(self.places)[:depth])

    def files_at(self, depth: int) -> bool:
        """Whether all files of the fix are among the first."""
        return self.issue.files <= set(_files(self.places)[:depth])


def _rank(found: Sequence[Place] | Sequence[str], right: Callable[..., bool]) -> int:
    return next((rank for rank, one in enumerate(found, 1) if right(one)), 0)


def _files(places: Iterable[Place]) -> list[str]:
    return list(dict.fromkeys(place.file for place in places))


def _distinct(places: Iterable[Place]) -> list[Place]:
    return list(dict.fromkeys(places))


def ask(system: System, half: str) -> tuple[list[Asked], list[Asked]]:
    """Ask what can be answered and what can't, a package at a time."""
    rows = [*sets.questions(half), *sets.absent(half)]
    rows.sort(key=lambda row: row.source)
    asked = [Asked(row, system(row.text, row.source.root(), row.language)) for row in rows]
    return [one for one in asked if one.question.expected], [one for one in asked if not one.question.expected]


def trace(system: System, half: str) -> list[Traced]:
    """Give each issue's text to a system, title first."""
    rows = sorted(sets.issues(half), key=lambda row: row.source)
    return [
        Traced(row, system(f"{row.title}\n\n{row.text}".strip(), row.source.root(), "Python").places) for row in rows
    ]


def paired_bootstrap(ours: Sequence[bool], theirs: Sequence[bool], rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Give the mean difference of two systems on the same rows, and the bounds of its 95 % interval."""
    differences = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    if not differences:
        return 0.0, 0.0, 0.0
    draw = random.Random(0)
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(rounds))
    return sum(differences) / count, means[int(0.025 * rounds)], means[int(0.975 * rounds) - 1]


def share(hits: Iterable[bool]) -> str:
    """Write a count and its share."""
    values = list(hits)
    return f"{sum(values):3}/{len(values):<3} {sum(values) / max(1, len(values)):6.1%}"


def report_questions(
    name: str, present: Sequence[Asked], missing: Sequence[Asked], *, by_language: bool = True
) -> None:
    """Print one system's table of questions."""
    groups: dict[str, list[Asked]] = {"all": list(present)}
    for one in present:
        groups.setdefault(one.question.language, []).append(one)
    for group, rows in groups.items():
        first, five = share(row.place == 1 for row in rows), share(1 <= row.place <= 5 for row in rows)
        files = share(row.file == 1 for row in rows), share(1 <= row.file <= 5 for row in rows)
        print(f"{name:10} {group:11} first {first}  five {five}   file first {files[0]}  five {files[1]}")
    sure = [row for row in present if row.answer.sure]
    wrongly = sum(row.answer.sure for row in missing)
    right = sum(row.place == 1 for row in sure)
    print(
        f"{name:10} {'sure':11} right {right}/{len(sure) + wrongly} {right / max(1, len(sure) + wrongly):.1%}  "
        f"coverage {share(row.answer.sure for row in present)}  doubt {share(not row.answer.sure for row in missing)}"
    )


def report_issues(name: str, traced: Sequence[Traced]) -> None:
    """Print one system's table of issues."""
    with_functions = [row for row in traced if row.issue.functions]
    functions = "  ".join(f"@{depth} {share(row.functions_at(depth) for row in with_functions)}" for depth in DEPTHS)
    files = "  ".join(f"@{depth} {share(row.files_at(depth) for row in traced)}" for depth in DEPTHS)
    print(f"{name:10} {'functions':11} {functions}\n{name:10} {'files':11} {files}")


def compare(name: str, ours: dict[str, list[bool]], theirs: dict[str, list[bool]], other: str) -> None:
    """Print the differences of two systems with their intervals."""
    for what, values in ours.items():
        mean, low, high = paired_bootstrap(values, theirs[what])
        print(f"{name} − {other}: {what:16} {mean:+7.1%}  [{low:+.1%}, {high:+.1%}]")


def outcomes(present: Sequence[Asked], traced: Sequence[Traced]) -> dict[str, list[bool]]:
    """Give what two systems are compared in, row by row."""
    found: dict[str, list[bool]] = defaultdict(list)
    for one in present:
        found["first"].append(one.place == 1)
        found["in five"].append(1 <= one.place <= 5)
        found["file in five"].append(1 <= one.file <= 5)
    for row in traced:
        found["issue files at 1"].append(row.files_at(1))
        if row.issue.functions:
            found["issue func at 5"].append(row.functions_at(5))
            found["issue func at 10"].append(row.functions_at(10))
    return found


def named(name: str) -> System:
    """Give a baseline by its name, or the function that MODULE:FUNCTION names."""
    if name in ("bm25", "grep"):
        rank = getattr(baselines, name)
        return lambda question, root, language: Answer(rank(question, root, language))
    module, _, function = name.partition(":")
    system: System = getattr(importlib.import_module(module), function)
    return system


def note_look(names: Sequence[str]) -> int:
    """Note a look at the held half beside the fetched packages, and count the looks so far."""
    notes = cache_folder() / "looks-at-the-held-half.txt"
    notes.parent.mkdir(parents=True, exist_ok=True)
    with notes.open("a", encoding="utf-8") as lines:
        lines.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {' '.join(names)}\n")
    return len(notes.read_text(encoding="utf-8").splitlines())


def main(arguments: Sequence[str]) -> None:
    """Run the systems and print their tables."""
    names = [word for word in arguments if not word.startswith("-")] or ["bm25", "grep"]
    half = next((half for half in HALVES[1:] if f"--{half}" in arguments), HALVES[0])
    if half != HALVES[0]:
        print(f"look {note_look([half, *names])} at what is kept from tuning")
    found: dict[str, dict[str, list[bool]]] = {}
    for name in dict.fromkeys([*names, "bm25"]):
        system = named(name)
        (present, missing), traced = ask(system, half), trace(system, half)
        report_questions(name, present, missing)
        report_issues(name, traced)
        found[name] = outcomes(present, traced)
        if "--misses" in arguments and half == "tune":
            _print_misses(present, traced)
    for name in names:
        if name != "bm25":
            compare(name, found[name], found["bm25"], "bm25")


def _print_misses(present: Sequence[Asked], traced: Sequence[Traced]) -> None:
    for one in present:
        if one.place != 1:
            got = ", ".join(map(str, one.answer.places[:5]))
            print(f"  {one.question.source.package}: {one.question.text}\n     {one.place}: {got}")
    for row in traced:
        if not row.functions_at(10):
            print(f"  {row.issue.source.package} {row.issue.source.version}: {row.issue.title}")


if __name__ == "__main__":
    main(sys.argv[1:])
