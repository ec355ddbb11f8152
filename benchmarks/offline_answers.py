"""How often the offline search names the right symbol first, and among the first five.

Each question of `offline_questions.toml` is asked through the tool `find_symbols` as the offline planner calls it, on
the unpacked source distribution. Only the half "tune" may be looked at while the search is tuned: of the other half
nothing but the totals is ever printed.

    python benchmarks/offline_answers.py            the table
    python benchmarks/offline_answers.py --misses   the tune half's questions that were not answered first
"""

from __future__ import annotations

import asyncio
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fetch import fetch_sdist

Ask = Callable[[str], Sequence[str]]
QUESTIONS = Path(__file__).with_name("offline_questions.toml")


def opened(root: Path) -> tuple[Ask, Callable[[], None]]:
    """Give a function that asks about a tree, and one that lets go of it."""
    import inarch

    app = inarch.compose(root=str(root), config={})

    def ask(question: str) -> Sequence[str]:
        result = asyncio.run(app.call_tool("find_symbols", {"query": question, "limit": 5}))
        if not result.success:
            raise SystemExit(f"{root.name}: {result.error}")
        return [symbol["qualname"] for symbol in result.data["symbols"]]

    return ask, app.close


def rank(found: Sequence[str], expected: Sequence[str]) -> int:
    """Give the place of the first right answer, 0 if there is none; a class stands for its methods, too."""
    for place, name in enumerate(found, 1):
        if any(name == right or name.startswith(f"{right}.") for right in expected):
            return place
    return 0


def main(arguments: Sequence[str]) -> None:
    """Ask everything and print the table."""
    questions: list[dict[str, Any]] = tomllib.loads(QUESTIONS.read_text())["questions"]
    packages = dict.fromkeys((question["package"], question["version"]) for question in questions)
    places: dict[str, list[int]] = defaultdict(list)
    table: list[tuple[str, str, list[int]]] = []
    for package, version in packages:
        ask, close = opened(fetch_sdist(package, version))
        mine: dict[str, list[int]] = defaultdict(list)
        for question in questions:
            if (question["package"], question["version"]) != (package, version):
                continue
            found = ask(question["question"])
            place = rank(found, question["expected"])
            mine[question["half"]].append(place)
            if "--misses" in arguments and question["half"] == "tune" and place != 1:
                print(f"{package}: {question['question']}\n   place {place} of {list(found)}")
                print(f"   expected {question['expected']}")
        close()
        for half, values in mine.items():
            places[half] += values
            table.append((package, half, values))
    if "--packages" in arguments:
        for package, half, values in table:
            if half == "tune":
                print(f"{package:14} {half:6} {_figures(values)}")
    for half, values in sorted(places.items()):
        print(f"{'all':14} {half:6} {_figures(values)}")


def _figures(values: Sequence[int]) -> str:
    count, first, five = len(values), sum(value == 1 for value in values), sum(1 <= value <= 5 for value in values)
    return f"first {first:3}/{count} {first / count:6.1%}   first five {five:3}/{count} {five / count:6.1%}"


if __name__ == "__main__":
    main(sys.argv[1:])
