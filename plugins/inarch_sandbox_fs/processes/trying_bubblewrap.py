"""The attempts of `trying`, made by a Python that bubblewrap confines."""

from __future__ import annotations

import json
import os
import sys

import inarch_confinement
from inarch import Piped, Rights, ToolFailed
from inarch_confinement import Features, Plan
from inarch_sandbox_fs.opening import best_open
from inarch_sandbox_fs.processes.bubblewrap import find_bubblewrap
from inarch_sandbox_fs.processes.forking import ForkServer
from inarch_sandbox_fs.processes.trying import Bait, Reached, tried
from inarch_sandbox_fs.settings import Settings

_PROGRAM = """
import json, os, sys, types
sys.path.append(os.path.dirname(sys.argv[1]))
package = sys.modules["inarch_sandbox_fs"] = types.ModuleType("inarch_sandbox_fs")
package.__path__ = [sys.argv[2]]
from inarch_sandbox_fs.processes.trying import Bait, done
bait, reads = json.loads(sys.argv[3])
print(*done(Bait(*bait), reads))
"""


def tried_in_bubblewrap(server: ForkServer) -> tuple[Reached, ...] | None:
    """Return what programs that bubblewrap confines reach here, None where that can't be tried."""
    from inarch_sandbox_fs.processes.running import Runner

    def run(plan: Plan, bait: Bait) -> list[str]:
        root = os.open(bait.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            settings = Settings(confine="bwrap", require_level=0)
            runner = Runner(bait.root, root, best_open(root), settings, server=server)
            runner.judge.tried = [()]  # this is the trial
            library = os.path.dirname(os.path.abspath(inarch_confinement.__file__))
            own = [library, os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
            reads = (*own, os.path.realpath(sys.base_prefix))
            rights = Rights(reads=reads) if plan.alone else Rights(writes=("",), executes=True, reads=reads)
            argv = [
                os.path.realpath(sys.executable),
                "-I",
                "-S",
                "-B",
                "-c",
                _PROGRAM,
                *own,
                json.dumps((bait, plan.alone)),
            ]
            ran = runner.run([Piped(tuple(argv), rights)], timeout_s=20)
            if ran.exit_code != 0:
                raise OSError(ran.errors.decode("utf-8", "replace"))
            return ran.output.decode().split()
        finally:
            os.close(root)

    try:
        return tried(Features(*server.features), run) if find_bubblewrap() else None
    except (OSError, ToolFailed):
        return None
