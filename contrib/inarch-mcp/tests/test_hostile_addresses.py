"""Addresses that answer without an end, compressed, or from elsewhere: the call fails, and nothing goes astray."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

MIB = b" " * (1 << 20)
JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}
RESULT = {"content": [{"type": "text", "text": "ok"}]}


class Address:
    """A server over HTTP whose tool `go` answers as it is told."""

    def __init__(self) -> None:
        self.ways: dict[str, Any] = {}
        self.server = HttpServer([self.reply])

    def reply(self, request: HttpRequest) -> HttpReply:
        if request.method != "POST":
            return HttpReply(status=405)
        message = request.json
        number, method = message.get("id"), message["method"]
        if number is None:
            return HttpReply(status=202)
        if method == "initialize":
            info = {"name": "web", "version": "1"}
            version = message["params"]["protocolVersion"]
            return self._said(number, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        if method == "tools/list":
            plain = {"type": "object", "properties": {"how": {"type": "string"}}}
            return self._said(number, {"tools": [{"name": "go", "inputSchema": plain}]})
        if method != "tools/call":
            return json_reply({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})
        way = self.ways.get(message["params"]["arguments"].get("how"))
        return way(number) if way else self._said(number, RESULT)

    def _said(self, number: int, result: Any) -> HttpReply:
        return json_reply({"jsonrpc": "2.0", "id": number, "result": result})


@pytest.fixture
def address() -> Iterator[Address]:
    made = Address()
    with made.server:
        yield made


def _app(ground: Any, address: Address, **more: Any) -> inarch.App:
    ground.environ["WEB_KEY"] = "sk-not-for-others-0123456789"
    table = {"url": f"{address.server.url}/mcp", "headers_env": {"X-Key": "WEB_KEY"}, "connect_s": 60.0, **more}
    app: inarch.App = ground.app({"web": table})
    assert "web_go" in app.composition.tools, app.ignored
    return app


def _call(app: inarch.App, how: str) -> inarch.ToolResult:
    return asyncio.run(asyncio.wait_for(app.call_tool("web_go", {"how": how}), 60))


def test_a_body_without_an_end_or_compressed_costs_its_call(ground: Any, address: Address) -> None:
    bomb = gzip.compress(MIB * 8)
    address.ways = {
        "endless": lambda _: HttpReply([MIB] * 40, 200, JSON, "silent"),
        "late": lambda _: HttpReply([b"{", 0.01] * 3 + [MIB] * 40, 200, JSON, "silent"),
        "refused": lambda _: HttpReply([MIB] * 40, 400, JSON, "silent"),
        "bomb": lambda _: HttpReply([bomb], 200, {**JSON, "content-encoding": "gzip"}),
        "events": lambda _: HttpReply([b"data: ", *[b"x" * (1 << 20)] * 40], 200, EVENTS, "silent"),
    }
    app = _app(ground, address)
    for how in address.ways:
        result = _call(app, how)
        assert result.error is not None, how
        assert result.error.code in ("execution", "unknown_outcome"), (how, result.error)
        assert _call(app, "").data == "ok", how


def test_events_without_an_end_are_waited_for_as_long_as_a_call_may_take(ground: Any, address: Address) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
    event = b"data: " + json.dumps(note).encode() + b"\n\n"
    address.ways = {"drip": lambda _: HttpReply([event, 0.05] * 10_000, 200, EVENTS)}
    app = _app(ground, address, timeout_s=2.0)
    result = _call(app, "drip")
    assert result.error is not None and result.error.code == "timeout"
    assert _call(app, "").data == "ok"


def test_keys_do_not_follow_a_redirect(ground: Any, address: Address) -> None:
    with HttpServer([HttpReply(status=200)]) as other:
        for status in (301, 302, 307, 308):
            address.ways[str(status)] = lambda _, status=status: HttpReply(
                status=status, headers={"location": f"{other.url}/mcp"}
            )
        app = _app(ground, address)
        for how in list(address.ways):
            assert not _call(app, how).success
        assert other.requests == []
        assert _call(app, "").data == "ok"
