"""Print how many tests each folder has, how they ended and how many seconds they took.

From the files of a test run, or from a run of each folder that is named, alone, one after the other. What failed is
named at the end, with the last lines of its report: long runs are read from there. So is what `.ci/twice` ran again.

    python benchmarks/tests_by_folder.py .tox/*/results.xml
    python benchmarks/tests_by_folder.py --tests 20 .tox/py/results.xml     the slowest twenty as well
    python benchmarks/tests_by_folder.py --than before.xml after.xml        before and after side by side
    python benchmarks/tests_by_folder.py tests/*/                           `pytest FOLDER` for each: how long one waits

Of a folder that is run, `waited` is from the start of its process to the end, as `tox -e py -- FOLDER` runs it in an
environment that exists. Other seconds are of set-up, test and tear-down together, as pytest saw them: several processes
at once make the sum longer than the run was, and a busy machine makes each longer. Compare runs of one machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

FAULTS = ("failure", "error")
LINES = 30  # of a failed test's report


class Test(NamedTuple):
    """A test as the file has it."""

    folder: str
    name: str
    seconds: float
    outcome: str
    report: str


def tests_of(file: Path) -> Iterator[Test]:
    """Read one file of `pytest --junitxml`."""
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        module = case.get("classname", "").split(".")
        folder = "/".join(module[: 2 if module[0] in ("tests", "contrib") and len(module) > 2 else 1])
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & set(FAULTS) else "skipped" if "skipped" in kinds else "passed"
        report = "\n".join(child.text or "" for child in case if child.tag in FAULTS)
        yield Test(folder, f"{'.'.join(module)}::{case.get('name')}", float(case.get("time", 0)), outcome, report)


def run(folder: Path, processes: int) -> tuple[list[Test], float]:
    """Run the tests of one folder as a contributor would and return how they went and how long that took."""
    with TemporaryDirectory(prefix="tests-") as kept:
        file = Path(kept, "results.xml")
        began = time.monotonic()
        options = ["-n", str(processes), "--dist", "worksteal", "-m", "not slow", f"--junitxml={file}"]
        command = [sys.executable, "-m", "pytest", *options, str(folder)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        waited = time.monotonic() - began
        if not file.exists():
            sys.exit(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
        return list(tests_of(file)), waited


def table(tests: list[Test], than: dict[str, float]) -> None:
    """Print a line a folder, the slowest first, then the sum."""
    seconds: dict[str, float] = {}
    counts: dict[str, Counter[str]] = {}
    for test in tests:
        for folder in (test.folder, "all"):
            seconds[folder] = seconds.get(folder, 0) + test.seconds
            counts.setdefault(folder, Counter())[test.outcome] += 1
    print(f"{'folder':28}{'passed':>8}{'skipped':>9}{'failed':>8}{'seconds':>10}{'before':>10}"[: 73 if than else 63])
    for folder in sorted(seconds, key=lambda name: (name == "all", -seconds[name])):
        count = counts[folder]
        line = f"{folder:28}{count['passed']:8}{count['skipped']:9}{count['failed']:8}{seconds[folder]:10.1f}"
        print(line + (f"{than.get(folder, 0):10.1f}" if than else ""))


def main() -> None:
    """Read the files and run the folders that are named, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    parser.add_argument("--processes", type=int, default=3, metavar="N", help="of a folder that is run")
    parser.add_argument("--tests", type=int, default=0, metavar="N", help="name the N slowest tests, too")
    parser.add_argument("--than", type=Path, metavar="FILE", help="an earlier run to compare with")
    given = parser.parse_args()
    than: dict[str, float] = {}
    for test in tests_of(given.than) if given.than else ():
        for folder in (test.folder, "all"):
            than[folder] = than.get(folder, 0) + test.seconds
    failed = []
    again = []
    for file in given.files:
        tests, waited = run(file, given.processes) if file.is_dir() else (list(tests_of(file)), None)
        failed += [(file, test) for test in tests if test.outcome == "failed"]
        again += tests if file.name == "again.xml" else []
        print(f"\n{file}" + (f"  waited {waited:.1f} s" if waited is not None else ""))
        table(tests, than)
        for test in sorted(tests, key=lambda one: -one.seconds)[: given.tests]:
            print(f"{test.seconds:9.1f} s  {test.name}")
    for file, test in failed:
        print(f"\nFAILED {test.name} ({file})", *test.report.rstrip().splitlines()[-LINES:], sep="\n    ")
    for test in again:
        print(f"\nRAN AGAIN, alone, and {test.outcome}: {test.name}")


if __name__ == "__main__":
    main()
