"""The protocol's own reference servers, over standard streams and streamable HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
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


@pytest.mark.needs(EVERYTHING)
def test_everything_goes_on_after_a_cancel(ground: Any) -> None:
    app = ground.app({"all": {"command": EVERYTHING, **PATIENCE}})

    async def cancelled() -> None:
        began = asyncio.Event()
        loop = asyncio.get_running_loop()
        session = app.session()
        arguments = {"duration": 300, "steps": 3000}
        task = asyncio.create_task(
            session.call_tool(
                "all_trigger_long_running_operation", arguments, lambda _: loop.call_soon_threadsafe(began.set)
            )
        )
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert data(app, "all_echo", message="on") == "Echo: on"


@pytest.mark.needs(FILES)
def test_files_of_the_workspace(ground: Any) -> None:
    app = ground.app({"files": {"command": FILES, "args": ["{root}"], "trust_hints": True, **PATIENCE}}, "ask")
    path = str(ground.root.resolve() / "a.txt")
    assert call(app, "files_write_file", path=path, content="x").error.code == "denied"  # type: ignore[union-attr]
    (ground.root / "a.txt").write_text("old")
    assert "old" in str(data(app, "files_read_text_file", path=path))
    outside = call(app, "files_read_text_file", path="/etc/hostname")
    assert outside.error is not None and outside.error.code == "execution"


@pytest.mark.needs("git", "mcp_server_time", "mcp_server_git")
def test_time_and_git_from_the_python_index(ground: Any) -> None:
    subprocess.run(["git", "init", "-q", str(ground.root)], check=True)
    (ground.root / "new.txt").write_text("new")
    root = str(ground.root.resolve())
    python = {"command": sys.executable, "read_only": ["*"], **PATIENCE}
    servers = {
        "time": {**python, "args": ["-P", "-m", "mcp_server_time"]},
        "vcs": {**python, "args": ["-P", "-m", "mcp_server_git", "--repository", "{root}"]},
    }
    app = ground.app(servers, "ask")
    assert data(app, "time_get_current_time", timezone="Europe/Berlin")["timezone"] == "Europe/Berlin"
    assert "new.txt" in data(app, "vcs_git_status", repo_path=root)
    assert call(app, "time_get_current_time", timezone="Nowhere/Atall").error.code == "execution"  # type: ignore[union-attr]


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
