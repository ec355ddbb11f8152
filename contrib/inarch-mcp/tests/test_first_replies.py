"""A server's first replies: from the last run, before the rest has loaded, and corrected if they are out of date."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BEGINNINGS: dict[str, list[dict[str, Any]]] = {
    "2025-06-18": [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": "two", "method": "tools/list"},
    ],
    "2026-07-28": [
        {"id": 1, "method": "server/discover"},
        {"id": "two", "method": "tools/list"},
    ],
}  # fmt: skip


class Talk:
    """A client that speaks in lines."""

    def __init__(self, ground: Any, root: Path, version: str) -> None:
        self.version = version
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "inarch", "mcp", "serve", "--root", str(root)],
            cwd=root, env=ground.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def send(self, message: dict[str, Any]) -> None:
        params = dict(message.get("params") or {})
        if self.version == "2026-07-28":
            named = {
                "protocolVersion": "2026-07-28",
                "clientCapabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            }
            params["_meta"] = {f"io.modelcontextprotocol/{key}": value for key, value in named.items()}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message, "params": params}).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1].decode()
        return dict(json.loads(line))

    def begin(self, version: str) -> list[dict[str, Any]]:
        for message in BEGINNINGS[version]:
            self.send(message)
        return [self.hear(), self.hear()]

    def end(self) -> list[dict[str, Any]]:
        """Close the input, and return what the server still said."""
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("version", BEGINNINGS)
def test_the_last_runs_replies_come_first_and_are_corrected(ground: Any, tmp_path: Path, version: str) -> None:
    ground.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    folder = ground.home / ".config" / "inarch"
    folder.mkdir(parents=True)
    profile = '[profiles.default]\nplugins = ["sandbox-fs", "sqlite-store", "offline", "mcp"]\n'
    (folder / "config.toml").write_text(f'{profile}model = "offline/extractive"\n')
    first = Talk(ground, ground.root, version)
    real = first.begin(version)
    assert first.end() == []
    (kept,) = (tmp_path / "cache").rglob("serve/*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text(
        kept.read_text().replace("Paths are relative", "Paths were relative").replace("List files", "Lost files")
    )
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("hello")
    second = Talk(ground, other, version)
    early = second.begin(version)
    assert [one["id"] for one in early] == [1, "two"]
    assert f"work on {other}. Paths were relative" in early[0]["result"]["instructions"]
    assert early[1]["result"] != real[1]["result"] and "Lost files" in json.dumps(early[1])
    second.send({"id": 3, "method": "tools/call", "params": {"name": "read_file", "arguments": {"file_path": "a.txt"}}})
    said = [second.hear()]
    while said[-1].get("id") != 3:
        said.append(second.hear())
    assert "hello" in json.dumps(said[-1]["result"])
    said += second.end()
    assert not [one for one in said if one.get("id") in (1, "two")]
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    assert (changed in said) == (version == "2025-06-18")
    third = Talk(ground, ground.root, version)
    assert third.begin(version) == real
    third.end()
