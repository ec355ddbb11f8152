"""How well finding finds the place that a question is about, and whether it knows when it does not.

    python benchmarks/finding/score.py [--held | --fresh | --short] [--bm25] [--misses]

Each question is asked through the tool `find_symbols`. Without an option the half "tune" is asked. Of what is kept from
tuning (the half "held", the later set "fresh") only totals are printed, and each look is noted in the cache. `--short`
asks the short questions as people type them, which may be tuned on. `--bm25` ranks functions by plain BM25 beside it.

    first, five    questions whose right place came first, or among the first five; "file" asks for the right file only
    found, …       answers by confidence: how many are right first, in five, and how many are about what is not there
"""

from __future__ import annotations

import asyncio
import functools
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import sets
from fetch import cache_folder
from sets import HALVES, Place, Question

import inarch
from inarch_brief.offline.intents import parse
from inarch_brief.search.confidence import LIKELY, SURE

DEEPEST = 100
"""Places that are asked for: the most the tool gives."""
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Asked(NamedTuple):
    """A question with the places that came back for it, best first, and the confidence."""

    question: Question
    places: Sequence[Place]
    confidence: float = 0.0

    @property
    def place(self) -> int:
        """The rank of the first right place, 0 if there is none."""
        return _rank(any(found.answers(right) for right in self.question.expected) for found in self.places)

    @property
    def file(self) -> int:
        """The rank of the first right file among the files named."""
        files = dict.fromkeys(place.file for place in self.places)
        return _rank(any(found == right.file for right in self.question.expected) for found in files)


def _rank(right: Iterable[bool]) -> int:
    return next((rank for rank, one in enumerate(right, 1) if one), 0)


@functools.lru_cache(maxsize=2)
def composed(root: Path) -> inarch.App:
    """Compose Inarch once for each tree."""
    return inarch.compose(root=str(root), config={})


def found(question: Question) -> Asked:
    """Ask a question through the tool."""
    root = question.source.root()
    result = asyncio.run(composed(root).call_tool("find_symbols", {"query": question.text, "limit": DEEPEST}))
    if not result.success:
        raise SystemExit(f"{root.name}: {result.error}")
    places = [place_of(symbol) for symbol in result.data["symbols"] if symbol["kind"] != "module"]
    return Asked(question, places, result.data["confidence"])


def place_of(symbol: Mapping[str, Any]) -> Place:
    """Take the module, which the path ends with, off a qualified name."""
    stem = symbol["file"].rpartition(".")[0]
    if symbol["qualname"].startswith(f"{stem}."):  # of another language than Python
        return Place(symbol["file"], symbol["qualname"][len(stem) + 1 :])
    path = symbol["file"].removesuffix(".py").removesuffix("/__init__").split("/")
    parts = symbol["qualname"].split(".")
    module = max((count for count in range(1, len(parts)) if path[-count:] == parts[:count]), default=0)
    return Place(symbol["file"], ".".join(parts[module:]))


def bm25(question: Question) -> Asked:
    """Rank the functions of the product by BM25 (k1 1.2, b 0.75) over their whole source."""
    texts = counted(question.source.root())
    average = sum(map(Counter.total, texts.values())) / max(1, len(texts))
    scores: dict[Place, float] = defaultdict(float)
    for word in set(words(question.text)):
        having = {place: count for place, count in texts.items() if count[word]}
        rarity = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for place, count in having.items():
            norm = count[word] + 1.2 * (0.25 + 0.75 * count.total() / average)
            scores[place] += rarity * count[word] * 2.2 / norm
    return Asked(question, sorted(scores, key=lambda place: (-scores[place], place)))


def words(text: str) -> list[str]:
    """Cut a text at everything that is not a letter or digit, at underscores and at capitals."""
    return [piece.lower() for piece in _PIECES.findall(text)]


@functools.lru_cache(maxsize=2)
def counted(root: Path) -> dict[Place, Counter[str]]:
    """Return the words of each function of a tree's own code."""
    found: dict[Place, Counter[str]] = {}
    for file in sets.product_files(root):
        lines = (root / file).read_text("utf-8", "replace").splitlines()
        for one in sets.definitions(root, file):
            found[one.place] = Counter(words("\n".join(lines[one.first - 1 : one.last])))
    return found


def share(hits: Iterable[bool]) -> str:
    """Write a count and its share."""
    values = list(hits)
    return f"{sum(values):3}/{len(values):<3} {sum(values) / max(1, len(values)):6.1%}"


def report(name: str, asked: Sequence[Asked]) -> None:
    """Print how often the right place came first and in five, by language, and the answers by confidence."""
    present = [one for one in asked if one.question.expected]
    languages = Counter(one.question.language for one in present)
    for group in ["all", *languages] if len(languages) > 1 else ["all"]:
        rows = [one for one in present if group in ("all", one.question.language)]
        first, five = share(row.place == 1 for row in rows), share(1 <= row.place <= 5 for row in rows)
        files = share(row.file == 1 for row in rows), share(1 <= row.file <= 5 for row in rows)
        print(f"{name:6} {group:11} first {first}  five {five}   file first {files[0]}  five {files[1]}")
    lines = {"found": (SURE, 2.0), "likely": (LIKELY, SURE), "not here": (0.0, LIKELY)}
    for heading, (least, most) in lines.items() if name != "bm25" else ():
        rows = [row for row in asked if least <= row.confidence < most]
        there = [row for row in rows if row.question.expected]
        first, five = share(row.place == 1 for row in there), share(1 <= row.place <= 5 for row in there)
        given = f"given {len(there):3} of {len(present):3}  first {first}  five {five}"
        print(f"{name:6} {heading:11} {given}   not there {len(rows) - len(there)}")


def note_look(half: str) -> int:
    """Note a look at what is kept from tuning beside the fetched packages, and count the looks so far."""
    notes = cache_folder() / "looks-at-the-held-half.txt"
    notes.parent.mkdir(parents=True, exist_ok=True)
    with notes.open("a", encoding="utf-8") as lines:
        lines.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {half}\n")
    return len(notes.read_text(encoding="utf-8").splitlines())


def main(arguments: Sequence[str]) -> None:
    """Ask everything and print the tables."""
    half = next((half for half in HALVES[1:] if f"--{half}" in arguments), HALVES[0])
    if "--short" in arguments:
        rows = [row._replace(text=parse(row.text).subject or row.text) for row in sets.short_questions()]
    else:
        rows = [row for row in sets.questions() if row.half == half]
    if half != HALVES[0]:
        print(f"look {note_look(half)} at what is kept from tuning")
    rows.sort(key=lambda row: row.source)
    asked = [found(row) for row in rows]
    report("found", asked)
    if "--bm25" in arguments:
        report("bm25", [bm25(row) for row in rows])
    for one in asked if "--misses" in arguments and half == HALVES[0] else ():
        if one.question.expected and one.place != 1:
            got = ", ".join(map(str, one.places[:5]))
            print(f"  {one.question.source.package}: {one.question.text}\n     {one.place}: {got}")


if __name__ == "__main__":
    main(sys.argv[1:])
