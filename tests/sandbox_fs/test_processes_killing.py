"""Whatever a program does, nothing of it is left: the proof is the process table."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inarch import Cancelled, Rights, ToolFailed
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

pytestmark = pytest.mark.once

READS = Rights()
BUILDS = Rights(writes=("",), executes=True)

ESCAPES = {
    "own session": "os.setsid()",
    "forked twice": "if os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)",
    "ignores signals": "for n in (1, 2, 3, 15, 18, 20): signal.signal(n, signal.SIG_IGN)",
    "survives its parent": "import ctypes; ctypes.CDLL(None).prctl(1, 0, 0, 0, 0); os.setsid()",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "many": "for _ in range(30):\n    if not os.fork(): os.setsid(); break",
}


@pytest.fixture
def mark() -> str:
    return f"mark-{secrets.token_hex(8)}"


def marked(mark: str) -> list[int]:
    """Return the processes with a word on their command line."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(int(name))
        except OSError:
            continue
    return found


def until(condition: object) -> None:
    assert callable(condition)
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to be")


def leaving(escape: str, stays: bool) -> str:
    """Return a program that leaves a descendant behind, and ends or stays."""
    end = "time.sleep(600)" if stays else "os.read(ready, 1)"
    body = "\n    ".join(ESCAPES[escape].splitlines())
    return (
        f"import os, signal, sys, time\nready, tell = os.pipe()\nif os.fork() == 0:\n    os.write(tell, b'x')\n"
        f"    {body}\n    time.sleep(600)\n{end}\nprint('over')"
    )


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("stays", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_descendants_are_killed(workspace: FolderWorkspace, mark: str, escape: str, stays: bool) -> None:
    argv = [sys.executable, "-c", leaving(escape, stays), mark]
    ran = workspace.run(argv, BUILDS, timeout_s=1.0 if stays else 60.0)
    assert (ran.timed_out, ran.output) == ((True, b"") if stays else (False, b"over\n"))
    assert marked(mark) == []


@pytest.mark.parametrize("forks", [5, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("escape", ["", "os.setsid()"])
def test_a_fork_bomb_ends(workspace: FolderWorkspace, mark: str, escape: str, forks: int) -> None:
    # So many are left unreaped and no more: root has no limit of processes, and other programs need some.
    bomb = f"import os, time\nend = time.time() + 20\nfor _ in range({forks}): os.fork() or {escape or 0}\n"
    bomb += "for _ in range(50): os.fork() or os._exit(0)\n"
    bomb += "while time.time() < end: os.waitpid(os.fork() or os._exit(0), 0)"
    ran = workspace.run([sys.executable, "-c", bomb, mark], BUILDS, timeout_s=1.0)
    assert ran.timed_out
    assert marked(mark) == []


def test_cancelling_kills_the_tree(workspace: FolderWorkspace, mark: str) -> None:
    cancelled = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        code = leaving("many", True)
        running = pool.submit(
            workspace.run, [sys.executable, "-c", code, mark], BUILDS, cancelled=cancelled, timeout_s=600
        )
        until(lambda: len(marked(mark)) > 20)
        cancelled.set()
        assert isinstance(running.exception(), Cancelled)
    assert marked(mark) == []


CLIENT = """
import sys
from inarch import Rights
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
workspace = FolderWorkspace.open(sys.argv[1])
workspace.run([sys.executable, "-c", sys.argv[2], sys.argv[3]], Rights(writes=("",), executes=True), timeout_s=600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_inarch_is_killed(tmp_path: Path, mark: str, number: int) -> None:
    code = leaving("many", True)
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(tmp_path), code, mark], stderr=subprocess.DEVNULL, start_new_session=True
    )
    until(lambda: len(marked(mark)) > 20)
    servers = _children(client.pid)
    assert servers
    client.send_signal(number)
    client.wait()
    until(lambda: not marked(mark))
    until(lambda: not any(os.path.exists(f"/proc/{pid}") and _is_alive(pid) for pid in servers))


FORKED = """
import os, sys, threading, time
from inarch import Rights
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
workspace = FolderWorkspace.open(sys.argv[1])
argv = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)", sys.argv[2]]
ready = threading.Event()
def run():
    workspace.run(argv, Rights(writes=("",), executes=True), timeout_s=600, on_output=lambda _: ready.set())
if sys.argv[3] == "running":
    threading.Thread(target=run, daemon=True).start()
    ready.wait()
else:
    workspace.run(["true"], Rights())
pid = os.fork()  # as a library's pool of workers does: it holds all that the client holds, and outlives it
if pid == 0:
    time.sleep(600)
print(pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("doing", ["running", "nothing"])
def test_nothing_is_left_though_a_process_that_inarch_forked_lives_on(tmp_path: Path, mark: str, doing: str) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", FORKED, str(tmp_path), mark, doing], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert client.stdout is not None
    forked = int(client.stdout.readline())
    try:
        servers = [pid for pid in _children(client.pid) if pid != forked]
        assert len(servers) == 1 and len(marked(mark)) > (doing == "running")
        client.kill()
        client.wait()
        until(lambda: not any(map(_is_alive, servers)))
        until(lambda: set(marked(mark)) <= {forked})
        assert _is_alive(forked)
    finally:
        os.kill(forked, signal.SIGKILL)
        client.stdout.close()


def test_a_killed_server_is_started_again(workspace: FolderWorkspace, mark: str) -> None:
    def servers() -> list[int]:
        return [pid for pid in _children(os.getpid()) if b"inarch_plugins.sandbox_fs" in _command(pid)]

    for _ in range(3):
        # A supervisor that was forked just before its server was killed may serve once more.
        until(lambda: workspace.run(["true"], READS).exit_code == 0 and len(servers()) == 1)
        (server,) = servers()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(workspace.run, [sys.executable, "-c", "input()", mark], BUILDS, stdin=b"x\n")
            os.kill(server, signal.SIGKILL)
            assert running.result().exit_code == 0
        assert workspace.run(["true"], READS).exit_code == 0


def test_a_killed_supervisor_is_one_clear_error(
    workspace: FolderWorkspace, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(workspace.run, [sys.executable, "-c", leaving("many", True), mark], BUILDS)
        until(lambda: len(marked(mark)) > 20)
        (server,) = [pid for pid in _children(os.getpid()) if b"inarch_plugins.sandbox_fs" in _command(pid)]
        command = next(pid for pid in marked(mark) if _parent(_parent(pid)) == server)
        os.kill(_parent(command), signal.SIGKILL)
        failed = running.exception()
    assert isinstance(failed, ToolFailed) and failed.code == "unknown_outcome"
    until(lambda: not marked(mark))
    assert os.listdir(tmp_path / "temporary") == []
    assert workspace.run(["true"], READS).exit_code == 0


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _children(pid: int) -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(int(name)) == pid]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
