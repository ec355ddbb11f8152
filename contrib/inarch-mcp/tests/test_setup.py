"""Inarch offered to an agent that nobody here wrote: Codex lists and calls a tool through what `inarch setup` wrote."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CONFIG = '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "setup", "mcp"]\n'
CODEX = """model = "scripted"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
[analytics]
enabled = false
"""
NOWHERE = "http://127.0.0.1:9"
STAYING = {"HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "ALL_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1"}
"""Variables with which nothing but what is on loopback is reached."""
MOST_WAITS = 200
"""Requests for which the model does something else, until the server has come up."""


class Model(ThreadingHTTPServer):
    """A model that reads a file with Inarch's tool, as soon as it is offered, and then says what stood there."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.bodies: list[dict[str, Any]] = []

    def item(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return what the model says next."""
        self.bodies.append(body)
        results = [one for one in body["input"] if one["type"] == "function_call_output" and one["call_id"] == "read"]
        if results or len(self.bodies) > MOST_WAITS:
            text = {"type": "output_text", "text": f"read: {json.dumps(results)}"}
            return {"type": "message", "role": "assistant", "id": "m", "content": [text]}
        if "read_file" in offered(body):
            call = {"name": "read_file", "namespace": "mcp__inarch", "arguments": '{"file_path": "a.txt"}'}
            return {"type": "function_call", "id": "f", "call_id": "read", **call}
        wait = {"name": "exec_command", "arguments": '{"cmd": "sleep 0.2"}'}
        return {"type": "function_call", "id": "w", "call_id": f"wait{len(self.bodies)}", **wait}


class Answer(BaseHTTPRequestHandler):
    """One request of the Responses wire."""

    server: Model

    def do_POST(self) -> None:
        item = self.server.item(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        whole = {"id": "r", "output": [item], "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ]
        data = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def offered(body: dict[str, Any]) -> list[str]:
    """Return the names of Inarch's tools in a request."""
    return [
        tool["name"]
        for group in body.get("tools", ())
        if group["type"] == "namespace" and group["name"] == "mcp__inarch"
        for tool in group["tools"]
    ]


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_codex_lists_and_calls_a_tool_through_the_entry(part: Callable[[str], str], ground: Any, model: Model) -> None:
    program = part("codex")
    (ground.root / "a.txt").write_text("hello from Inarch\n")
    settings = ground.home / ".config" / "inarch" / "config.toml"
    codex = ground.home / ".codex" / "config.toml"
    for file, text in ((settings, CONFIG), (codex, CODEX.format(port=model.server_port))):
        file.parent.mkdir(parents=True)
        file.write_text(text)

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=ground.root, env={**ground.environ, **STAYING}, stdin=subprocess.DEVNULL, timeout=300,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    inarch = (sys.executable, "-P", "-m", "inarch", "setup", "codex", "--yes")
    run(*inarch)
    said = run(program, "exec", "--json", "--skip-git-repo-check", "what does a.txt say?")
    assert {"read_file", "list_files", "search_files"} <= set(offered(model.bodies[-1]))
    items = [line["item"] for line in map(json.loads, said.splitlines()) if line["type"] == "item.completed"]
    (call,) = [item for item in items if item["type"] == "mcp_tool_call"]
    assert (call["server"], call["tool"], call["status"]) == ("inarch", "read_file", "completed")
    assert call["result"]["structured_content"]["content"] == "hello from Inarch\n"
    assert "hello from Inarch" in items[-1]["text"]
    guides = json.dumps(model.bodies[0])
    assert "Finding code with Inarch" in guides and "inarch-context" in guides
    run(*inarch, "--remove")
    assert codex.read_text() == CODEX.format(port=model.server_port)
    assert sorted(one.name for one in Path(ground.root).iterdir()) == ["a.txt"]


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
