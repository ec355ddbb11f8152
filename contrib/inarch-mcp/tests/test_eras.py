"""Servers of both eras of the protocol: of the official package, and plain ones that know only one."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import inarch

OFFICIAL = """
import sys
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("official", version="1")
@server.tool()
async def add(a: int, b: int, context: Context) -> int:
    await context.report_progress(1, 2, "adding")
    return a + b
@server.tool()
def fail() -> str:
    raise ValueError("as asked")
if sys.argv[1] == "stdio":
    server.run()
else:
    import socket, uvicorn
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run([listening])
"""
ONE_ERA = """
import json, sys
modern = sys.argv[1] == "2026-07-28"
tool = {"name": "add", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    message = json.loads(line)
    number, method, params = message.get("id"), message["method"], message.get("params") or {}
    of = (params.get("_meta") or {}).get("io.modelcontextprotocol/protocolVersion")
    cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}
    done = {"resultType": "complete"} if modern else {}
    answers = {
        "tools/list": {"tools": [tool], **cached},
        "tools/call": {"content": [{"type": "text", "text": str(of)}], **done},
    }
    server = {"name": "one", "version": "1"}
    if modern:
        meta = {"io.modelcontextprotocol/serverInfo": server}
        said = {"supportedVersions": [sys.argv[1]], "capabilities": {"tools": {}}, "_meta": meta}
        answers["server/discover"] = {**said, **cached}
    else:
        answers["initialize"] = {"protocolVersion": sys.argv[1], "capabilities": {"tools": {}}, "serverInfo": server}
    if number is None:
        continue
    if method in answers and (of == sys.argv[1] if modern else of is None):
        said = {"result": answers[method]}
    else:
        said = {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": number, **said}), flush=True)
"""
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@contextmanager
def over_http(script: Path) -> Iterator[str]:
    process = subprocess.Popen([sys.executable, "-I", str(script), "http"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.match(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.kill()
        process.communicate(timeout=60)


def use(ground: Any, server: dict[str, Any], version: str) -> None:
    app: inarch.App = ground.app({"s": {**server, "connect_s": 60.0}})
    shown: list[str] = []
    summed = asyncio.run(app.session().call_tool("s_add", {"a": 2, "b": 3}, shown.append))
    assert summed.success and "5" in json.dumps(summed.data) and "1 of 2: adding" in "".join(shown)
    failed = asyncio.run(app.call_tool("s_fail", {}))
    assert failed.error is not None and "Error executing tool fail" in failed.error.message
    assert protocol(ground, "s") == version


def protocol(ground: Any, name: str) -> str:
    folder = Path(ground.environ["XDG_CACHE_HOME"])
    kept = max(folder.rglob(f"listings/{name}-*.json"), key=lambda path: path.stat().st_mtime_ns)
    return str(json.loads(kept.read_text())["listing"]["protocol"])


@pytest.mark.parametrize("handshake", VERSIONS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_of_the_official_package_in_each_era(ground: Any, handshake: str, transport: str) -> None:
    script = ground.hostile / "official.py"
    script.write_text(OFFICIAL)
    if transport == "stdio":
        argv = ["-I", str(script), "stdio"]
        use(ground, {"command": sys.executable, "args": argv, "handshake": handshake}, VERSIONS[handshake])
    else:
        with over_http(script) as url:
            use(ground, {"url": url, "handshake": handshake}, VERSIONS[handshake])
            ground.apps.pop().close()


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25", "2024-11-05"])
def test_a_server_that_knows_one_era(ground: Any, version: str) -> None:
    argv = ["-I", "-c", ONE_ERA, version]
    app = ground.app({"one": {"command": sys.executable, "args": argv, "connect_s": 60.0}})
    called = asyncio.run(app.call_tool("one_add", {}))
    assert called.data == (version if version == "2026-07-28" else "None")
    assert protocol(ground, "one") == version
