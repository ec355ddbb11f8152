"""Questions of each approval mode for everyday commands and a session of 100 calls, and the milliseconds of `auto`.

    python benchmarks/autonomy.py [commands] [session] [times]

`commands` runs each line of `everyday_commands.txt` in a small repository, in each mode: with a front end that denies
and counts every question, and headless. A program that may be missing is a stub, so each line can start. `bypass` is
only judged: outside the sandbox, some lines would destroy the machine. `session` makes the calls of
`session_calls.txt` with a front end that approves. `times` runs one command by turns in `auto`, in `all`, by a grant
and bare, beside 10,000 tracked files and 40,000 in an ignored folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import inarch

HERE = Path(__file__).parent
RUN_MODES = ("none", "ask", "edits", "auto", "all")
STUBS = (
    "node", "npm", "cargo", "go", "tsc", "ruff", "black", "prettier", "jq", "sqlite3", "docker", "kubectl", "pytest",
    "pip", "sudo",
)  # fmt: skip
FILES = {
    "a.py": "def double(number):\n    return 2 * number\n\n\nprint(double(21))\n",
    "b.py": "x = 1\n",
    "src/a.py": "def greet(name):\n    return 'hello ' + name\n",
    "tests/test_a.py": "from src.a import greet\n\n\ndef test_greet():\n    assert greet('you') == 'hello you'\n",
    "package.json": '{"name": "p", "version": "1.0.0", "scripts": {"test": "true", "build": "true"}}\n',
    "Makefile": "all:\n\ttrue\n",
    "README.md": "# A project\n",
    ".env": "TOKEN=a-made-up-value-0123456789\n",
    ".gitignore": ".env\nnode_modules/\nbuild/\n",
    "build/out.txt": "built\n",
    "run.sh": "#!/bin/sh\ntrue\n",
}
RUNS, REACH_MS, REACH_LINES = 25, 15, 40
TOUCH = {"touch": {"argv": ["touch", "*"]}}


class Person:
    """A front end that gives one answer to all questions and counts them."""

    name = "counting"

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, 0

    def show(self, event: inarch.Event) -> None:
        """Ignore it."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Answer every question alike."""
        self.asked += len(batch)
        return [inarch.Approval(one.call.id, self.answer) for one in batch]

    def close(self) -> None:
        """Do nothing."""


class Project:
    """A repository in a home folder of its own, with a remote; the environment leads to both."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, programs = folder / "home", folder / "home" / "project", folder / "programs"
        self.root.mkdir(parents=True)
        programs.mkdir()
        for name in STUBS:
            (programs / name).write_text("#!/bin/sh\nexit 0\n")
            (programs / name).chmod(0o755)
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        self.environ = {"HOME": str(self.home), "PATH": path, "XDG_STATE_HOME": str(folder / "state")}
        os.environ.update(self.environ)
        self.fill()
        subprocess.run(["tar", "czf", "x.tgz", "README.md"], cwd=self.root, check=True)
        for words in ("init -q -b main", "add -A", "-c user.name=a -c user.email=a@b commit -qm 1"):
            subprocess.run(["git", *words.split()], cwd=self.root, check=True)
        subprocess.run(["git", "init", "-q", "--bare", str(folder / "remote")], check=True)
        subprocess.run(["git", "remote", "add", "origin", str(folder / "remote")], cwd=self.root, check=True)
        self.archive = (self.root / "x.tgz").read_bytes()

    def fill(self) -> None:
        """Write the files."""
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)

    def reset(self) -> None:
        """Bring everything but `.git` back; no command in a sandbox changes that."""
        for path in self.root.iterdir():
            if path.is_dir() and path.name != ".git":
                shutil.rmtree(path)
            elif path.name != ".git":
                path.unlink()
        self.fill()
        (self.root / "x.tgz").write_bytes(self.archive)

    @contextmanager
    def opened(self, mode: str, **config: Any) -> Iterator[inarch.App]:
        """Open an application in a mode; close it at the end."""
        flags = {"approve": mode}
        app = inarch.compose(root=self.root, config=config, flags=flags, journal=False, environ=self.environ)
        try:
            yield app
        finally:
            asyncio.run(app.aclose())


Call = Callable[[str, Mapping[str, Any]], Awaitable[inarch.ToolResult]]


def calling(app: inarch.App, person: Person | None) -> Call:
    """Return what makes a call as the model does, in one session."""
    scheduler = app.session(None).state.scheduler
    scheduler.front_end = person

    async def call(tool: str, arguments: Mapping[str, Any]) -> inarch.ToolResult:
        (made,) = await scheduler.run("", [inarch.PlannedCall(tool, arguments)], "user")
        assert made.result is not None
        return made.result

    return call


async def outcomes(app: inarch.App, person: Person | None, lines: Iterable[str], project: Project) -> list[str]:
    """Return what comes of each line: run, asked or refused."""
    call, found = calling(app, person), []
    for line in lines:
        project.reset()
        before = person.asked if person else 0
        result = await call("execute_command", {"command": line})
        asked = person is not None and person.asked > before
        assert result.error is None or result.error.code == "denied", (line, result.error)
        found.append("asked" if asked else "run" if result.success else "refused")
    return found


def judged(app: inarch.App, lines: Iterable[str]) -> list[str]:
    """Return what a mode would do with each line, without running it."""
    names = {"allow": "run", "ask": "asked"}
    found = (app.parts.tools.explain("execute_command", {"command": line}, app.workspace).decision for line in lines)
    return [names.get(one, "refused") for one in found]


def commands(folder: Path) -> None:
    """Print the table of the everyday commands."""
    project = Project(folder)
    lines = (HERE / "everyday_commands.txt").read_text("utf-8").splitlines()
    print(f"{len(lines)} everyday commands  {'run':>4}{'asked':>7}{'refused':>9}")
    for mode in RUN_MODES:
        for who, person in (("person", Person("deny")), ("headless", None)):
            with project.opened(mode) as app:
                found = asyncio.run(outcomes(app, person, lines, project))
                level = app.workspace.confinement().level
            count = Counter(found)
            reach = f"  level {level}, reach {REACH_LINES}" if (mode, who) == ("auto", "headless") else ""
            print(f"{mode:10}{who:10}{count['run']:>6}{count['asked']:>7}{count['refused']:>9}{reach}", flush=True)
            if reach:
                rest = [line for line, what in zip(lines, found, strict=True) if what != "run"]
    with project.opened("bypass") as app:
        count = Counter(judged(app, lines))
    print(f"{'bypass':10}{'judged':10}{count['run']:>6}{count['asked']:>7}{count['refused']:>9}")
    print(f"not run in auto, headless: {'; '.join(rest)}")


def session(folder: Path) -> None:
    """Print how many questions a session of calls has in each mode."""
    project = Project(folder)
    calls = [line.split(" ", 1) for line in (HERE / "session_calls.txt").read_text("utf-8").splitlines()]
    print(f"{len(calls)} calls of a session, each question approved once")
    for mode in ("ask", "edits", "auto"):
        project.reset()
        person = Person("approve")
        with project.opened(mode) as app:
            failed = asyncio.run(failures(calling(app, person), calls))
        print(f"{mode:10}{person.asked:>4} questions, {failed} calls that did not run", flush=True)


async def failures(call: Call, calls: Iterable[Sequence[str]]) -> int:
    """Make the calls; return how many did not run."""
    failed = 0
    for tool, arguments in calls:
        result = await call(tool, json.loads(arguments))
        failed += not result.success
    return failed


def times(folder: Path) -> None:
    """Print what a command takes in `auto`, in `all`, by a grant and bare."""
    project = Project(folder)
    for number in range(50_000):
        top = "node_modules/" if number >= 10_000 else ""
        path = project.root / f"{top}f{number // 100}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file {number}\n")
    subprocess.run(["git", "add", "-A"], cwd=project.root, check=True)
    with (
        project.opened("auto") as auto,
        project.opened("all") as everything,
        project.opened("ask", commands=TOUCH) as ask,
    ):
        asyncio.run(timed({"auto": auto, "all": everything, "granted": ask}, project.root))


def touch(root: Path) -> None:
    """Run the command without Inarch."""
    subprocess.run(["touch", "new.txt"], cwd=root, check=True, capture_output=True)


async def timed(apps: Mapping[str, inarch.App], root: Path) -> None:
    """Run a command by turns in each application, and bare."""
    took: dict[str, list[float]] = {name: [] for name in (*apps, "bare")}
    ways = {name: calling(app, None) for name, app in apps.items()}
    for number in range(RUNS + 1):
        for name in sorted(took, reverse=number % 2 == 1):
            begun = time.perf_counter()
            if name == "bare":
                touch(root)
            else:
                result = await ways[name]("execute_command", {"command": "touch new.txt"})
                assert result.success, result.error
            took[name].append((time.perf_counter() - begun) * 1000)
    middle = {name: statistics.median(all_of[1:]) for name, all_of in took.items()}
    print(f"`touch new.txt` beside 50,000 files, medians of {RUNS} runs")
    for name, value in middle.items():
        print(f"{name:10}{value:9.1f} ms, the first {took[name][0]:9.1f} ms")
    more = statistics.median(one - other for one, other in zip(took["auto"][1:], took["granted"][1:], strict=True))
    print(f"auto adds {more:.1f} ms to a granted command, the median of differences (reach {REACH_MS} ms)")


PARTS: dict[str, Callable[[Path], None]] = {"commands": commands, "session": session, "times": times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help="what to measure; everything by default")
    for name in parser.parse_args().part or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](Path(folder))


if __name__ == "__main__":
    main()
