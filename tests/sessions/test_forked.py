"""A process that was forked after `compose` is told so; it doesn't wait for threads that it doesn't have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..forking import LONGEST_S

_FORKS = """
import asyncio, os, sys
from inarch import UsageError
from inarch.testing import calls, says, scripted_app

app, _ = scripted_app([calls(("read_file", {"file_path": "a.txt"})), says("done")], sys.argv[1], journal=True)
session = app.session()
if os.fork() == 0:
    refused = 0
    for use in (
        lambda: asyncio.run(session.run("read")),
        lambda: asyncio.run(session.call_tool("read_file", {})),
        lambda: asyncio.run(app.call_tool("read_file", {})),
        session.undo, app.session, lambda: app.fork("x"),
    ):
        try:
            use()
        except UsageError as error:
            refused += "compose in the child" in (error.remedy or "")
    app.close()
    os._exit(refused)
_, status = os.wait()
assert os.waitstatus_to_exitcode(status) == 6, status
assert asyncio.run(session.run("read")).content == "done"
app.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_child_that_was_forked_is_told_to_compose_anew(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", _FORKS, str(tmp_path)], env=environ, capture_output=True, text=True, timeout=LONGEST_S
    )
    assert (done.returncode, done.stderr) == (0, "")
