"""Several calls in one reply: no edit is lost, reads and edits keep their order, independent calls run together.

    python benchmarks/edits_order.py

Prints one JSON line each: runs in which an edit was lost (of 1,000 replies with two edits of one file), runs in which
a slow read before an edit, or a read after it, saw the wrong text, and the time that three independent calls of one
second take together against one.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import inarch
from inarch import Effects, PlannedCall, PluginContext, ToolContext
from inarch.calls.scheduler import Scheduler
from inarch.journal.journal import Journal
from inarch.journal.redaction.redactor import Redactor
from inarch.plugins.composition import Bound
from inarch_sandbox_fs.tools import TOOLS
from inarch_sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore

RUNS = 1_000
SLOW_RUNS = 50
REACH = 1.3


def _reads(arguments: Any) -> Effects:
    return Effects(reads=frozenset([arguments["file_path"]]))


@inarch.tool(category="file", effects=_reads)
def slow_read(context: ToolContext, file_path: str) -> str:
    """Read a file after a while."""
    time.sleep(0.05)
    return context.workspace.read(file_path).data.decode()


@inarch.tool(category="other", effects=Effects())
def wait(context: ToolContext, seconds: float) -> float:
    """Wait."""
    time.sleep(seconds)
    return seconds


def _scheduler(workspace: FolderWorkspace) -> Scheduler:
    context = PluginContext("sandbox-fs", workspace.root)
    return Scheduler(
        tools={tool.name: Bound("sandbox-fs", tool, context) for tool in (*TOOLS, slow_read, wait)},
        approve="all",
        journal=Journal(MemoryStore(), "bench", redactor=Redactor.from_environ({})),
        workspace=workspace,
    )


def _lines(file: Path) -> list[str]:
    return file.read_text().split("\n")


def _patch(search: str, replace: str) -> PlannedCall:
    arguments = {"file_path": "a.txt", "search": search, "replace": replace, "description": "measure"}
    return PlannedCall("patch_source_file", arguments)


async def _lost_edits(scheduler: Scheduler, file: Path) -> int:
    lost = 0
    for number in range(RUNS):
        before = [f"first {number}", f"second {number}"]
        after = [f"first {number + 1}", f"second {number + 1}"]
        done = await scheduler.run("turn", [_patch(*pair) for pair in zip(before, after, strict=True)])
        assert all(call.status == "success" for call in done), [call.result for call in done]
        lost += _lines(file)[:2] != after
    return lost


async def _wrong_reads(scheduler: Scheduler, file: Path) -> int:
    wrong = 0
    for number in range(RUNS, RUNS + SLOW_RUNS):
        calls = [
            PlannedCall("slow_read", {"file_path": "a.txt"}),
            _patch(f"first {number}", f"first {number + 1}"),
            PlannedCall("read_file", {"file_path": "a.txt"}),
        ]
        slow, edit, read = [call.result.data for call in await scheduler.run("turn", calls) if call.result]
        wrong += f"first {number}\n" not in slow or f"first {number + 1}\n" not in read["content"] or not edit
    return wrong


async def _together(scheduler: Scheduler) -> float:
    begun = time.perf_counter()
    await scheduler.run("turn", [PlannedCall("wait", {"seconds": 1.0}) for _ in range(3)])
    return time.perf_counter() - begun


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_text("first 0\nsecond 0\n" + "a line\n" * 200)
        workspace = FolderWorkspace.open(folder)
        scheduler = _scheduler(workspace)
        asyncio.run(scheduler.run("turn", [PlannedCall("read_file", {"file_path": "a.txt"})]))
        lost = asyncio.run(_lost_edits(scheduler, file))
        _print(f"two edits of one file in one reply, {RUNS} runs", lost=lost, reach=0)
        wrong = asyncio.run(_wrong_reads(scheduler, file))
        _print(f"[slow read][edit][read] in one reply, {SLOW_RUNS} runs", wrong=wrong, reach=0)
        taken = asyncio.run(_together(scheduler))
        _print("three calls of 1 s in one reply, against one", seconds=taken, ratio=taken / 1.0, reach=REACH)
        scheduler.close()
        workspace.close()


def _print(what: str, **figures: float) -> None:
    print(json.dumps({"what": what, **{name: round(value, 3) for name, value in figures.items()}}), flush=True)


if __name__ == "__main__":
    main()
