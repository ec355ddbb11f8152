"""`inarch mcp import`, and variables in a server's values."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from inarch_mcp.mcp_settings import Server, Settings
from inarch_mcp.server_start import Place

import inarch

CONFIG = '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "importing", "mcp"]\n'


def test_one_file_is_imported_as_by_inarch_import(ground: Any) -> None:
    config = ground.home / ".config" / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(CONFIG)
    file = ground.home / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"time": {"command": "mcp-server-time", "env": {"ZONE": "${ZONE}"}}}}))
    command = [sys.executable, "-P", "-m", "inarch", "mcp", "import"]
    for words, code in (([], 0), ([str(file), "--yes"], 0), (["agents:x"], 2)):
        done = subprocess.run([*command, *words], cwd=ground.root, env=ground.environ, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
    assert tomllib.loads(config.read_text())["plugins"]["mcp"]["servers"] == {
        "time": {"command": "mcp-server-time", "env": ["ZONE"]}
    }


def test_variables_are_filled_and_their_values_redacted() -> None:
    place = Place("/work", "", {"KEY": "k3y-0123456789", "HOME": "/home/me"})
    words = ("--key={env:KEY}", "{root}/{env:NO:-y}")
    server = Server(command="x", args=words, env=("TOKEN={env:KEY}", "H={env:HOME}"))
    assert place.variables(server)["TOKEN"] == "k3y-0123456789" and place.variables(server)["H"] == "/home/me"
    assert Settings(servers={"x": server}).keys_env == ("KEY", "NO", "KEY")
    far = Server(url="https://x.example", headers={"Authorization": "Bearer {env:KEY}", "X-Client": "me"})
    assert place.headers(far) == {"Authorization": "Bearer k3y-0123456789", "X-Client": "me"}
    with pytest.raises(inarch.ToolFailed, match="the variable GONE is not set"):
        place.headers(Server(url="https://x.example", headers={"A": "{env:GONE}"}))


def test_an_argument_with_a_variable_starts_a_program(ground: Any, tmp_path: Path) -> None:
    place = Place(str(ground.root), str(tmp_path), {**ground.environ, "WORD": "said"})
    launch = place.launch("x", Server(command=sys.executable, args=("-c", "print('{env:WORD}')")))
    assert launch.argv[2] == "print('said')"
