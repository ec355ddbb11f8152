"""Each containment case alone in the profile: how long the program takes to start, against its clean start.

    python benchmarks/containment.py [--runs 3] [CASE...]

The cases are those of tests/plugins/containment/cases.py. A row a case: the first start (with its probe) and the median
of later ones, wall clock and CPU, less the median clean start of the same time.
"""

from __future__ import annotations

import argparse
import os
import resource
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "tests" / "plugins" / "containment" / "cases.py"


def start(world: Path, home: str) -> tuple[float, float]:
    """Return wall clock and CPU seconds of one `inarch tools list`."""
    keep = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL")}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-P", "-m", "inarch", "tools", "list"],
        cwd=world / "project", env={**keep, "HOME": str(world / home), "PYTHONPATH": str(world / "site")},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=120,
    )  # fmt: skip
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(cases: dict[str, Any], name: str, runs: int) -> tuple[float, float, float]:
    """Return by how many seconds the first start of a case is later than a clean one, and later ones: wall, CPU."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder)
        for part in ("site", "project"):
            (world / part).mkdir()
        cases["install"](world / "site", "good", cases["GOOD"])
        cases["install"](world / "site", name, cases["CASES"][name])
        cases["write_profile"](world / "clean/.config/inarch/config.toml")
        cases["write_profile"](world / "home/.config/inarch/config.toml", name)
        start(world, "clean")
        first = start(world, "home")[0]
        pairs = [(start(world, "home"), start(world, "clean")) for _ in range(runs)]
        wall, cpu = (statistics.median(bad[i] for bad, _ in pairs) for i in (0, 1))
        clean_wall, clean_cpu = (statistics.median(clean[i] for _, clean in pairs) for i in (0, 1))
        return first - clean_wall, wall - clean_wall, cpu - clean_cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="CASE")
    given = parser.parse_args()
    cases = runpy.run_path(str(CASES))
    print(f"{'case':20} {'first':>9} {'later':>9} {'later, CPU':>11}   (seconds more than a clean start; reach: 1)")
    worst = 0.0
    for name in given.names or cases["CASES"]:
        first, later, cpu = measure(cases, name, given.runs)
        worst = max(worst, later)
        print(f"{name:20} {first:9.2f} {later:9.2f} {cpu:11.2f}", flush=True)
    print(f"worst later start: {worst:.2f} s more than a clean one")


if __name__ == "__main__":
    main()
