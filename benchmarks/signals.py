"""Ctrl-C, SIGTERM and SIGHUP during a command with children: seconds until the program is gone, and what is left.

    python benchmarks/signals.py [--runs 5]

The program runs on a terminal of its own (a pty). A command that the user granted starts three children, one of which
leaves its session and one of which ignores SIGTERM. Prints one JSON line a signal: seconds until the program has ended,
processes of the command that are still there (0 is right), and whether the terminal's settings are as before.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import NamedTuple

MODEL = """
import json
import inarch

class Commanding:
    name = "commanding"
    default_model = default_decision_model = "one"

    async def answer(self, request):
        arguments = json.dumps({"command": "python3 busy.py"})
        yield inarch.CallDelta(0, "c0", "execute_command", arguments)
        yield inarch.Finish("calls")

    async def models(self):
        return [inarch.ModelInfo("one")]

    def limits(self, model):
        return inarch.Limits()

    def price(self, model):
        return None

    async def close(self):
        pass

@inarch.hookimpl
def inarch_models(context):
    return [Commanding()]
"""

BUSY = """
import os, signal, subprocess, sys, time
nap = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)", "{marker}"]
children = [subprocess.Popen(nap, start_new_session=away) for away in (False, True, False)]
print("started", flush=True)
time.sleep(600)
"""


class Ended(NamedTuple):
    """How one run ended."""

    seconds: float
    left: int
    restored: bool
    code: int


def processes_with(marker: str) -> list[int]:
    """Return the ids of the processes that have a word on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def prepared(folder: Path, marker: str) -> tuple[Path, dict[str, str]]:
    """Make a project and a home with a granted command."""
    project, home = folder / "project", folder / "home"
    project.mkdir()
    (home / "inarch").mkdir(parents=True)
    (project / "busy.py").write_text(BUSY.replace("{marker}", marker))
    (home / "inarch" / "config.toml").write_text('[commands.busy]\nargv = ["python3", "busy.py"]\n')
    (folder / "model.py").write_text(MODEL)
    environ = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", "HOME": str(home)}
    return project, environ | {f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "STATE", "CACHE")}


def once(number: signal.Signals, run: int) -> Ended:
    """Start a turn, wait for its command, send the signal, and see what is left."""
    marker = f"inarch-signals-{os.getpid()}-{number}-{run}"
    with tempfile.TemporaryDirectory() as folder:
        project, environ = prepared(Path(folder), marker)
        argv = [sys.executable, "-P", "-m", "inarch", "run it", "--plugin", str(Path(folder) / "model.py"),
                "--model", "commanding/one"]  # fmt: skip
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(project)
            os.execve(argv[0], argv, environ)
        before = termios.tcgetattr(terminal)
        drain(terminal, until=lambda: len(processes_with(marker)) >= 3, seconds=60)
        started = time.perf_counter()
        if number is signal.SIGINT:
            os.write(terminal, b"\x03")
        else:
            os.kill(pid, number)
        done: list[int] = []
        drain(terminal, until=lambda: bool(done) or ended(pid, done), seconds=30)
        seconds = time.perf_counter() - started
        time.sleep(0.05)
        left = processes_with(marker)
        restored = termios.tcgetattr(terminal) == before
        os.close(terminal)
        for orphan in left:
            os.kill(orphan, signal.SIGKILL)
    return Ended(seconds, len(left), restored, done[0] if done else -1)


def ended(pid: int, done: list[int]) -> bool:
    """Whether the program has ended; its exit code goes into `done`."""
    found, status = os.waitpid(pid, os.WNOHANG)
    if found:
        done.append(os.waitstatus_to_exitcode(status))
    return bool(found)


def drain(terminal: int, until: object, seconds: float) -> None:
    """Read what the program shows until something is true.

    Raises:
        TimeoutError: It did not become true; what was shown is in the message.
    """
    assert callable(until)
    shown, limit = b"", time.monotonic() + seconds
    while not until():
        if time.monotonic() > limit:
            raise TimeoutError(shown.decode("utf-8", "replace"))
        if select.select([terminal], [], [], 0.005)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                time.sleep(0.005)  # the program has closed its side


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        results = [once(number, run) for run in range(runs)]
        row = {
            "what": number.name,
            "median_s": round(statistics.median(one.seconds for one in results), 3),
            "worst_s": round(max(one.seconds for one in results), 3),
            "reach_s": 1.0,
            "processes_left": sum(one.left for one in results),
            "terminal_restored": all(one.restored for one in results),
            "exit_codes": sorted({one.code for one in results}),
            "runs": runs,
        }
        print(json.dumps(row))


if __name__ == "__main__":
    main()
