"""Undo of a turn that touched 500 files, what keeping images costs 50 edits, and what comparing costs a command.

`python benchmarks/undo.py` prints seconds (wall and CPU) with the real store and the real workspace, beside a bare copy
of the same bytes; reach: undo of 500 files <= 1 s.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from inarch import TERMINAL, Effects, Rights
from inarch.calls.before_images import Keeper
from inarch.calls.scheduler import Scheduler
from inarch.contract.events import SessionStarted, TurnStarted
from inarch.contract.records import PlannedCall, PluginContext, Turn
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.plugins.registration import Bound
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.tools import TOOLS
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_plugins.undo.undo_run import Undoing
from inarch_sdk.tool_decorator import tool

FILES, EDITS, TREE, ROUNDS = 500, 50, 10_000, 5
LINES = "".join(f"line {number} of a file of the usual length\n" for number in range(100))


class Took(NamedTuple):
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:6.3f} s wall {self.cpu:6.3f} s CPU"


def took(work: Callable[[], object]) -> Took:
    begun, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - begun, time.process_time() - cpu)


@tool(effects=Effects(exclusive=True), category="command")
def command(context: object) -> None:
    """Run a program that may write and changes one file."""
    context.workspace.run(("/bin/sh", "-c", "echo x >> f0/1.txt"), Rights(("",), executes=True))  # type: ignore[attr-defined]


class Bench:
    """A folder of files, a store, and a scheduler over the file tools; a turn's calls at a time."""

    def __init__(self, folder: str, keeps: bool, files: int) -> None:
        self.root = Path(folder, "work")
        for number in range(files):
            place = self.root / f"f{number // 100}" / f"{number}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(LINES)
        self.workspace = FolderWorkspace.open(str(self.root))
        self.store = SqliteStore(str(Path(folder, "state")))
        self.journal = Journal(self.store, "bench", redactor=Redactor.from_environ({}))
        self.journal.record(SessionStarted(str(self.root), "bench"))
        self.journal.record(TurnStarted(Turn("turn", "agent", None, "bench", "2026-01-01T00:00:00Z")), "turn")
        context = PluginContext("sandbox-fs", str(self.root), Settings())
        self.scheduler = Scheduler(
            tools={one.name: Bound("sandbox-fs", one, context) for one in (*TOOLS, command)},
            approve="all",
            journal=self.journal,
            workspace=self.workspace,
            keeper=Keeper(self.journal, self.workspace, folder) if keeps else None,
        )

    def calls(self, *calls: PlannedCall) -> None:
        for call in asyncio.run(self.scheduler.run("turn", calls)):
            assert call.status in TERMINAL and call.result is not None and call.result.success, call.result

    def edit(self, path: str) -> PlannedCall:
        edit = {"file_path": path, "search": "line 50 of", "replace": "LINE 50 of", "description": ""}
        return PlannedCall("patch_source_file", edit)

    def read(self, paths: list[str]) -> None:
        self.calls(*(PlannedCall("read_file", {"file_path": path}) for path in paths))

    def close(self) -> None:
        self.scheduler.close()
        self.workspace.close()
        self.store.close()


def undo_of_many() -> tuple[Took, Took]:
    """Return how long it takes to undo a turn that touched 500 files, and to write the same bytes with nothing else."""
    with tempfile.TemporaryDirectory() as folder, closing(Bench(folder, True, FILES)) as bench:
        paths = [str(path.relative_to(bench.root)) for path in sorted(bench.root.rglob("*.txt"))]
        bench.read(paths)
        bench.calls(*map(bench.edit, paths))
        asyncio.run(bench.journal.sync())
        before = [path.read_bytes() for path in sorted(bench.root.rglob("*.txt"))]
        journal = Journal(bench.store, "bench", seq=bench.journal.seq)

        def undo() -> None:
            report = Undoing(Access(bench.workspace, journal)).run("undo")
            assert report.done and len(report.files) == FILES, report

        def bare() -> None:
            for path, data in zip(paths, before, strict=True):
                (bench.root / path).write_bytes(data)

        ours = took(undo)
        assert (bench.root / paths[0]).read_text() == LINES
        return ours, took(bare)


def edits(keeps: bool) -> Took:
    """Return how long 50 edits take, one after the other."""
    with tempfile.TemporaryDirectory() as folder, closing(Bench(folder, keeps, EDITS)) as bench:
        paths = [str(path.relative_to(bench.root)) for path in sorted(bench.root.rglob("*.txt"))]
        bench.read(paths)

        def edit() -> None:
            for path in paths:
                bench.calls(bench.edit(path))

        return took(edit)


def commands() -> tuple[Took, Took, Took]:
    """Return how long a command takes in a workspace of 10,000 files: not compared, compared first, and again."""
    with tempfile.TemporaryDirectory() as folder, closing(Bench(folder, True, TREE)) as bench:
        keeper, bench.scheduler._runner.around.keeper = bench.scheduler._runner.around.keeper, None
        run = PlannedCall("command", {})
        bench.calls(run)
        plain = took(lambda: bench.calls(run))
        bench.scheduler._runner.around.keeper = keeper
        return plain, took(lambda: bench.calls(run)), took(lambda: bench.calls(run))


def main() -> None:
    ours, bare = zip(*(undo_of_many() for _ in range(ROUNDS)), strict=True)
    print(f"undo of a turn that touched {FILES} files: {min(ours)}   (bare writes: {min(bare)})   reach 1 s")
    pairs = [(edits(True), edits(False)) for _ in range(ROUNDS)]
    kept, plain = min(one for one, _ in pairs), min(other for _, other in pairs)
    ratio = statistics.median(one.wall / other.wall for one, other in pairs)
    print(f"{EDITS} edits: images kept {kept}, not kept {plain}, ratio {ratio:.2f}")
    plain, first, again = commands()
    print(f"a command among {TREE} files: not compared {plain}, compared first {first}, again {again}")


if __name__ == "__main__":
    main()
