"""Run by `test_big_files.py` in a process of its own: calls tools in one session and prints how much memory that took.

python big_edit.py FOLDER '[["read_file", {…}], ["patch_source_file", {…}]]'
"""

import asyncio
import json
import sys

from inarch.calls.scheduler import Scheduler
from inarch.contract.records import PlannedCall, PluginContext
from inarch.journal.journal import Journal
from inarch.journal.redaction.redactor import Redactor
from inarch.plugins.composition import Bound
from inarch_sandbox_fs.settings import Settings
from inarch_sandbox_fs.tools import TOOLS
from inarch_sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore


def peak() -> int:
    """Return the most bytes of memory that this process has held."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


async def call(folder: str, calls: list[tuple[str, dict[str, object]]]) -> list[object]:
    workspace = FolderWorkspace.open(folder)
    context = PluginContext("sandbox-fs", folder, Settings())
    scheduler = Scheduler(
        tools={tool.name: Bound("sandbox-fs", tool, context) for tool in TOOLS},
        approve="all",
        journal=Journal(MemoryStore(), "session", redactor=Redactor.from_environ({})),
        workspace=workspace,
    )
    said: list[object] = []
    for name, arguments in calls:
        (done,) = await scheduler.run("turn", [PlannedCall(name, arguments)])
        assert done.result is not None
        said.append(done.result.data if done.result.success else [done.result.error.code, str(done.result.error)])
    scheduler.close()
    workspace.close()
    return said


# A first, small round: what importing takes is no part of the measurement.
asyncio.run(call(sys.argv[1], [("read_file", {"file_path": "small.txt"})]))
start = peak()
results = asyncio.run(call(sys.argv[1], json.loads(sys.argv[2])))
print(json.dumps({"results": results, "grown": peak() - start}))
