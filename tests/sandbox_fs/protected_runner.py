"""Run programs in workspaces as a user: `python protected_runner.py USER < [{"root", "how", "home", "argv"}, ...]`.

With `hosts` a program may reach those.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from inarch import Rights
from inarch_lib.egress import proxy_start
from inarch_plugins.sandbox_fs.processes import runner
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

sys.path.insert(0, str(Path(__file__).parents[1] / "confinement"))
from confinement_place import PYTHON


def opened(root: str, how: str) -> FolderWorkspace:
    """Return a workspace in which programs are confined: `full`, or `bare`, without namespaces."""
    workspace = FolderWorkspace.open(root)
    if how == "bare":
        server = workspace._with_runner()._started()
        features: Any = server.features
        server.features = (*features[:2], False, False, *features[4:])  # the child makes no namespaces then
    return workspace


def main() -> None:
    assert runner and proxy_start, "imported before the user changes, who may not reach this installation"
    user = int(sys.argv[1])
    if user != os.geteuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        sys.executable = PYTHON
    said = []
    for asked in json.load(sys.stdin):
        os.environ["HOME"] = asked["home"]
        workspace = opened(asked["root"], asked["how"])
        try:
            rights = Rights(writes=("",), executes=True, hosts=tuple(asked.get("hosts", ())))
            ran = workspace.run(asked["argv"], rights)
        finally:
            workspace.close()
        told = {"exit": ran.exit_code, "level": ran.level, "notes": ran.notes}
        said.append({**told, "errors": ran.errors.decode(), "output": ran.output.decode()})
    print(json.dumps(said))


if __name__ == "__main__":
    main()
