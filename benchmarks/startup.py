"""Start-up: CPU of `inarch --version` against `python -c pass`, and of `inarch --help` against an empty click group.

    python benchmarks/startup.py [--runs 30]

Prints one JSON line a row: the ratio of the medians, measured in one run with the programs taking turns.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from inarch.plugins.discovery import discover

GROUP = """
import click

@click.group()
def program():
    "An empty group."

for name in {names!r}:
    program.command(name, help="A command.")(lambda: None)

program()
"""


def cpu_of(argv: list[str]) -> float:
    """Return the user and system seconds that one run of a program takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(what: str, ours: list[str], base: list[str], reach: float, runs: int) -> None:
    """Run both in turns and print the ratio of their medians."""
    for argv in (ours, base):  # compiled files and caches are there
        cpu_of(argv)
    pairs = [(cpu_of(ours), cpu_of(base)) for _ in range(runs)]
    ours_s, base_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    row = {"what": what, "ratio": round(ours_s / base_s, 2), "reach": reach, "ours_ms": round(ours_s * 1000, 1),
           "base_ms": round(base_s * 1000, 1), "runs": runs}  # fmt: skip
    print(json.dumps(row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    program = str(Path(sys.executable).parent / "inarch")
    names = sorted(name for name in discover().commands if "." not in name)  # those with a dot are of groups
    with tempfile.TemporaryDirectory() as folder:
        group = os.path.join(folder, "group.py")
        Path(group).write_text(GROUP.format(names=names))
        compare("inarch --version / python -c pass", [program, "--version"], [sys.executable, "-c", "pass"], 2.2, runs)
        compare("inarch --help / click group", [program, "--help"], [sys.executable, group, "--help"], 1.6, runs)


if __name__ == "__main__":
    main()
