"""A process that only reads what it is sent: it can't write, read the user's files, connect or start anything."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inarch_lib.confinement import own_layers

TRIES = """
import json, os, socket, sys
from inarch_lib.confinement import confine_reader
place, secret, port = sys.argv[1:]
confine_reader(1 << 30)
import sqlite3, decimal  # what Python imports can be read
def tried(act):
    try:
        act()
    except OSError:
        return "refused"
    return "done"
print(json.dumps([
    tried(lambda: open(place, "w")), tried(lambda: open(secret)), tried(lambda: os.fork()),
    tried(lambda: socket.create_connection(("127.0.0.1", int(port)), 5)),
    tried(lambda: os.execv(sys.executable, [sys.executable, "-c", "print(1)"])),
]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these layers")
def test_a_reader_can_do_nothing_but_answer(tmp_path: Path) -> None:
    if not {"landlock", "seccomp"} <= own_layers():
        pytest.skip("needs Landlock and seccomp")
    (tmp_path / "secret").write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [str(tmp_path / "new"), str(tmp_path / "secret"), str(server.getsockname()[1])]
        done = subprocess.run([sys.executable, "-P", "-c", TRIES, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["refused"] * 5 and not (tmp_path / "new").exists()
