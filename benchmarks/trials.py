"""Dry runs of commands against real runs of the same commands, by turns in one workspace of 50,000 files.

    python benchmarks/trials.py

Prints one JSON line a command: milliseconds at p50 of the dry run with the comparison of its changes, of the confined
run and of the bare program, the ratio of the first two, and the difference. The last line is what a start in a copy
adds (`--approve review`).
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from inarch import Piped, Rights
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_run import run_in_copy
from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder
from inarch_plugins.sandbox_fs.trial_changes import TrialChanges
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

RUNS, FOLDERS, FILES = 30, 250, 200
REACH_MS, COPY_MS = 15.0, 100.0
RIGHTS = Rights(writes=("",), executes=True)
COMMANDS = (["true"], ["sed", "-i", "s/line/word/", "pkg000/file000"], ["mkdir", "-p", "new/folder"])


def timed(act: Callable[[], object]) -> float:
    """Return the milliseconds that something takes."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def try_it(workspace: FolderWorkspace, argv: list[str]) -> None:
    """Try a command and look at its changes."""
    folder = TrialFolder.make(workspace.root)
    try:
        ran = workspace.try_piped([Piped(tuple(argv), RIGHTS)], trial=folder)
        assert ran.exit_code == 0, ran
        assert not workspace.compared(partial(TrialChanges, folder=folder)).obstacle
    finally:
        folder.remove()


def measure(workspace: FolderWorkspace, argv: list[str]) -> None:
    """Print the line of one command."""
    root, times = Path(workspace.root), dict[str, list[float]](tried=[], confined=[], bare=[])
    ways: dict[str, Callable[[], object]] = {
        "tried": lambda: try_it(workspace, argv),
        "confined": lambda: workspace.run(argv, RIGHTS),
        "bare": lambda: subprocess.run(argv, cwd=root, check=True),
    }
    for _ in range(RUNS):
        for name, act in ways.items():
            shutil.rmtree(root / "new", ignore_errors=True)
            times[name].append(timed(act))
    found = {f"{name}_p50_ms": round(statistics.median(each), 1) for name, each in times.items()}
    more = statistics.median(times["tried"]) - statistics.median(times["confined"])
    ratio = statistics.median(times["tried"]) / statistics.median(times["confined"])
    print(json.dumps({"what": " ".join(argv), **found, "ratio": round(ratio, 2), "more_ms": round(more, 1),
                      "reach_ms": REACH_MS}), flush=True)  # fmt: skip


def copy_it(root: str, state: str) -> None:
    """Run a program in a copy of its own, as `--approve review` starts the session."""
    change = ChangeFolder.make(state, root)
    with change.locked() as lock:
        assert run_in_copy(change, ["/bin/true"], lock) == 0
    change.remove()


def measure_copies(root: str) -> None:
    """Print the line of a start in a copy."""
    times = dict[str, list[float]](copy=[], bare=[])
    with tempfile.TemporaryDirectory() as state:
        for _ in range(RUNS):
            times["copy"].append(timed(lambda: copy_it(root, state)))
            times["bare"].append(timed(lambda: subprocess.run(["/bin/true"], check=True)))
    found = {f"{name}_p50_ms": round(statistics.median(each), 1) for name, each in times.items()}
    more = statistics.median(times["copy"]) - statistics.median(times["bare"])
    print(json.dumps({"what": "start in a copy", **found, "more_ms": round(more, 1), "reach_ms": COPY_MS}), flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        for number in range(FOLDERS):
            folder = Path(root, f"pkg{number:03}")
            folder.mkdir()
            for file in range(FILES):
                (folder / f"file{file:03}").write_text("line\n")
        workspace = FolderWorkspace.open(root)
        problem = workspace.trial_problem()
        assert not problem, problem
        for argv in COMMANDS:
            measure(workspace, argv)
        workspace.close()
        measure_copies(root)


if __name__ == "__main__":
    main()
