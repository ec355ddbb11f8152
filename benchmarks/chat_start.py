"""How long `inarch` on a terminal takes until its prompt can be typed at, and until everything behind it is composed.

    python benchmarks/chat_start.py [--runs 15]

A real pseudo-terminal each; the programs take turns. Wall clock and CPU (user and system, from /proc) at the moment the
prompt is drawn, side by side with `python -c pass` and with importing what the line is made of. A JSON line a row.
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
import time
from collections.abc import Sequence
from pathlib import Path

READY = "? for help"
TOOLKIT = "import asyncio, click, prompt_toolkit.application, prompt_toolkit.layout; print('> ', flush=True); input()"
PASS = "print('> ', flush=True); input()"
TICKS = os.sysconf("SC_CLK_TCK")


def until(argv: Sequence[str], environ: dict[str, str], folder: str, said: Sequence[str]) -> list[tuple[float, float]]:
    """Run a program at a terminal and return wall clock and CPU at the moment each text is shown, in their order."""
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(argv[0], list(argv), environ)
    found, shown = [], ""
    try:
        for text in said:
            while text not in shown:
                if not select.select([terminal], [], [], 20)[0]:
                    raise TimeoutError(f"{argv} never showed {text!r}:\n{shown}")
                shown += os.read(terminal, 65536).decode("utf-8", "replace")
            found.append((time.perf_counter() - began, cpu_of(pid)))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return found


def cpu_of(pid: int) -> float:
    """Return the seconds of CPU that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    python = sys.executable
    programs: dict[str, tuple[list[str], list[str]]] = {
        "python -c pass": ([python, "-P", "-c", PASS], ["> "]),
        "click and prompt_toolkit": ([python, "-P", "-c", TOOLKIT], ["> "]),
        "inarch": ([str(Path(python).parent / "inarch")], ["> ", READY]),
    }
    taken: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        environ = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        for argv, said in programs.values():  # compiled files and caches are there
            until(argv, environ, folder, said)
        for _ in range(runs):
            for name, (argv, said) in programs.items():
                taken[name].append(until(argv, environ, folder, said))
    for name, times in taken.items():
        moments = [("prompt", [run[0] for run in times])]
        if len(times[0]) > 1:
            moments.append(("composed", [run[1] for run in times]))
        for moment, column in moments:
            wall, cpu = (statistics.median(values) for values in zip(*column, strict=True))
            row = {"what": name, "until": moment, "wall_s": round(wall, 3), "cpu_s": round(cpu, 2), "runs": runs}
            print(json.dumps(row | ({"reach_wall_s": 0.35} if (name, moment) == ("inarch", "prompt") else {})))


if __name__ == "__main__":
    main()
