"""First replies of `inarch mcp serve` over the standard streams, from the last run, while the rest is still loading.

Clients wait for them, and some send their first request to a model without the tools of a slow server. Requests pass
on to the real server, whose replies are stored for the next run. This module imports nothing slow.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from attrs import define, field

import inarch
from inarch_mcp.server_records import read, write

FIRST = ("initialize", "server/discover", "tools/list")
"""The methods of a client's first requests, whose results do not depend on the client."""
_VERSION = "io.modelcontextprotocol/protocolVersion"
_ROOT = "\ue000"
"""Stands for the workspace's folder in the file, and is never in a path or a text."""
LEAST_PARTS = 3
"""Shortest path of a workspace that is replaced by `_ROOT`: a shorter one may be part of others."""
_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


@define(eq=False, repr=False)
class FirstReplies:
    """The standard streams of a server, taken before it exists.

    Handlers and children read an empty input, and what they print goes to standard error.

    Args:
        path: The file with the last run's results.
        root: The workspace's folder, which the file does not name.
    """

    path: Path
    root: str
    _stored: dict[str, Any] = field(init=False)
    _input: int = field(init=False, default=-1)
    _output: int = field(init=False, default=-1)
    _lines: SimpleQueue[str | None] = field(init=False, factory=SimpleQueue)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _is_served: bool = field(init=False, default=False)
    _is_session: bool = field(init=False, default=False)
    """Whether the client began as until 2025. Later ones subscribe to changes."""
    _pending: dict[str, tuple[str, bool]] = field(init=False, factory=dict)
    """The first requests that the real server has not answered: by id, what they ask for, and whether it was sent."""

    @_stored.default
    def _read_stored(self) -> dict[str, Any]:
        kept = read(self.path).items()
        return {key: json.loads(text.replace(_ROOT, self._root)) for key, text in kept if isinstance(text, str)}

    @property
    def _root(self) -> str:
        return json.dumps(self.root)[1:-1]

    def begin(self) -> None:
        """Take the streams, and answer what the last run answered.

        Raises:
            UsageError: One of them is closed.
        """
        try:
            self._input, self._output = os.dup(0), os.dup(1)
        except OSError:
            raise inarch.UsageError("standard input or output is closed", "let an agent start this command") from None
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        threading.Thread(target=self._read, name="inarch-mcp-input", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the client's lines to the real server."""
        with self._lock:
            self._is_served = True
        while (line := await asyncio.to_thread(self._lines.get)) is not None:
            yield line

    async def write(self, text: str) -> None:
        """Send a line of the real server, unless it was sent already."""
        await asyncio.to_thread(self._write, text)

    async def flush(self) -> None:
        """Do nothing, because lines are written at once."""

    def _read(self) -> None:
        with os.fdopen(self._input, "rb") as stream:
            for line in stream:
                with self._lock:
                    self._take(line)
                self._lines.put(line.decode("utf-8", "replace"))
        self._lines.put(None)

    def _take(self, line: bytes) -> None:
        """Note a first request, and answer it if the real server is not there yet."""
        try:
            message = json.loads(line)
            key, number = _key(message), json.dumps(message["id"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return
        is_known = not self._is_served and key in self._stored
        self._is_session |= key.startswith("initialize")
        if key:
            self._pending[number] = (key, is_known)
        if is_known:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": self._stored[key]})

    def _write(self, text: str) -> None:
        with self._lock:
            message = json.loads(text) if self._pending else {}
            is_reply = "id" in message and "method" not in message  # the server's own requests have ids, too
            key, was_sent = self._pending.pop(json.dumps(message["id"]), ("", False)) if is_reply else ("", False)
            if not key:
                self._put(text.encode())
                return
            former, now = self._stored.get(key), message.get("result")
            if now is not None and now != former:
                self._stored[key] = now
                texts = {key: json.dumps(result).replace(self._root, _ROOT) for key, result in self._stored.items()}
                write(self.path, texts)
            if not was_sent:
                self._put(text.encode())
            elif now != former and key.startswith("tools/list") and self._is_session:
                self._send(_CHANGED)

    def _send(self, message: dict[str, Any]) -> None:
        self._put(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._output, data) :]
        except BrokenPipeError:  # the client has left, which its input shows, too
            pass


def first_replies(context: inarch.PluginContext, root: str, *options: Any) -> FirstReplies:
    """Return the first replies of servers with these options and the present configuration.

    Workspaces without a configuration of their own share them.
    """
    place = Path(root).resolve()
    files = [place / ".inarch" / "config.toml"]
    if context.user is not None:
        files.append(Path(context.user.place("mcp.json")).with_name("config.toml"))
    texts = [one.read_text("utf-8", "replace") if one.is_file() else "" for one in files]
    own = str(place) if (place / ".inarch").exists() or len(place.parts) < LEAST_PARTS else ""
    key = sha256(json.dumps([inarch.__version__, own, options, texts]).encode()).hexdigest()[:24]
    return FirstReplies(Path(context.cache_dir, "serve", f"{key}.json"), str(place))


def _key(message: dict[str, Any]) -> str:
    """Return what a first request asks for, or ""."""
    params = message.get("params") or {}
    if message.get("method") not in FIRST or params.get("cursor"):
        return ""
    version = params.get("protocolVersion") or (params.get("_meta") or {}).get(_VERSION) or ""
    return f"{message['method']} {version}"
