"""`inarch tour` in a terminal, where keys are pressed, and in a pipe. It leaves nothing of its own behind."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inarch_plugins.tour.script import DENIED, END, PROMPT, STEPS

from ..running.program import PROGRAM, Run
from ..running.terminals import Open, Terminal

OVER_WITH = ("export ANTHROPIC_API_KEY", "code=0")


@pytest.fixture
def folder(tmp_path: Path, project: Path, environ: dict[str, str]) -> Iterator[str]:
    """The folder for temporary files. It is empty after the test, and project and home are unchanged."""
    place = tmp_path / "tmp"
    place.mkdir()
    before = files_of(project), files_of(Path(environ["HOME"]))
    yield str(place)
    assert list(place.iterdir()) == []
    assert (files_of(project), files_of(Path(environ["HOME"]))) == before


def files_of(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.fixture
def toured(terminal: Open, folder: str) -> Callable[[int], Terminal]:
    """Open a terminal of some columns in which the tour waits for the first prompt."""

    def open_tour(columns: int) -> Terminal:
        opened = terminal("tour", columns=columns, lines=40, fork=False, TMPDIR=folder, ANTHROPIC_API_KEY="sk-none")
        opened.until("tour/scripted")
        return opened

    return open_tour


def press(opened: Terminal, key: str, until: str) -> None:
    """Press a key until it counts: a question ignores one that comes too early."""
    end = time.monotonic() + 60
    time.sleep(1)
    while until not in " ".join(opened.screen().split()):
        assert time.monotonic() < end, opened.screen()
        opened.type(key)
        waited = time.monotonic() + 4
        while until not in " ".join(opened.screen().split()) and time.monotonic() < waited:
            time.sleep(0.1)


@pytest.mark.once
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_keys_lead_through_the_tour(toured: Callable[[int], Terminal], columns: int) -> None:
    opened = toured(columns)
    opened.type(PROMPT, "Enter")
    opened.until(STEPS[1].text[:12])
    for text in [*(step.text for step in STEPS[2:]), END]:
        press(opened, "a", text[:12])
    opened.until("no tokens")
    opened.type("", "C-u")
    opened.type("/undo", "Enter")
    opened.until("undone: turn 1")
    opened.type("", "C-d")
    opened.until("Press Enter to replay")
    opened.type("", "Enter")
    opened.until("same: 1 turn", *OVER_WITH)


@pytest.mark.once
def test_a_person_denies_asks_otherwise_cancels_and_leaves(toured: Callable[[int], Terminal]) -> None:
    opened = toured(80)
    opened.type("what is the meaning of life?", "Enter")
    opened.until(STEPS[1].text[:12])
    press(opened, "d", "why not")
    opened.type("too risky", "Enter")
    opened.until(DENIED[:12], "no tokens")
    opened.type("", "C-u")
    opened.type("who are you?", "Enter")
    opened.until("> who are you?")
    time.sleep(1)
    opened.type("", "C-c")
    opened.until("cancelled")
    opened.type("", "C-d")
    opened.until("Press Enter to replay")
    opened.type("", "C-c")
    opened.until(*OVER_WITH)


def test_a_pipe_gets_the_whole_tour(cli: Run, folder: str) -> None:
    done = cli("tour", "--plain", PATH="/nowhere", TMPDIR=folder)
    assert (done.returncode, done.stderr) == (0, "")
    for text in (*(step.text for step in STEPS), END, "undone: turn 1", "same: 1 turn", OVER_WITH[0]):
        assert text in done.stdout
    assert done.stdout.count(END[:20]) == 1 and "\x1b" not in done.stdout and "\r" not in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_copy(folder: str, project: Path, environ: dict[str, str], number: int) -> None:
    words = [*PROGRAM, "tour", "--plain"]
    with subprocess.Popen(words, cwd=project, env=environ | {"TMPDIR": folder}, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert any(b"First I read the code" in line for line in process.stdout)
        process.send_signal(number)
        process.stdout.read()
    assert process.returncode == 130
