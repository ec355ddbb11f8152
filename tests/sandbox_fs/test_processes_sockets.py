"""A build talks to no other program's Unix socket that lies in the workspace, and to its own as it likes."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from inarch import Rights, ToolFailed
from inarch_lib.confinement import features
from inarch_plugins.sandbox_fs.processes.protected_names import live_sockets
from inarch_plugins.sandbox_fs.safe_open import best_open
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

sys.path.insert(0, os.path.dirname(__file__))
from protected_runner import opened

pytestmark = pytest.mark.once

BUILDS = Rights(writes=("",), executes=True)
KINDS = {"stream": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM, "packets": socket.SOCK_SEQPACKET}
TALK = """
import os, socket, sys
for path in sys.argv[1:]:
    os.chdir(os.path.dirname(path) or ".")
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            with socket.socket(socket.AF_UNIX, kind) as end:
                end.connect(os.path.basename(path))
                print("reached", path)
        except OSError:
            pass
"""
OWN = """
import os, socket
if os.path.exists("stale"): os.unlink("stale")
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as end:
    server.bind("stale"); server.listen(); end.connect("stale"); server.accept()
print("talked")
"""


@pytest.fixture
def servers() -> Iterator[Callable[[Path, int], socket.socket]]:
    with ExitStack() as held:

        def serve(path: Path, kind: int) -> socket.socket:
            path.parent.mkdir(parents=True, exist_ok=True)
            end = held.enter_context(socket.socket(socket.AF_UNIX, kind))
            at = os.open(path.parent, os.O_RDONLY)
            end.bind(f"/proc/self/fd/{at}/{path.name}")
            os.close(at)
            if kind != socket.SOCK_DGRAM:
                end.listen()
            end.setblocking(False)
            return end

        yield serve


@pytest.mark.parametrize("how", ["full", "bare"])
def test_a_build_reaches_no_socket_of_others_in_the_workspace(
    tmp_path: Path, how: str, servers: Callable[[Path, int], socket.socket]
) -> None:
    if how == "full" and not features().namespaces:
        pytest.skip(f"this machine can't show it: {features()}")
    root = tmp_path / "ws"
    paths = [root / folder / name for folder in (".", "tmp/sockets", ".git") for name in KINDS]
    ends = [servers(path, KINDS[path.name]) for path in paths]
    (root / "second").hardlink_to(root / "stream")
    workspace = opened(str(root), how)
    argv = [sys.executable, "-c", TALK, *map(str, paths), str(root / "second")]
    for rights in (BUILDS, Rights(executes=True)):
        ran = workspace.run(argv, rights)
        assert (ran.exit_code, ran.output) == (0, b""), ran
    moved = ["sh", "-c", 'mv tmp other; exec "$@"', "sh", *argv[:3], str(root / "other/sockets/stream")]
    assert workspace.run(moved, BUILDS).output == b""
    workspace.close()
    for end in ends:
        if end.type != socket.SOCK_SEQPACKET:  # such a server sees that it was looked at
            with pytest.raises(BlockingIOError):
                end.recv(1) if end.type == socket.SOCK_DGRAM else end.accept()


@pytest.mark.skipif(not features().namespaces, reason="this machine has no namespaces")
def test_what_nobody_holds_is_no_server_and_a_build_has_its_own(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(tmp_path / "stale"))
    root = os.open(tmp_path, os.O_RDONLY)
    assert list(live_sockets(root, best_open(root), frozenset())) == []
    os.close(root)
    workspace = opened(str(tmp_path), "full")
    ran = workspace.run([sys.executable, "-c", OWN], BUILDS)
    workspace.close()
    assert ran.output == b"talked\n", ran


def test_a_root_that_was_exchanged_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "other").mkdir()
    workspace = FolderWorkspace.open(str(tmp_path / "ws"))
    (tmp_path / "ws").rename(tmp_path / "moved")
    (tmp_path / "ws").symlink_to(tmp_path / "other")
    for rights in (BUILDS, Rights()):
        with pytest.raises(ToolFailed, match="another folder") as caught:
            workspace.run(["touch", "made"], rights)
        assert caught.value.code == "conflict"
    workspace.close()
    assert os.listdir(tmp_path / "other") == os.listdir(tmp_path / "moved") == []


@pytest.mark.parametrize("how", ["full", "bare"])
def test_a_link_that_comes_into_a_granted_path_gives_no_right(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program exchanges a granted folder after it was looked at and before the child confines itself."""
    if how == "full" and not features().namespaces:
        pytest.skip(f"this machine can't show it: {features()}")
    root, other = tmp_path / "ws", tmp_path / "other"
    (root / "src").mkdir(parents=True)
    other.mkdir()
    workspace = opened(str(root), how)
    runner = workspace._with_runner()
    begin = runner._begin

    def exchanged(*arguments: object) -> object:
        (root / "src").rename(root / "moved")
        (root / "src").symlink_to(other)
        return begin(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(runner), "_begin", lambda _self, *arguments: exchanged(*arguments))
    try:
        ran = workspace.run(["sh", "-c", "echo x > src/made; echo x > made"], Rights(writes=("src/",), executes=True))
        assert ran.exit_code != 0
    except ToolFailed as error:
        assert "leads elsewhere" in str(error)
    workspace.close()
    assert os.listdir(other) == [] and not (root / "made").exists()
