"""A copy ends with its processes, however they end; its change stays, and its session goes on with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..running.program import PROGRAM
from .conftest import Ran, asking, command, git, write

Inarch = Callable[..., Ran]
SLEEPING = (command("sh -c 'echo begun > begun.txt; sleep 600'"),)


def until(what: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def in_the_copy(state: Path) -> dict[int, str]:
    """Return the processes that are in a copy below a folder, with their command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and str(state) in (entry / "mountinfo").read_text():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return found


@contextmanager
def running(repository: Path, environ: dict[str, str], *flags: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a session whose command sleeps in a copy; give the outer process and the folder of the change."""
    above = Path(environ["XDG_STATE_HOME"]) / "inarch/changes"
    with subprocess.Popen(
        [*PROGRAM, *asking(SLEEPING, *flags)], cwd=repository, env=environ, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as outer:  # fmt: skip
        try:
            until(lambda: [*above.glob("*/upper/begun.txt")])
            yield outer, next(iter(above.glob("*")))
        finally:
            outer.kill()


@pytest.mark.parametrize("killed", ["outer", "inner"])
def test_after_a_kill_nothing_runs_and_the_session_goes_on_with_its_change(
    inarch: Inarch, repository: Path, environ: dict[str, str], killed: str
) -> None:
    before = git(repository, "status", "--short", "--ignored")
    with running(repository, environ) as (outer, folder):
        inside = in_the_copy(folder)
        inner = next(number for number, line in inside.items() if "obeying" in line)
        assert inner != outer.pid and outer.pid not in inside
        os.kill(outer.pid if killed == "outer" else inner, signal.SIGKILL)
        outer.wait(30)
        until(lambda: not in_the_copy(folder))
    assert git(repository, "status", "--short", "--ignored") == before
    (waiting,) = json.loads(inarch("changes", "--json").stdout)
    assert waiting["id"] == folder.name and len(waiting["sessions"]) == 1
    ran = inarch(*asking([command("cat begun.txt"), write("more.txt", "x\n")], "--session", waiting["sessions"][0]))
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["waiting"]) == (0, folder.name)
    assert told["turn"]["calls"][0]["result"]["data"]["output"] == "begun\n"
    assert inarch("apply", folder.name).returncode == 0
    assert (repository / "begun.txt").exists() and (repository / "more.txt").exists() and not folder.exists()


def test_only_one_session_or_review_works_with_a_change(
    inarch: Inarch, repository: Path, environ: dict[str, str]
) -> None:
    with running(repository, environ) as (_, folder):
        for words in (asking([command("ls")], "--continue"), ["apply", folder.name], ["discard", folder.name]):
            ran = inarch(*words)
            assert ran.returncode == 2 and "in use" in ran.stderr
        # Another session has a copy of its own.
        ran = inarch(*asking([write("a.txt", "x\n")]))
        assert ran.returncode == 0 and json.loads(ran.stdout)["waiting"] != folder.name
    until(lambda: not in_the_copy(folder))


def test_changes_of_long_ago_are_removed(inarch: Inarch, repository: Path, environ: dict[str, str]) -> None:
    folder = Path(environ["XDG_STATE_HOME"]) / "inarch/changes"
    old = json.loads(inarch(*asking([write("a.txt", "x\n")])).stdout)["waiting"]
    os.utime(folder / old, (0, 0))
    ran = inarch(*asking([write("b.txt", "x\n")]))
    assert f"change {old} was removed" in ran.stderr
    assert [path.name for path in folder.iterdir()] == [json.loads(ran.stdout)["waiting"]]
    assert "1 changes wait" in inarch("doctor").stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_full_disk_of_the_copy_is_told_and_leaves_the_original(
    inarch: Inarch, repository: Path, environ: dict[str, str]
) -> None:
    state = Path(environ["XDG_STATE_HOME"]) / "inarch/changes"
    state.mkdir(parents=True)
    fill = command("sh -c 'head -c 9000000 /dev/zero > big; echo ended $?'")
    line = f'mount -t tmpfs -o size=4m none {state} && exec "$@" && ls -A {state}'
    words = ["unshare", "-m", "sh", "-c", line, "sh", *PROGRAM, *asking([fill, command("ls -l big")])]
    ran = subprocess.run(words, cwd=repository, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    told = json.loads(ran.stdout)
    assert ran.returncode == 0 and "ended 1" in told["turn"]["calls"][0]["result"]["data"]["output"], ran.stderr
    assert "No space" in told["turn"]["calls"][0]["result"]["data"]["output"] and not (repository / "big").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts an overlay")
def test_without_a_place_for_changes_it_is_refused_and_says_what_to_do(
    inarch: Inarch, repository: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    state, parts = Path(environ["XDG_STATE_HOME"]) / "inarch/changes", tmp_path / "parts"
    for folder in (state, parts / "u", parts / "w"):
        folder.mkdir(parents=True)
    options = f"lowerdir={state},upperdir={parts}/u,workdir={parts}/w"
    line = f'mount -t overlay -o {options} none {state} && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", line, "sh", *PROGRAM, *asking([write("a.txt", "x\n")])]
    ran = subprocess.run(words, cwd=repository, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert ran.returncode == 2 and "--approve auto" in ran.stderr and "work tree" in ran.stderr, ran.stderr
    assert not ran.stdout and not (repository / "a.txt").exists() and not [*state.iterdir()]
