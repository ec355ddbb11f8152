"""A language server whose faults a test chooses by its first argument: each line with `bad` in it is an error."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
PUSHING = MODE in ("push", "versions")
texts: dict[str, str] = {}
_DEEP: list[Any] = []
for _ in range(900):
    _DEEP = [_DEEP]
_PUBLISHED = "textDocument/publishDiagnostics"
ODD: list[dict[str, Any]] = [
    {},
    {"id": _DEEP, "method": "workspace/configuration", "params": {"items": 3}},
    {"id": "a", "method": "client/registerCapability", "params": {"registrations": [1, {"method": []}]}},
    {"id": [], "result": 1},
    {"method": 3},
    *({"method": _PUBLISHED, "params": params} for params in ([], {}, {"uri": "http://[", "diagnostics": 1})),
    *({"method": _PUBLISHED, "params": {"uri": uri, "version": []}} for uri in (3, None, "file:///\0", "file://%ff")),
    {"id": "b", "method": "window/showMessageRequest", "params": {"message": "\ud800"}},
]


def received() -> Iterator[dict[str, Any]]:
    """Yield the client's messages until it is gone."""
    length = 0
    for line in iter(sys.stdin.buffer.readline, b""):
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
        elif line == b"\r\n":
            yield json.loads(sys.stdin.buffer.read(length))


def send(message: dict[str, Any]) -> None:
    """Send a message."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def errors(text: str) -> list[dict[str, Any]]:
    """Return what is wrong with a text."""
    found = [(number, f"bad: {line.strip()}") for number, line in enumerate(text.splitlines()) if "bad" in line]
    if MODE == "reaching" and "look" in text:
        found = [(0, f"reached {', '.join(reached())}")]
    place = {"character": 0}
    return [{"range": {"start": {"line": number, **place}}, "message": said, "severity": 1} for number, said in found]


def reached() -> Iterator[str]:
    """Yield what this process may do; a descendant of its own is left behind."""
    subprocess.Popen(["sleep", "987"])
    secret, port = sys.argv[2:4]
    wanted: dict[str, Callable[[], object]] = {
        "the project": Path("look.txt").read_text,
        "a file to write": Path("made.txt").touch,
        "the home folder": Path(secret).read_text,
        "the network": lambda: socket.create_connection(("127.0.0.1", int(port)), 2),
    }
    for what, do in wanted.items():
        try:
            do()
        except OSError:
            continue
        yield what


def take(item: dict[str, Any], changes: list[dict[str, Any]]) -> None:
    """Take a file's text, and tell what is wrong with it where nobody asks."""
    uri = item["uri"]
    texts[uri] = changes[0]["text"] if changes else item["text"]
    told: dict[str, Any] = {"uri": uri, "diagnostics": errors(texts[uri])}
    if MODE == "versions":  # what is said of an older text comes late
        old = {"uri": uri, "version": item["version"] - 1, "diagnostics": errors("bad and old")}
        send({"method": "textDocument/publishDiagnostics", "params": old})
        told["version"] = item["version"]
    if MODE == "odd":  # what no server should say, and some do
        for nonsense in ODD:
            send(nonsense)
    if MODE == "push":  # in parts
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": []}})
    if PUSHING:
        send({"method": "textDocument/publishDiagnostics", "params": told})


def answer(number: int, uri: str, asked: int) -> None:
    """Tell what is wrong with a file to who asks."""
    if MODE == "slow":
        time.sleep(1.5)
    if MODE == "crash later":
        os._exit(7)
    if MODE == "big":
        sys.stdout.buffer.write(b"Content-Length: 100000000\r\n\r\n" + b" " * 100_000_000)
    if MODE == "again" and asked % 2:
        send({"id": number, "error": {"code": -32802, "message": "not yet"}})
        return
    send({"id": number, "result": {"kind": "full", "items": errors(texts[uri])}})


def serve() -> None:
    """Answer until the client is gone."""
    asked = 0
    for message in received():
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        if MODE == "hang":
            continue
        if method == "initialize":
            send({"id": number, "result": {"capabilities": {} if PUSHING else {"diagnosticProvider": {}}}})
        elif method in ("textDocument/didOpen", "textDocument/didChange"):
            take(params["textDocument"], params.get("contentChanges", []))
        elif method == "textDocument/diagnostic":
            asked += 1
            answer(number, params["textDocument"]["uri"], asked)
        elif number is not None and method:
            send({"id": number, "error": {"code": -32601, "message": "what?"}})


if __name__ == "__main__":
    if MODE == "crash":
        sys.exit(3)
    if MODE == "garbage":
        sys.stdout.write("Welcome to the server!\r\n\r\n")
        sys.stdout.flush()
    while MODE == "endless":
        sys.stdout.buffer.write(b"x" * 65_536)
    serve()
