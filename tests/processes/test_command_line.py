"""Processes through the command line: told when the program ends, gone however it ends, and a terminal that wakes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ..running.program import PROGRAM, Run
from ..running.terminals import Open

pytestmark = [pytest.mark.needs("confinement"), pytest.mark.once]

SERVING = ("--plugin", str(Path(__file__).with_name("serving.py")), "--model", "serving/starts", "--approve", "all")
READY = "? for help"
FOREVER = "import time\nprint('up', flush=True)\ntime.sleep(600)\n"
Until = Callable[[], object]


def until(found: Until) -> None:
    """Wait until something is there."""
    for _ in range(600):
        if found():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come")


def runs(marker: str) -> bool:
    """Whether a Python on this machine runs a program of this name."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            return True
    return False


def test_one_prompt_tells_what_it_leaves_and_leaves_nothing(cli: Run, project: Path) -> None:
    (project / "forever_a.py").write_text(FOREVER)
    done = cli(*SERVING, "start: python3 forever_a.py")
    assert done.returncode == 0 and "so it is" in done.stdout, done.stderr
    assert "1 running, until stopped or Inarch ends: p1 (python3 forever_a.py)" in done.stderr
    assert not runs("forever_a.py")
    shown = cli("sessions", "show", cli("sessions", "list").stdout.split()[0])
    assert "start_process" in shown.stdout


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_however_inarch_ends_nothing_is_left(project: Path, environ: dict[str, str], number: signal.Signals) -> None:
    name, daemon = f"forever_{number.name}.py", f"daemon_{number.name}.py"
    (project / "slow.py").write_text("import time; time.sleep(600)")
    (project / daemon).write_text(FOREVER)
    (project / name).write_text(
        f"import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        f"        os.execvp('python3', ['python3', '{daemon}'])\n    os._exit(0)\n{FOREVER}"
    )
    words = (*PROGRAM, *SERVING, f"start: python3 {name} then python3 slow.py")
    program = subprocess.Popen(
        words, cwd=project, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: runs(name) and runs(daemon) and runs("slow.py"))
    finally:
        program.send_signal(number)
        program.wait(60)
    until(lambda: not (runs(name) or runs(daemon)))


def test_a_replay_starts_nothing(cli: Run, project: Path) -> None:
    (project / "marks.py").write_text("open('marks.txt', 'a').write('ran\\n')\nimport time; time.sleep(600)")
    assert cli(*SERVING, "start: python3 marks.py").returncode == 0
    assert (project / "marks.txt").read_text() == "ran\n"
    done = cli("replay", cli("sessions", "list").stdout.split()[0], "--plugin", SERVING[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "marks.txt").read_text() == "ran\n"


def test_a_conversation_that_waits_wakes_and_lists_what_runs(terminal: Open, project: Path) -> None:
    (project / "ending.py").write_text("import time; time.sleep(6); print('port taken'); raise SystemExit(3)")
    opened = terminal(*SERVING, columns=100, lines=45)
    opened.until(READY)
    opened.type("start: python3 ending.py", "Enter")
    opened.until("so it is", "1 running, until stopped or Inarch ends")
    opened.type("/processes", "Enter")
    opened.until("p1 (python3 ending.py) has been running for")
    opened.until("was told [From the plugin processes", "ended with exit code 3", "port taken")
    opened.type("/processes stop p7", "Enter")
    opened.until("there is no process 'p7'")
