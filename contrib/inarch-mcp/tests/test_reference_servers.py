"""The protocol's own reference servers, over standard streams and streamable HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import inarch

EVERYTHING, FILES = "mcp-server-everything", "mcp-server-filesystem"  # found on PATH
PATIENCE: dict[str, Any] = {"connect_s": 60.0}


def call(app: inarch.App, name: str, **arguments: Any) -> inarch.ToolResult:
    return asyncio.run(app.call_tool(name, arguments))


def data(app: inarch.App, name: str, **arguments: Any) -> Any:
    result = call(app, name, **arguments)
    assert result.success, result.error
    return result.data


def live(app: inarch.App, name: str, **arguments: Any) -> tuple[inarch.ToolResult, str]:
    shown: list[str] = []
    return asyncio.run(app.session().call_tool(name, arguments, shown.append)), "".join(shown)


@pytest.mark.needs(EVERYTHING)
def test_everything_over_standard_streams(ground: Any) -> None:
    app = ground.app({"all": {"command": EVERYTHING, **PATIENCE}})
    assert data(app, "all_echo", message="grüß dich") == "Echo: grüß dich"
    assert "5" in data(app, "all_get_sum", a=2, b=3)
    weather = data(app, "all_get_structured_content", location="Chicago")
    assert weather["temperature"] == 36
    assert "image/png" in data(app, "all_get_tiny_image")
    wrong = call(app, "all_get_structured_content", location=7)
    assert wrong.error is not None and wrong.error.code == "validation"
    result, shown = live(app, "all_trigger_long_running_operation", duration=0.4, steps=2)
    assert result.success and "1 of 2" in shown and "2 of 2" in shown


def answers(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def http_server(ground: Any, port: int) -> Iterator[None]:
    """Run the server until it answers, once more if another process had the port just then."""
    assert EVERYTHING is not None
    running: list[subprocess.Popen[bytes]] = []

    def is_up() -> bool:
        if not running or running[-1].poll() is not None:
            started = subprocess.Popen(
                [EVERYTHING, "streamableHttp"],
                env={**os.environ, "PORT": str(port)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            running.append(started)
        return answers(port)

    try:
        ground.until(is_up, "the server")
        yield
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.needs(EVERYTHING)
def test_everything_over_http_also_after_it_was_away(ground: Any) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])

    ground.environ["WEB_TOKEN"] = "t0ken"
    url = f"http://127.0.0.1:{port}/mcp"
    with http_server(ground, port):
        app = ground.app({"web": {"url": url, "headers_env": {"X-Token": "WEB_TOKEN"}, **PATIENCE}})
        assert data(app, "web_echo", message="hi") == "Echo: hi"
        result, shown = live(app, "web_trigger_long_running_operation", duration=0.4, steps=2)
        assert result.success and "1 of 2" in shown
    assert call(app, "web_echo", message="hi").error is not None
    with http_server(ground, port):
        ground.until(lambda: call(app, "web_echo", message="again").data == "Echo: again", "the connection")
