"""Inarch offered to other agents: what `inarch setup` writes starts a server that answers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def test_a_profile_need_not_name_the_server(ground: Any) -> None:
    command = (sys.executable, "-P", "-m", "inarch", "setup", "claude-code", "--yes")
    done = subprocess.run(command, cwd=ground.root, env=ground.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    server = json.loads((ground.root / ".mcp.json").read_text())["mcpServers"]["inarch"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    with subprocess.Popen(
        [server["command"], *server["args"]], cwd=ground.root, env=ground.environ, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as serving:  # fmt: skip
        assert serving.stdin is not None and serving.stdout is not None
        serving.stdin.write(f"{asked}\n")
        serving.stdin.flush()
        assert json.loads(serving.stdout.readline())["result"]["serverInfo"]["name"] == "inarch"
        serving.stdin.close()
