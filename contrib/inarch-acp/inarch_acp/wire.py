"""Transport for JSON-RPC messages, one per line, over two descriptors.

Invalid messages get an error reply. Two threads do the blocking reads and writes, so a stalled client does not block
a turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from typing import Any

from attrs import define, field
from pydantic import BaseModel

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
_CLOSING_S = 5.0


@define(eq=False, repr=False)
class Wire:
    """A transport for the protocol package's `Connection`."""

    source: int
    sink: int
    _loop: asyncio.AbstractEventLoop = field(init=False, factory=asyncio.get_running_loop)
    _came: asyncio.Queue[dict[str, Any] | None] = field(init=False, factory=asyncio.Queue)
    _going: queue.SimpleQueue[bytes | None] = field(init=False, factory=queue.SimpleQueue)
    _writer: threading.Thread = field(init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._read, name="acp-reader", daemon=True).start()
        self._writer = threading.Thread(target=self._write, name="acp-writer", daemon=True)
        self._writer.start()

    def put(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        self._going.put(json.dumps(message, separators=(",", ":"), default=repr).encode() + b"\n")

    async def send(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        self.put(message)

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end."""
        return await self._came.get()

    async def close(self) -> None:
        """Write the queued messages, as long as the client reads."""
        self._going.put(None)
        await asyncio.to_thread(self._writer.join, _CLOSING_S)

    def hang_up(self) -> None:
        """Make `receive` return None, as if the client had gone."""
        self._came.put_nowait(None)

    def _read(self) -> None:
        try:
            with open(self.source, "rb", closefd=False) as stream:
                for line in stream:
                    self._from_thread(self._take, line)
        except OSError:
            pass  # the client has gone and closed its terminal or socket
        self._from_thread(self.hang_up)

    def _write(self) -> None:
        try:
            while (data := self._going.get()) is not None:
                while data:
                    data = data[os.write(self.sink, data) :]
        except OSError:
            self._from_thread(self.hang_up)

    def _from_thread(self, call: Any, *given: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *given)
        except RuntimeError:
            pass  # the loop is closed and has no reader

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse(PARSE_ERROR, f"no JSON: {error}")
            return
        wrong = _what_is_wrong(message)
        if wrong:
            known = message.get("id") if isinstance(message, dict) else None
            self._refuse(INVALID_REQUEST, wrong, known if _is_id(known) else None)
        else:
            self._came.put_nowait(message)

    def _refuse(self, code: int, why: str, message_id: str | int | None = None) -> None:
        self.put({"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": why}})


def _what_is_wrong(message: Any) -> str:
    if not isinstance(message, dict):
        return "a message is a JSON object"
    if message.get("jsonrpc") != "2.0":
        return 'a message has "jsonrpc": "2.0"'
    if "id" in message and message["id"] is not None and not _is_id(message["id"]):
        return "an id is a text or a whole number"
    if "method" in message and not isinstance(message["method"], str):
        return "a method is a text"
    if "method" not in message and not ("id" in message and ("result" in message or "error" in message)):
        return "a message is a request, a notification or a response"
    if "method" not in message and "error" in message and not isinstance(message["error"], (dict, type(None))):
        return "an error is a JSON object"
    return ""


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def as_json(model: BaseModel) -> dict[str, Any]:
    """Return a message of the protocol as plain JSON data."""
    data: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data


def plain(value: Any) -> Any:
    """Return JSON data that can be encoded. Lone surrogates, as in file names, become escapes."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {plain(str(key)): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
