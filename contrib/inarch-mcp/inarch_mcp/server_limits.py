"""What a server may send: so much, plain, and listings as they are.

The official package refuses a whole listing for one odd tool in it.
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
"""Headers of each request: a body that is compressed can be far longer than it looks."""


async def bounded(response: httpx2.Response) -> None:
    """Limit the body of a response, before anything of it is read; of events each has its own limit.

    Raises:
        httpx2.RemoteProtocolError: It is compressed, which it was not to be.
    """
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise httpx2.RemoteProtocolError(f"it sent an answer in {coding[:40]!r}, which was not asked for")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > LONGEST_LINE:
                raise httpx2.StreamError(f"it sent a message of more than {LONGEST_LINE >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


MOST_LISTED = 2_000
"""Tools of one listing that are looked at."""
LARGEST_TOOL = 1 << 18
"""Bytes of one, as JSON."""
MOST_MESSAGES = 5_000
"""Messages that are taken from a server within `WITHIN_S` seconds; four times as many between two answers."""
WITHIN_S = 10.0


@define(eq=False)
class Listed:
    """The tools of one listing as they were sent, while it is under way: what comes unasked is passed over."""

    tools: list[Mapping[str, Any]] = field(init=False, factory=list)
    is_open: bool = field(init=False, default=False)

    @property
    def is_full(self) -> bool:
        """Whether no more are looked at."""
        return len(self.tools) >= MOST_LISTED

    def begin(self) -> None:
        """Take the tools of a new listing."""
        self.tools, self.is_open = [], True

    def end(self) -> list[Mapping[str, Any]]:
        """Return the tools; no more are taken."""
        tools, self.tools, self.is_open = self.tools, [], False
        return tools

    def take(self, sent: list[Mapping[str, Any]]) -> None:
        """Take a page; of a tool that is too large, its name."""
        if self.is_open:
            self.tools += [_limited(tool) for tool in sent[: MOST_LISTED - len(self.tools)]]


def _limited(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(json.dumps(tool)) <= LARGEST_TOOL:
        return tool
    name = tool.get("name")
    return {"name": name[:LARGEST_TOOL] if isinstance(name, str) else None, "inputSchema": "too large"}


@define(eq=False)
class _Rate:
    """How many messages came since a moment, and how many without an answer among them."""

    since: float = 0.0
    count: int = 0
    unasked: int = 0

    def is_flood(self, item: Any) -> bool:
        """Take note of a message; return whether there are more than anybody sends."""
        now = time.monotonic()
        if now - self.since > WITHIN_S:
            self.since, self.count = now, 0
        self.count += 1
        is_answer = isinstance(getattr(item, "message", None), JSONRPCResponse)
        self.unasked = 0 if is_answer else self.unasked + 1
        return self.count > MOST_MESSAGES or self.unasked > 4 * MOST_MESSAGES


@asynccontextmanager
async def tamed(
    transport: AbstractAsyncContextManager[Any], listed: Listed, ended: Callable[[str], None]
) -> AsyncGenerator[Any, None]:
    """Yield the streams of a transport; of each listing that comes in, `listed` gets the tools as they were sent.

    The package sees of them what it needs to make calls. A server that sends messages without an end is heard no
    more, and `ended` is told.
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
                        await passed_on.send(_tamed(item, listed))
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
