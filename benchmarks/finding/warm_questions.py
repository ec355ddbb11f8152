"""CPU of a keyless one-shot question on a tree whose index is kept, against a bare start: `inarch --help`.

    python benchmarks/finding/warm_questions.py [--runs 15] [--without-django]

Each program runs as a person starts it, on an unpacked sdist, the processes that it starts counted with it; the
programs take turns, and the medians are compared. The first questions index and link the tree and aren't counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fetch import fetch_sdist

QUESTIONS = {
    "httpx": ("who calls request?", "how are redirects followed?", "what does Client.send do?"),
    "django": ("who calls resolve?", "how are migrations ordered?", "what does QuerySet.filter do?"),
}
VERSIONS = {"httpx": "0.28.1", "django": "5.2"}
PROGRAM = str(Path(sys.executable).parent / "inarch")
FIRST = 4
"""Questions until the index of a large tree is whole: each has a limit of time."""


def milliseconds(folder: Path, environment: dict[str, str], *words: str) -> float:
    """Give the CPU of one run with all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [PROGRAM, *words], cwd=folder, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def places(home: Path) -> dict[str, str]:
    """Give an environment without keys in which compiled files are kept, as a person's is."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_API_KEY") and name != "PYTHONDONTWRITEBYTECODE"
    }
    return {**kept, **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}}


def measured(name: str, home: Path, environment: dict[str, str], runs: int) -> float:
    """Print a row for each question about a package; give the CPU of the middle one."""
    folder = home / name
    shutil.copytree(fetch_sdist(name, VERSIONS[name]), folder)
    questions = QUESTIONS[name]
    for _ in range(FIRST):
        for question in questions:
            milliseconds(folder, environment, question)
    commands = [("--help",), *((question,) for question in questions)]
    rows = [[milliseconds(folder, environment, *words) for words in commands] for _ in range(runs)]
    bare, *spent = (statistics.median(column) for column in zip(*rows, strict=True))
    for question, cpu in zip(questions, spent, strict=True):
        times = round(cpu / bare, 2)
        reach = {"reach": 4} if name == "httpx" else {}  # of Django what counts is how it stands beside httpx
        print(json.dumps({"tree": name, "question": question, "times --help": times, "ms": round(cpu), **reach}))
    return float(statistics.median(spent))


def main() -> None:
    """Print the rows, and what a question on Django takes against one on httpx."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--without-django", action="store_true")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        environment = places(home)
        small = measured("httpx", home, environment, said.runs)
        if not said.without_django:
            large = measured("django", home, environment, said.runs)
            print(json.dumps({"what": "Django / httpx", "times": round(large / small, 2), "reach": 2}))


if __name__ == "__main__":
    main()
