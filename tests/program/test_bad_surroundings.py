"""Strange projects and surroundings: full disks, closed outputs, odd files, other programs at the same time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest

import inarch

from ..forking import LONGEST_S
from .beside import beside

pytestmark = pytest.mark.once

PROGRAM = (sys.executable, "-P", "-m", "inarch")
ASKED = "summarize this codebase"
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


def answered(done: Done) -> None:
    assert done.returncode == 0, done
    assert done.stdout.startswith("Offline planner") and "Traceback" not in done.stderr, done


@pytest.fixture
def shell(project: Path, environ: dict[str, str]) -> Run:
    """Run a shell line in which "$@" is the program."""

    def run(line: str, *words: str, **extra: str) -> Done:
        return subprocess.run(
            ["sh", "-c", line, "sh", *PROGRAM, *words], cwd=project, env=environ | extra, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def small_disk(project: Path, environ: dict[str, str], tmp_path: Path) -> Run:
    """Run a shell line with the state on a disk of 300 kB, mounted for it alone; $DISK is its folder."""
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = ("unshare", "-rm", "sh", "-c")
    mounted = f"mount -t tmpfs -o size=300k none {disk} && "
    if not shutil.which("unshare") or subprocess.run([*inside, f"{mounted}true"], check=False).returncode:
        pytest.skip("no disk can be mounted here")

    def run(line: str, *words: str) -> Done:
        outer = 'line=$0; exec unshare -rm sh -c "$line" sh "$@"'
        return subprocess.run(
            ["sh", "-c", outer, mounted + line, *PROGRAM, *words], cwd=project, timeout=LONGEST_S,
            env=environ | {"XDG_STATE_HOME": str(disk), "DISK": str(disk)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


FILL = "dd if=/dev/zero of=$DISK/filler bs=1k count=400 2>/dev/null; "


def test_a_disk_that_is_full_from_the_start(small_disk: Run) -> None:
    done = small_disk(FILL + '"$@"', ASKED)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no room to write" in done.stderr and "--no-journal" in done.stderr and beside(done.stderr).count("\n") == 1
    freed = small_disk(FILL + '"$@" 2>/dev/null; rm $DISK/filler; "$@"', ASKED)
    answered(freed)
    assert beside(freed.stderr) == ""
    kept_nothing = small_disk(FILL + '"$@"', ASKED, "--no-journal")
    answered(kept_nothing)
    assert beside(kept_nothing.stderr) == ""


def test_a_disk_that_fills_up_in_the_middle_keeps_what_was_there(small_disk: Run) -> None:
    line = '"$@" >/dev/null && dd if=/dev/zero of=$DISK/filler bs=1k count=400 2>/dev/null; "$@"; "$@" sessions list'
    done = small_disk(line.replace('"$@" sessions', '"$1" "$2" "$3" "$4" sessions'), ASKED)
    assert done.returncode == 0
    assert done.stdout.count(ASKED) >= 1
    assert "no room to write" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "words", "code"),
    [
        ('"$@" >&-', ("--version",), 1),
        ('"$@" >&-', ("sessions", "list"), 1),
        ('"$@" >/dev/full', ("--version",), 1),
        ('"$@" >/dev/full', (ASKED,), 1),
        ('"$@" >&-', (ASKED,), 1),
        ('"$@" <&-', (ASKED,), 0),
        ('"$@" <&- >&- 2>&-', (ASKED,), 1),
        ('"$@" 2>&-', ("toosl",), 2),
    ],
)
def test_closed_and_full_streams(shell: Run, line: str, words: tuple[str, ...], code: int) -> None:
    done = shell(line, *words)
    assert done.returncode == code, done
    full = "inarch: error: the output can't be written: No space left on device\n"
    closed = "inarch: error: the output can't be written: standard output is closed (to do without it: > /dev/null)\n"
    told = full if "/dev/full" in line else closed if ">&-" in line and "2>&-" not in line else ""
    assert beside(done.stderr) == told


@pytest.mark.parametrize(
    "extra",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "40"},
        {"XDG_STATE_HOME": "relative", "XDG_CACHE_HOME": "relative", "XDG_CONFIG_HOME": "relative"},
        {"XDG_CACHE_HOME": "/dev/null"},
        {"XDG_CONFIG_HOME": "/dev/null"},
    ],
)
def test_surroundings_that_are_poor_but_enough(cli: Run, project: Path, extra: dict[str, str]) -> None:
    (project / "caf\u00e9.py").write_text("def espresso() -> int:\n    return 1\n", encoding="utf-8")
    done = cli("where is espresso defined?", **extra)
    answered(done)
    assert "espresso" in done.stdout and beside(done.stderr) == ""
    assert not (project / "relative").exists()


def test_many_runs_at_once_all_answer_and_are_all_kept(cli: Run) -> None:
    with ThreadPoolExecutor(5) as threads:
        runs = [threads.submit(cli, "where is weigh defined?") for _ in range(5)]
    ends = [run.result() for run in runs]
    assert {(end.stdout, beside(end.stderr), end.returncode) for end in ends} == {(ends[0].stdout, "", 0)}, ends
    assert len(json.loads(cli("sessions", "list", "--json").stdout)) == 5


@pytest.mark.parametrize("words", [("--help", "--all"), ("doctor",), ("what is this",), ("ask", "x")])
def test_without_its_metadata_it_says_that_it_is_not_installed(words: tuple[str, ...], tmp_path: Path) -> None:
    for item in Path(click.__file__).parents[1].iterdir():
        if not item.name.lower().startswith(("inarch", "__editable__")):
            (tmp_path / item.name).symlink_to(item)
    for item in Path(inarch.__file__).parents[1].glob("inarch*"):  # the kernel and the libraries beside it
        if not item.name.endswith("-info"):
            (tmp_path / item.name).symlink_to(item)
    done = subprocess.run(
        [sys.executable, "-S", "-m", "inarch", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
    )
    if "--help" in words:
        assert (done.returncode, done.stderr) == (0, "") and "--version" in done.stdout
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("inarch: error: inarch is not installed") and done.stderr.count("\n") == 1
