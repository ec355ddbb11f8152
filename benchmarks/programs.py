"""The programs that benchmarks of models compare: Inarch as a person starts it, and the same requests by bare httpx2.

Not a benchmark. The bare loop streams with an `AsyncClient`, parses with `json.loads` and sends the same bodies:
Inarch's own system text and tools, and messages that it extends as the wire wants. Before each request it reads the
same line of the same file, appends one line to a log and calls fdatasync, as the journal must.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from serving import NOTE, Server

WIRES = ("openai-compatible", "gemini")
PLUGINS = {"openai-compatible": "/v1", "gemini": "/v1beta", "openai": "/v1", "anthropic": "/v1"}
PATHS = {"gemini": "/models/m:streamGenerateContent?alt=sse", "openai": "/responses", "anthropic": "/messages"}
KEYS = {
    "gemini": ("GEMINI_API_KEY", "AIza-benchmark"),
    "openai": ("OPENAI_API_KEY", "sk-benchmark"),
    "anthropic": ("ANTHROPIC_API_KEY", "sk-ant-benchmark"),
}

BARE = '''
import asyncio
import json
import os
import sys

import httpx2

url, path, wire, plan, log = sys.argv[1:]
gemini = wire == "gemini"


def results(call):
    """Do what the call says and return both messages."""
    if gemini:
        name, arguments = call["functionCall"]["name"], call["functionCall"]["args"]
    else:
        name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
    with open(arguments["file_path"], encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    content = "".join(lines[arguments["start_line"] - 1 : arguments["end_line"]])
    text = json.dumps({"path": arguments["file_path"], "start_line": arguments["start_line"],
                       "end_line": arguments["end_line"], "total_lines": len(lines)}, separators=(",", ":"))
    text += "\\ncontent:\\n" + content
    if gemini:
        response = {"id": call["functionCall"]["id"], "name": name, "response": {"output": text}}
        return [{"role": "model", "parts": [call]}, {"role": "user", "parts": [{"functionResponse": response}]}]
    call = {key: value for key, value in call.items() if key != "index"}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [said, {"role": "tool", "tool_call_id": call["id"], "content": text}]


def found(events):
    for event in events:
        if gemini:
            for candidate in event.get("candidates", ()):
                yield from (part for part in candidate["content"]["parts"] if "functionCall" in part)
        else:
            for choice in event.get("choices", ()):
                yield from choice["delta"].get("tool_calls", ())


async def main():
    body = json.loads(open(plan, encoding="utf-8").read())
    messages = body["contents" if gemini else "input" if wire == "openai" else "messages"]
    record = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if log else None
    async with httpx2.AsyncClient(headers={"user-agent": "bare"}) as client:
        while True:
            if record is not None:
                os.write(record, (json.dumps(messages[-1]) + "\\n").encode())
                os.fdatasync(record)
            events = []
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
            headers = {"content-type": "application/json"}
            async with client.stream("POST", url + path, content=content, headers=headers) as answer:
                async for line in answer.aiter_lines():
                    if line.startswith("data: ") and line != "data: [DONE]":
                        events.append(json.loads(line[6:]))
            calls = list(found(events))
            if not calls:
                return
            for call in calls:
                messages += results(call)


asyncio.run(main())
'''


class Place:
    """A folder with a home, a workspace and the bare program.

    Args:
        folder: An empty folder.
        files: Whether the workspace holds the file that calls read; else it is empty.
    """

    def __init__(self, folder: str, files: bool) -> None:
        self.folder = Path(folder)
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir()
        self.home = self.folder / "home"
        (self.home / "config" / "inarch").mkdir(parents=True)
        (self.folder / "bare.py").write_text(BARE, "utf-8")
        if files:
            (self.workspace / "note.txt").write_text(NOTE, "utf-8")
        kept = ("PATH", "LANG", "SYSTEMROOT", "PYTHONPATH", "LD_LIBRARY_PATH")
        self.environ = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(self.home),
            **{f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")},
        }

    def configure(self, server: Server, plan: str, wire: str) -> None:
        """Write the user's configuration: where the server is, and a profile of default plugins that may go on."""
        self.environ |= dict([KEYS[wire]] if wire in KEYS else [])
        text = f"""
[profiles.default]
model = "{wire}/m"
strategy = ["native"]
max_iterations = 100000
[plugins.{wire}]
base_url = "{server.url}/{plan}{PLUGINS[wire]}"
"""
        (self.home / "config" / "inarch" / "config.toml").write_text(text, "utf-8")

    def inarch(self, *options: str) -> list[str]:
        """Return the command line of Inarch."""
        return [sys.executable, "-P", "-m", "inarch", *options, "read the note"]

    def bare(self, server: Server, plan: str, wire: str, body: Any, log: bool) -> list[str]:
        """Return the command line of the bare loop; it begins with `body` and, with `log`, keeps a log."""
        path = f"/{plan}{PLUGINS[wire]}" + PATHS.get(wire, "/chat/completions")
        first = self.folder / f"first-{wire}.json"
        first.write_text(json.dumps(body), "utf-8")
        kept = str(self.folder / "bare.log") if log else ""
        return [sys.executable, "-P", str(self.folder / "bare.py"), server.url, path, wire, str(first), kept]

    def run(self, argv: Sequence[str]) -> dict[str, float]:
        """Run a program in the workspace and return its wall and CPU seconds and its peak memory in MB."""
        began = time.monotonic()
        child = subprocess.Popen(
            argv, cwd=self.workspace, env=self.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        with child:
            assert child.stderr is not None and child.stdout is not None
            out = child.stdout.read()
            said = child.stderr.read()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        ended = time.monotonic()
        if child.returncode:
            raise SystemExit(f"{argv[:5]} failed: {said.decode()} {out.decode()}")
        return {"began": began, "wall_s": ended - began, "cpu_s": used.ru_utime + used.ru_stime,
                "peak_mb": used.ru_maxrss / 1024}  # fmt: skip


def waits(rows: Sequence[dict[str, float]]) -> list[float]:
    """Return the seconds that the client took between each reply and its next request."""
    return [after["came"] - before["sent"] for before, after in pairwise(rows)]


def compared(what: str, pairs: Sequence[tuple[float, float]], reach: float, unit: str = "ms") -> None:
    """Print one JSON line: the median of the ratios of paired runs, and their quartiles."""
    ratios = sorted(ours / bare for ours, bare in pairs)
    low, high = ratios[len(ratios) // 4], ratios[(len(ratios) * 3) // 4]
    scale = 1000 if unit in ("ms", "us") else 1
    ours, bare = (statistics.median(column) * scale for column in zip(*pairs, strict=True))
    print(json.dumps({
        "what": what, "ratio": round(statistics.median(ratios), 2), "quartiles": [round(low, 2), round(high, 2)],
        "reach": reach, f"ours_{unit}": round(ours, 2), f"bare_{unit}": round(bare, 2), "pairs": len(pairs),
    }), flush=True)  # fmt: skip


def own_peak_mb() -> float:
    """Return this process's peak memory: what a child's figure can't be below, for it begins as a copy."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
