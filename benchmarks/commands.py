"""Run confined programs against `subprocess.run` of the same words, by turns in one process.

    python benchmarks/commands.py

Prints one JSON line a command: milliseconds at p50 and p90 of both, and the difference at p50. The first line is what
the first command of a workspace costs on top, because the fork server is started then.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inarch import Rights
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

RUNS = 200
REACH_MS = 5.0
BUILDS = Rights(writes=("",), executes=True)
GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": "/usr/bin"}
COMMANDS = (
    ("true, what only reads", ["/usr/bin/true"], Rights()),
    ("cat of a file, what only reads", ["/usr/bin/cat", "file"], Rights()),
    ("git status, what only reads", ["/usr/bin/git", "--no-optional-locks", "status", "--short"], Rights(env=GIT)),
    ("true, what writes and starts programs", ["/usr/bin/true"], BUILDS),
)


def timed(act: Callable[[], object]) -> float:
    """Return the milliseconds that something takes."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def measure(workspace: FolderWorkspace, what: str, argv: list[str], rights: Rights) -> None:
    """Print the line of one command."""
    folder, env = workspace.root, dict(rights.env) or None
    worked = workspace.run(argv, rights)
    assert worked.exit_code == 0, worked
    ours, bare = [], []
    for _ in range(RUNS):
        ours.append(timed(lambda: workspace.run(argv, rights)))
        bare.append(timed(lambda: subprocess.run(argv, cwd=folder, env=env, capture_output=True, check=True)))
    row: dict[str, object] = {"what": what}
    for name, times in (("ours", ours), ("bare", bare)):
        cuts = statistics.quantiles(times, n=10)
        row |= {f"{name}_p50_ms": round(cuts[4], 2), f"{name}_p90_ms": round(cuts[8], 2)}
    more = statistics.median(ours) - statistics.median(bare)
    print(json.dumps({**row, "more_ms": round(more, 2), "reach_ms": REACH_MS}), flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        Path(root, "file").write_text("line\n" * 1000)
        subprocess.run(["git", "init", "-q", root], check=True)
        workspace = FolderWorkspace.open(root)
        first = timed(lambda: workspace.run(["true"], Rights()))
        second = timed(lambda: workspace.run(["true"], Rights()))
        print(json.dumps({"what": "the first command on top", "more_ms": round(first - second, 2)}), flush=True)
        for what, argv, rights in COMMANDS:
            measure(workspace, what, argv, rights)
        workspace.close()


if __name__ == "__main__":
    main()
