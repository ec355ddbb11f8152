"""Break code on purpose, one place at a time, and tell which faults no test notices.

    python benchmarks/mutants.py core/inarch/calls/ordering.py --tests tests/calls
    python benchmarks/mutants.py plugins/inarch_undo/*.py --tests tests/undo
    python benchmarks/mutants.py FILE --tests TESTS --line 120 --budget 600     one line again, by all its tests

First every test runs once, and what lines it comes by is noted. Then each fault of `mutations.py` is put into the
functions as they are loaded, in a fork of its own, and the tests that come by its lines run, the quick ones first,
until one fails or `--budget` seconds of tests are spent. What caches keep is forgotten before. What runs at import is
broken there: in a fork, too, the module is loaded again with the fault and so are those that took something from it
(`loading_again.py`), and the tests run that pass if it is loaded again without one. What survives that is broken once
more in a new interpreter, which is ten times slower and has nothing that is older than the fault.

A survivor is a behaviour without a test, or code that nothing depends on: read it before you believe it. What runs
only in processes that tests start is told as never reached.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from itertools import islice
from pathlib import Path
from shutil import rmtree
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from loading_again import forgetting, load_again
from mutations import Mutation, mutations_of

BROKEN = "INARCH_BENCH_BROKEN"
"""For a new interpreter: the file and the number of its fault."""
ARGUMENTS = ("-n", "0", "-p", "no:faulthandler", "-W", "ignore:Module already", "--hypothesis-profile=mutants")
EVERY = range(1_000_000)
"""The lines of any file."""
Key = tuple[str, int]


class Seen(NamedTuple):
    """What a test came by when nothing was broken."""

    test: str
    seconds: float
    passed: bool
    lines: dict[str, list[int]]


class Again(NamedTuple):
    """What a file that is loaded again without a fault comes by, and the tests that pass then."""

    lines: set[int]
    tests: set[str]


class Outcomes:
    """Hears how the test went that runs now."""

    def __init__(self) -> None:
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed


class Mutants:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.files = {str(file.resolve()): file for file in options.files}
        self.counts: dict[str, Counter[str]] = {}
        self.again: dict[str, Again] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.items = {item.nodeid: item for item in session.items}
        self.forget = forgetting(self.files)
        self.seen = self._looked()
        self.live = {place: live_functions(place) for place in self.files}
        self.whole = {place: compile(file.read_text("utf-8"), place, "exec") for place, file in self.files.items()}
        gc.freeze()  # forks share what is here as long as nobody counts it
        for place in self.files:
            self._break(place)
        return True

    def _looked(self) -> list[Seen]:
        file = self.folder / "seen"
        forked(lambda: self._look(file), 3600, self.folder)
        seen = [Seen(*json.loads(line)) for line in file.read_text().splitlines()]
        for one in seen:
            if not one.passed:
                print(f"fails unbroken, left out: {one.test}")
        print(f"{len(seen)} tests, {sum(one.seconds for one in seen):.0f} s", flush=True)
        return sorted((one for one in seen if one.passed), key=lambda one: one.seconds)

    def _look(self, file: Path) -> bool:
        with file.open("w") as out:
            for item in self.items.values():
                lines: dict[str, set[int]] = {place: set() for place in self.files}
                began = time.monotonic()
                self.forget()
                with Traced(lines):
                    passed = runs([item])
                found = {place: sorted(there) for place, there in lines.items() if there}
                if found:
                    out.write(json.dumps((item.nodeid, time.monotonic() - began, passed, found)) + "\n")
        return True

    def _break(self, place: str) -> None:
        file = self.files[place]
        counts = self.counts[place] = Counter()
        chosen: Counter[int] = Counter()
        for number, mutation in enumerate(mutations_of(file.read_text("utf-8"))):
            if self.options.line and mutation.line not in self.options.line:
                continue
            if self.options.a_line and chosen[mutation.line] >= self.options.a_line:
                continue
            chosen[mutation.line] += 1
            outcome = self._outcome(place, number, mutation)
            counts[outcome] += 1
            if outcome not in ("caught", "no change"):
                print(f"{file}:{mutation.line}: {outcome}: {mutation.text}", flush=True)
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        print(f"{file}: {sum(counts.values())} faults: {told}", flush=True)

    def _outcome(self, place: str, number: int, mutation: Mutation) -> str:
        try:
            code = compile(mutation.build(), place, "exec")
        except (SyntaxError, ValueError):
            return "no change"
        whole = self.whole[place]
        if code == whole:
            return "no change"
        unbroken = dict(codes_of(whole))
        others = [(key, other) for key, other in codes_of(code) if other != unbroken.get(key)]
        swaps = [(function, other) for key, other in others for function in self.live[place].get(key, ())]
        lines = range(mutation.line, mutation.end + 1)
        at_import = not swaps or not self._again(place).lines.isdisjoint(lines)
        tests = list(self._tests(place, lines))
        if not at_import and not tests:
            return "never reached"

        def broken() -> bool:
            self.forget()
            for function, other in swaps:
                function.__code__ = other
            return runs([self.items[one.test] for one in tests])

        if swaps and tests and not forked(broken, 10 + 3 * sum(one.seconds for one in tests), self.folder):
            return "caught"
        return self._at_import(place, number, code) if at_import else "survived"

    def _again(self, place: str) -> Again:
        if place not in self.again:
            file = self.folder / "again"
            tests = list(self._tests(place, EVERY))

            def look() -> bool:
                lines: dict[str, set[int]] = {place: set()}
                with Traced(lines):
                    load_again(place, self.whole[place])
                with file.open("w") as out:
                    print(json.dumps(sorted(lines[place])), file=out, flush=True)
                    for one in tests:
                        if runs([self.items[one.test]]):
                            print(one.test, file=out, flush=True)
                return True

            file.write_text("")
            forked(look, 60 + 3 * sum(one.seconds for one in tests), self.folder)
            lines, *passed = file.read_text().splitlines() or ["[]"]
            self.again[place] = Again(set(json.loads(lines)), set(passed))
        return self.again[place]

    def _tests(self, place: str, lines: Iterable[int]) -> Iterator[Seen]:
        spent = 0.0
        for one in self.seen:
            if not set(one.lines.get(place, ())).isdisjoint(lines):
                spent += one.seconds
                if spent > self.options.budget:
                    return
                yield one

    def _at_import(self, place: str, number: int, code: CodeType) -> str:
        tests = list(self._tests(place, EVERY))
        quick = [one for one in tests if one.test in self._again(place).tests]

        def broken() -> bool:
            load_again(place, code)
            return runs([self.items[one.test] for one in quick])

        if quick and not forked(broken, 10 + 3 * sum(one.seconds for one in quick), self.folder):
            return "caught"
        path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        environ = os.environ | {BROKEN: f"{number}:{place}", "PYTHONPATH": path}
        command = [sys.executable, "-m", "pytest", "-x", "-p", "mutants", *ARGUMENTS]
        try:
            ended = subprocess.run(
                [*command, f"--basetemp={self.folder / 'files'}", *(one.test for one in tests)], env=environ,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                timeout=30 + 3 * sum(one.seconds for one in tests),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "caught"
        finally:
            rmtree(self.folder / "files", ignore_errors=True)
        return "survived" if ended.returncode == 0 else "caught"


def forked(work: Callable[[], bool], seconds: float, folder: Path) -> bool | None:
    """Do it in a fork and return what came of it, None where it took too long or ended with an error of its own."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        signal.alarm(int(seconds) + 5)  # a fault may be an endless loop, and whoever waits for it may be killed
        null = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(null, number)
        code = 3
        with suppress(BaseException):
            code = 0 if work() else 1
        os._exit(code)
    until, pause = time.monotonic() + seconds, 0.002
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < until:
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # and what it started
    _, status = os.waitpid(pid, 0)
    rmtree(folder / "files", ignore_errors=True)
    return {0: True, 1: False}.get(os.waitstatus_to_exitcode(status))


def runs(items: Sequence[pytest.Item]) -> bool:
    """Run tests until one fails."""
    outcomes = Outcomes()
    items[0].config.pluginmanager.register(outcomes)
    for item, after in zip(items, [*items[1:], None], strict=True):
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
        if outcomes.failed:
            break
    items[0].config.pluginmanager.unregister(outcomes)
    return not outcomes.failed


class Traced:
    """Notes the lines of some files that run meanwhile, in any thread that begins meanwhile."""

    def __init__(self, lines: dict[str, set[int]]) -> None:
        self.lines = lines

    def _called(self, frame: FrameType, event: str, value: object) -> Any:
        there = self.lines.get(frame.f_code.co_filename)
        if there is None:
            return None
        there.add(frame.f_lineno)

        def stepped(frame: FrameType, event: str, value: object) -> Any:
            there.add(frame.f_lineno)
            return stepped

        return stepped

    def __enter__(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def __exit__(self, *raised: object) -> None:
        sys.settrace(None)
        threading.settrace(None)


def live_functions(place: str) -> dict[Key, list[FunctionType]]:
    """Return the functions of a file as they are loaded, by what tells them apart."""
    found: dict[Key, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename == place:
            found.setdefault(key_of(one.__code__), []).append(one)
    return found


def codes_of(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    """Yield the functions of compiled code, also those within others."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield key_of(inner), inner
            yield from codes_of(inner)


def key_of(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def break_at_import() -> None:
    """Let the file that the environment names be loaded with its fault."""
    number, _, place = os.environ[BROKEN].partition(":")
    mutation = next(islice(mutations_of(Path(place).read_text("utf-8")), int(number), None))
    whole = SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> CodeType | None:
        return compile(mutation.build(), place, "exec") if loader.path == place else whole(loader, name)

    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010


def main() -> int:
    """Break each file and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--line", nargs="+", type=int, help="only the faults that begin in these lines")
    parser.add_argument("--a-line", type=int, default=0, help="at most so many faults that begin in a line")
    parser.add_argument("--budget", type=float, default=6, help="seconds of tests that a fault may take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        mutants = Mutants(options, folder)
        pytest.main([*ARGUMENTS, f"--basetemp={folder / 'files'}", *options.tests], plugins=[mutants])
    return 0


# No shrinking: that a test fails is enough. No examples of earlier runs: the next fault is another one.
settings.register_profile(
    "mutants", deadline=None, derandomize=True, database=None, max_examples=25,
    phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
)  # fmt: skip
if BROKEN in os.environ:
    break_at_import()
if __name__ == "__main__":
    sys.exit(main())
