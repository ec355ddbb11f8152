"""Whether the right place is on the screen: `inarch QUESTION` is run as a process, and what it prints is judged.

    python benchmarks/finding/printed.py FILE.toml ... [--half HALF] [-v]

The files have the form of `questions/*.toml`. Each question is asked in its package's source tree, without a key and
80 columns wide. The places of an answer are those of its numbered items, else its different `path:line`, in order. A
place is right if it lies within the lines of an expected one, or if what is said of it names one of that file. The
heading is what a line begins with. `-v` prints each question with the rank of its right place. `--cold` asks
each question of a tree without an index.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import sets
from score import share
from sets import Place, Question
from warm_questions import PROGRAM, places

FOUND, LIKELY, NOT_HERE, NONE = "Found", "Likely one of these", "Probably not here", "no heading"
LONGEST = 25
"""Lines of an answer that fit on a screen."""
_PLACE = re.compile(r"([\w@+~./-]+\.\w+):(\d+)")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Printed(NamedTuple):
    """A question, the first right place's rank (0: none), the answer's heading, its lines and the exit code."""

    question: Question
    rank: int
    heading: str
    lines: int
    code: int


def asked(question: Question, environment: dict[str, str]) -> Printed:
    """Ask one question and judge what is printed."""
    root = question.source.root()
    words, nothing = [PROGRAM, question.text], subprocess.DEVNULL
    run = subprocess.run(words, cwd=root, env=environment, stdin=nothing, capture_output=True, check=False)
    text = _COLOUR.sub("", run.stdout.decode("utf-8", "replace")).strip()
    heading = next((one for one in (FOUND, LIKELY, NOT_HERE) if f"\n{one}" in f"\n{text}"), NONE)
    right = [is_right(root, place, line, question.expected) for place, line in places_of(text)]
    rank = right.index(True) + 1 if True in right else 0
    return Printed(question, rank, heading, len(text.splitlines()), run.returncode)


def places_of(text: str) -> Iterator[tuple[tuple[str, int], str]]:
    """Return the places of an answer in order, each with what is said of it."""
    for item in re.split(r"(?m)^(?=\d+\. )", text)[1:]:
        if found := _PLACE.search(item):
            yield (found[1].removeprefix("./"), int(found[2])), item
    if re.search(r"(?m)^\d+\. ", text):
        return
    known: set[tuple[str, int]] = set()
    for line in text.splitlines():
        for found in _PLACE.finditer(line):
            place = found[1].removeprefix("./"), int(found[2])
            if place not in known:
                known.add(place)
                yield place, line


def is_right(root: Path, place: tuple[str, int], said: str, expected: Sequence[Place]) -> bool:
    """Whether a place lies within an expected one, or its line of the answer names one of that file."""
    file, line = place
    for right in expected:
        if right.file != file:
            continue
        inside = (one for one in sets.definitions(root, file) if one.place.answers(right))
        last = re.escape(right.name.rpartition(".")[2])
        if any(one.first <= line <= one.last for one in inside) or re.search(rf"(?<!\w){last}(?!\w)", said):
            return True
    return False


def report(rows: Sequence[Printed]) -> None:
    there = [row for row in rows if row.question.expected]
    absent = Counter(row.heading for row in rows if not row.question.expected)
    first, five = share(row.rank == 1 for row in there), share(1 <= row.rank <= 5 for row in there)
    print(f"printed: first {first}  in five {five}  anywhere {share(row.rank > 0 for row in there)}")
    for heading in (FOUND, LIKELY, NOT_HERE, NONE):
        mine = [row for row in there if row.heading == heading]
        given, right = share(row.heading == heading for row in there), share(row.rank == 1 for row in mine)
        five = share(1 <= row.rank <= 5 for row in mine)
        print(f"{heading:20} given {given}  right first {right}  in five {five}  not there {absent[heading]}")
    long, failed = sum(row.lines > LONGEST for row in rows), sum(row.code != 0 for row in rows)
    print(f"longer than {LONGEST} lines: {long} of {len(rows)}; exit code not 0: {failed}")


def main() -> None:
    """Ask everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--half", default="", help="ask the questions of this half only")
    parser.add_argument("--cold", action="store_true", help="keep no index from question to question")
    parser.add_argument("-v", dest="verbose", action="store_true")
    chosen = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for number, question in enumerate(one for file in chosen.files for one in sets.questions_of(file)):
            if chosen.half in ("", question.half):
                folder = Path(home, str(number) if chosen.cold else "")
                rows.append(asked(question, places(folder) | {"COLUMNS": "80", "NO_COLOR": "1"}))
                said = f"{rows[-1].rank:3} {rows[-1].heading:20} {question.source.package}: {question.text}"
                if chosen.verbose:
                    print(said, flush=True)
    report(rows)


if __name__ == "__main__":
    main()
