"""Listings of tools as the server sent them: the official package refuses a whole listing for one odd tool in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse

Page = list[Mapping[str, Any]]


@asynccontextmanager
async def tamed(transport: AbstractAsyncContextManager[Any], pages: list[Page]) -> AsyncGenerator[Any, None]:
    """Yield the streams of a transport; of each listing that comes in, `pages` gets the tools as they were sent.

    The package sees of them what it needs to make calls.
    """
    async with transport as (incoming, outgoing), anyio.create_task_group() as group:
        passed_on, tame = anyio.create_memory_object_stream[Any](0)

        async def pass_on() -> None:
            async with passed_on:
                async for item in incoming:
                    try:
                        await passed_on.send(_tamed(item, pages))
                    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                        return

        group.start_soon(pass_on)
        try:
            yield tame, outgoing
        finally:
            group.cancel_scope.cancel()
            passed_on.close()
            tame.close()


def _tamed(item: Any, pages: list[Page]) -> Any:
    message = getattr(item, "message", None)
    if not isinstance(message, JSONRPCResponse) or not isinstance(message.result.get("tools"), list):
        return item
    page: Page = [tool for tool in message.result["tools"] if isinstance(tool, Mapping)]
    pages.append(page)
    result = {**message.result, "tools": [_plain(tool) for tool in page if isinstance(tool.get("name"), str)]}
    return SessionMessage(message.model_copy(update={"result": result}), item.metadata)


def _plain(tool: Mapping[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    known = isinstance(schema, Mapping) and schema.get("type") == "object"
    return {"name": tool["name"], "inputSchema": schema if known else {"type": "object"}}
