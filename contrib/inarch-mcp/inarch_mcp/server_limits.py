"""Limits on servers' messages, and listings in their raw form.

The official package rejects a whole listing for one invalid tool.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
from attrs import define, field
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse

from inarch_mcp.stdio import LONGEST_LINE

PLAIN = {"accept-encoding": "identity"}
"""Headers of each request, without compression: a compressed body can be far longer than it looks."""


async def bounded(response: httpx2.Response, most: int = LONGEST_LINE) -> None:
    """Limit the body of a response, in bytes, before it is read. In event streams, each event has its own limit.

    Raises:
        httpx2.RemoteProtocolError: The body is compressed against the request.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise httpx2.RemoteProtocolError(f"it sent an answer in {coding[:40]!r}, which was not asked for")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _Bounded(response.stream, most)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > self._most:
                raise httpx2.StreamError(f"it sent a message of more than {self._most >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


MOST_LISTED = 2_000
"""Largest number of tools in a listing. The rest are ignored."""
LARGEST_TOOL = 1 << 18
"""Largest tool, in bytes of JSON."""
MOST_MESSAGES = 5_000
"""Messages accepted from a server within `WITHIN_S` seconds, or four times as many between two answers."""
WITHIN_S = 10.0


@define(eq=False)
class Listed:
    """The raw tools of one listing in progress. Unrequested pages are ignored."""

    tools: list[Mapping[str, Any]] = field(init=False, factory=list)
    is_open: bool = field(init=False, default=False)

    @property
    def is_full(self) -> bool:
        """Return whether the limit is reached."""
        return len(self.tools) >= MOST_LISTED

    def begin(self) -> None:
        """Start a new listing."""
        self.tools, self.is_open = [], True

    def end(self) -> list[Mapping[str, Any]]:
        """End the listing and return its tools."""
        tools, self.tools, self.is_open = self.tools, [], False
        return tools

    def take(self, sent: list[Mapping[str, Any]]) -> None:
        """Add a page of tools. For a tool that is too large, add only its name."""
        if self.is_open:
            self.tools += [_limited(tool) for tool in sent[: MOST_LISTED - len(self.tools)]]


def _limited(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(json.dumps(tool)) <= LARGEST_TOOL:
        return tool
    name = tool.get("name")
    return {"name": name[:LARGEST_TOOL] if isinstance(name, str) else None, "inputSchema": "too large"}


@define(eq=False)
class _Rate:
    """Counts of messages in a time span, and of those since the last answer."""

    since: float = 0.0
    count: int = 0
    unasked: int = 0

    def is_flood(self, item: Any) -> bool:
        """Count a message and return whether the server floods the connection."""
        now = time.monotonic()
        if now - self.since > WITHIN_S:
            self.since, self.count = now, 0
        self.count += 1
        is_answer = isinstance(getattr(item, "message", None), JSONRPCResponse)
        self.unasked = 0 if is_answer else self.unasked + 1
        return self.count > MOST_MESSAGES or self.unasked > 4 * MOST_MESSAGES


@asynccontextmanager
async def tamed(
    transport: AbstractAsyncContextManager[Any],
    listed: Listed,
    ended: Callable[[str], None],
    hide: Callable[[Any], Any] | None = None,
) -> AsyncGenerator[Any, None]:
    """Yield the streams of a transport, and pass the raw tools of each listing to `listed`.

    The package gets only the parts of the tools that calls need. If a server floods the connection, its messages are
    dropped and `ended` is called. `hide` removes secrets from what is received.
    """
    async with transport as (incoming, outgoing), anyio.create_task_group() as group:
        passed_on, tame = anyio.create_memory_object_stream[Any](0)

        async def pass_on() -> None:
            rate = _Rate()
            async with passed_on:
                async for item in incoming:
                    if rate.is_flood(item):
                        ended("sent messages without an end")
                        return
                    try:
                        await passed_on.send(_tamed(hide(item) if hide else item, listed))
                    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                        return

        group.start_soon(pass_on)
        try:
            yield tame, outgoing
        finally:
            group.cancel_scope.cancel()
            passed_on.close()
            tame.close()


def _tamed(item: Any, listed: Listed) -> Any:
    message = getattr(item, "message", None)
    if not isinstance(message, JSONRPCResponse) or not isinstance(message.result.get("tools"), list):
        return item
    page: list[Mapping[str, Any]] = [tool for tool in message.result["tools"] if isinstance(tool, Mapping)]
    listed.take(page)
    result = {**message.result, "tools": [_plain(tool) for tool in page if isinstance(tool.get("name"), str)]}
    return SessionMessage(message.model_copy(update={"result": result}), item.metadata)


def _plain(tool: Mapping[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    known = isinstance(schema, Mapping) and schema.get("type") == "object"
    return {"name": tool["name"], "inputSchema": schema if known else {"type": "object"}}
