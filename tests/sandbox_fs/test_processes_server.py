"""The fork server's own bookkeeping: it ends once all of its supervisors have."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..forking import LONGEST_S

pytestmark = pytest.mark.once

LOOKS_AFTER = """
import os, signal, socket, time
from inarch_sandbox_fs.processes import server
from inarch_confinement.descendants import drain
from inarch_confinement.descendants import become_subreaper, wake_on_child

become_subreaper()
wake = wake_on_child()
for _ in range(50):
    served = server.Server(socket.socketpair()[0], wake, frozenset(), os.getppid(), -1)
    reading, writing = os.pipe()
    killed = os.fork()
    if killed == 0:  # a supervisor that is killed, and leaves what it started
        left = os.fork()
        if left == 0:
            time.sleep(600)
        os.write(writing, left.to_bytes(4, "little"))
        os.kill(os.getpid(), signal.SIGKILL)
    other = os.fork()
    if other == 0:  # one that ends while the server kills that
        left = int.from_bytes(os.read(reading, 4), "little")
        while open(f"/proc/{left}/stat").read().rpartition(")")[2].split()[0] in "RS":
            pass
        os._exit(0)
    served.supervisors = {killed, other}
    os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
    drain(wake)
    served._look_after()
    try:
        while True:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            served._look_after()
    except ChildProcessError:
        assert not served.supervisors, served.supervisors
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no subreapers")
def test_a_supervisor_that_ends_while_another_ones_processes_are_killed_is_not_waited_for() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS_AFTER], capture_output=True, text=True, timeout=LONGEST_S)
    assert done.returncode == 0, done.stderr
