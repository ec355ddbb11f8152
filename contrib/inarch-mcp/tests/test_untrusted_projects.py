"""A server of the user's own: an untrusted project brings neither its program nor its folder."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_start import Place

import inarch


@pytest.mark.parametrize(
    "server",
    [
        Server(command=sys.executable, args=("{root}/server.py",)),
        Server(command=sys.executable, args=("-m", "server"), cwd="{root}"),
        Server(command="sh", args=("-c", "cd / && exec {root}/server.py")),
        Server(command="server.py"),
        Server(command="sh", args=("-c", "true"), env=("PYTHONPATH={root}",)),
        Server(command="sh", args=("-c", "true"), env=("NODE_OPTIONS=--import={root}/server.py",)),
        Server(command="sh", args=("-c", "true"), env=("LIBRARIES=/usr/lib:{root}/lib",)),
    ],
)
def test_nothing_of_it_is_started(ground: Any, server: Server) -> None:
    script = ground.root / "server.py"
    script.write_text(f"#!{sys.executable}\n")
    script.chmod(0o755)
    (ground.root / "lib").mkdir()
    place = Place(str(ground.root), str(ground.home), {"PATH": f".:{ground.root}:/usr/bin:/bin"})
    with pytest.raises((FileNotFoundError, inarch.ToolFailed), match=r"not trusted|No such file"):
        place.launch("own", server)
    beside = Place(str(ground.root), str(ground.home), {}, beside=str(ground.home))
    assert beside.launch("own", Server(command="./server.py")).argv == (f"{ground.home}/server.py",)


def test_a_variable_may_name_the_project(ground: Any) -> None:
    server = Server(command="sh", args=("-c", "true"), env=("PROJECT={root}", "MODE=lib", "PATH"))
    place = Place(str(ground.root), str(ground.home), {"PATH": "/usr/bin:/bin"})
    assert place.launch("own", server).environ["PROJECT"] == str(ground.root)
