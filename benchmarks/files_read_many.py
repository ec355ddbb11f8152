"""Read 1,000 files with `read_multiple_files`, through the scheduler, against opening and reading each.

    python benchmarks/files_read_many.py

Prints two JSON lines a size of file: the tool alone, and the whole way that a call of a model takes (checks, journal,
cutting a long result and keeping the whole).
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import cast

from attrs import frozen
from files_cpu import compare

from inarch import PlannedCall, PluginContext, ToolContext
from inarch.calls.scheduler import Scheduler
from inarch.journal.journal import Journal
from inarch.journal.redaction.redactor import Redactor
from inarch.plugins.composition import Bound
from inarch_sandbox_fs.tools import TOOLS
from inarch_sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore


@frozen
class Alone:
    """As much of a context as the tool uses."""

    workspace: FolderWorkspace
    settings: None = None


def measure(root: str, lines: int) -> None:
    """Print the rows for a thousand files of so many lines."""
    paths = [f"file{number}.py" for number in range(1_000)]
    for path in paths:
        Path(root, path).write_text("    value = compute(argument)  # a line\n" * lines)
    workspace = FolderWorkspace.open(root)
    alone = cast(ToolContext, Alone(workspace))
    context = PluginContext("sandbox-fs", root)
    call = PlannedCall("read_multiple_files", {"file_paths": paths})
    tool = next(tool for tool in TOOLS if tool.name == call.name)

    def through_scheduler() -> None:
        scheduler = Scheduler(
            tools={tool.name: Bound("sandbox-fs", tool, context)},
            approve="all",
            journal=Journal(MemoryStore(), "bench", redactor=Redactor.from_environ({})),
            workspace=workspace,
        )
        (done,) = asyncio.run(scheduler.run("turn", [call]))
        assert done.status == "success", done.result

    def bare() -> list[dict[str, str]]:
        found = []
        for path in paths:
            with open(f"{root}/{path}", encoding="utf-8") as file:
                found.append({"path": path, "content": file.read()})
        return found

    what = f"1,000 files of {Path(root, paths[0]).stat().st_size} bytes"
    compare(f"{what}, the tool", lambda: tool.run(call.arguments, alone), bare, 4.0)
    compare(f"{what}, through the scheduler", through_scheduler, bare, 4.0)
    workspace.close()


def main() -> None:
    for lines in (20, 100, 200):
        with tempfile.TemporaryDirectory() as root:
            measure(root, lines)


if __name__ == "__main__":
    main()
