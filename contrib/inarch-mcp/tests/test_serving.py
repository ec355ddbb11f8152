"""Inarch as a server: with the official client, over both transports and both ways to begin, and the inspector."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import inarch

COMMAND = ["-P", "-m", "inarch", "mcp", "serve"]


def configured(
    ground: Any, servers: dict[str, Any] | None = None, approve: str = "ask", plugins: Sequence[str] = ()
) -> dict[str, str]:
    """Write the user's configuration; return the variables that lead to it."""
    lines = [
        "[profiles.default]",
        f"plugins = {json.dumps(['sandbox-fs', 'sqlite-store', 'offline', 'mcp', *plugins])}",
        'model = "offline/extractive"',
        f'approve = "{approve}"',
    ]
    for name, table in (servers or {}).items():
        lines += [f"[plugins.mcp.servers.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    folder = ground.home / ".config" / "inarch"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("\n".join(lines))
    return dict(ground.environ)


def served(ground: Any, environ: dict[str, str], *more: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, *more], env=environ, cwd=ground.root)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_reads_and_may_not_write_unasked(ground: Any, mode: str) -> None:
    (ground.root / "a.txt").write_text("hello\n")

    async def use() -> None:
        async with Client(served(ground, configured(ground)), mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            hints = {name: tool.annotations.read_only_hint for name, tool in tools.items() if tool.annotations}
            assert hints["read_file"] and hints["list_files"] and hints["search_files"]
            assert not (hints["write_file"] or hints["execute_command"] or hints["delete_file"])
            assert tools["read_file"].input_schema["required"] == ["file_path"]
            read = await client.call_tool("read_file", {"file_path": "a.txt"})
            assert read.structured_content["content"] == "hello\n" and not read.is_error
            outside = await client.call_tool("read_file", {"file_path": "../../etc/passwd"})
            assert outside.is_error and outside.structured_content["error"]["code"] == "permission"
            assert "relative to the workspace root" in outside.content[0].text  # type: ignore[union-attr]
            denied = await client.call_tool("write_file", {"file_path": "b.txt", "content": "x"})
            assert denied.is_error and denied.structured_content["error"]["code"] == "denied"
            with pytest.raises(MCPError):
                await client.call_tool("no_such_tool", {})
            many = [client.call_tool("read_file", {"file_path": "a.txt"}) for _ in range(20)]
            assert all(not one.is_error for one in await asyncio.gather(*many))

    asyncio.run(use())
    assert not (ground.root / "b.txt").exists()


def test_writes_that_are_approved_are_recorded_in_a_session(ground: Any) -> None:
    environ = configured(ground)

    async def use() -> None:
        parameters = served(ground, environ, "--approve", "edits", "--tools", "write_*", "--tools", "read_*")
        async with Client(parameters) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "write_file" in names and "delete_file" not in names
            written = await client.call_tool("write_file", {"file_path": "b.txt", "content": "x"})
            assert not written.is_error

    asyncio.run(use())
    assert (ground.root / "b.txt").read_text() == "x"
    app = inarch.compose(root=ground.root, environ=environ)
    ground.apps.append(app)
    (kept,) = app.store.sessions(str(ground.root.resolve()))
    kinds = [event.kind for event in app.store.load(kept.id)]
    assert "call.result" in kinds and "file.changed" in kinds


def test_in_plan_mode_only_reading_runs_and_no_tool_that_asks_a_person_is_offered(ground: Any) -> None:
    (ground.root / "a.txt").write_text("hello\n")
    environ = configured(ground, plugins=("plan",))

    async def use() -> None:
        async with Client(served(ground, environ, "--approve", "plan")) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"read_file", "write_file"} <= names and not names & {"ask_user", "present_plan", "write_todos"}
            assert not (await client.call_tool("read_file", {"file_path": "a.txt"})).is_error
            denied = await client.call_tool("write_file", {"file_path": "b.txt", "content": "x"})
            assert denied.is_error and denied.structured_content["error"]["code"] == "denied"
            with pytest.raises(MCPError):
                await client.call_tool("ask_user", {"questions": [{"question": "Which?"}]})

    asyncio.run(use())
    assert not (ground.root / "b.txt").exists()


def test_progress_and_cancel_go_through_to_a_server_behind_it(ground: Any) -> None:
    environ = configured(ground, {"bad": ground.server()}, "all")

    async def use() -> None:
        seen: list[str] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            seen.append(message or "")

        async with Client(served(ground, environ)) as client:
            result = await client.call_tool("bad_progress", {}, progress_callback=progress)
            assert not result.is_error
            assert "2 of 2: step 2" in "\n".join(seen)
            task = asyncio.create_task(client.call_tool("bad_silent", {}))
            while "call silent" not in ground.did:  # noqa: ASYNC110 - another process does it
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while "cancelled" not in ground.did:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            again = await client.call_tool("bad_ok", {})
            assert not again.is_error

    asyncio.run(asyncio.wait_for(use(), 300))


def test_a_server_that_is_inarch_itself_ends_there(ground: Any) -> None:
    itself = {"command": sys.executable, "args": [*COMMAND, "--root", "{root}"], "connect_s": 60.0}
    app = inarch.compose(root=ground.root, environ=configured(ground, {"self": itself}, "all"))
    ground.apps.append(app)
    names = [name for name in app.composition.tools if name.startswith("self_")]
    assert "self_read_file" in names and not any(name.startswith("self_self") for name in names)
    (ground.root / "a.txt").write_text("hello\n")
    result = asyncio.run(app.call_tool("self_read_file", {"file_path": "a.txt"}))
    assert result.success and result.data["content"] == "hello\n"


@asynccontextmanager
async def over_http(ground: Any, environ: dict[str, str], host: str, *more: str) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--http", f"{host}:0", *more, cwd=ground.root, env=environ,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = None
        while found is None:
            line = (await process.stderr.readline()).decode()
            assert line, "the server has ended"
            found = re.search(r"http://\S+", line)
        yield found.group()
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_http_on_this_machine_with_a_token(ground: Any, host: str) -> None:
    (ground.root / "a.txt").write_text("hello\n")
    environ = {**configured(ground), "SERVE_TOKEN": "t0ken"}

    async def use() -> None:
        async with over_http(ground, environ, host, "--token-env", "SERVE_TOKEN") as url:
            async with httpx2.AsyncClient() as stranger:
                assert (await stranger.post(url, json={})).status_code == 401
            async with httpx2.AsyncClient(headers={"authorization": "Bearer t0ken"}) as friend:
                for mode in ("auto", "legacy"):
                    async with Client(streamable_http_client(url, http_client=friend), mode=mode) as client:
                        read = await client.call_tool("read_file", {"file_path": "a.txt"})
                        assert read.structured_content["content"] == "hello\n"
                elsewhere = {"host": "evil.example", "content-type": "application/json"}
                assert (await friend.post(url, json={}, headers=elsewhere)).status_code == 421

    asyncio.run(asyncio.wait_for(use(), 300))


@pytest.mark.parametrize("address", ["0.0.0.0:8000", "192.0.2.1:8000", "nonsense", "127.0.0.1:x", "127.0.0.1:99999"])
def test_an_address_that_others_reach_is_refused(ground: Any, address: str) -> None:
    from click.testing import CliRunner
    from inarch_mcp.mcp_command import mcp

    context = inarch.PluginContext("mcp", str(ground.root))
    done = CliRunner().invoke(mcp, ["serve", "--http", address], obj=context)
    assert isinstance(done.exception, inarch.UsageError)


def test_the_official_inspector_lists_and_calls(part: Callable[[str], str], ground: Any) -> None:
    (ground.root / "a.txt").write_text("hello\n")
    environ = configured(ground)
    words = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "file_path=a.txt"]
    done = subprocess.run(
        [part("mcp-inspector"), "--cli", sys.executable, *COMMAND, *words],
        cwd=ground.root,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    called = json.loads(done.stdout)
    assert called["structuredContent"]["content"] == "hello\n"


def test_resources_are_sessions_and_paths_and_prompts_are_prompt_files(ground: Any) -> None:
    (ground.root / "a.py").write_text("def inner():\n    pass\n\ndef outer():\n    inner()\n")
    environ = configured(ground, plugins=("skills", "brief-tracer", "export"))
    commands = ground.home / ".config" / "inarch" / "commands"
    commands.mkdir()
    (commands / "greet.md").write_text("---\ndescription: Greets.\n---\nGreet $ARGUMENTS warmly.\n")
    first = inarch.compose(root=ground.root, environ=environ)
    ground.apps.append(first)
    asyncio.run(first.session().run("What is inner?"))
    first.close()

    async def use() -> None:
        async with Client(served(ground, environ)) as client:
            listed = (await client.list_resources()).resources
            (session,) = (one for one in listed if one.name == "What is inner?")
            for uri, word in ((session.uri, "What is inner?"), ("inarch://sessions", session.uri)):
                (content,) = (await client.read_resource(uri)).contents
                assert word in content.text  # type: ignore[union-attr]
            templates = (await client.list_resource_templates()).resource_templates
            assert {one.uri_template for one in templates} == {"inarch://sessions/{id}", "inarch://paths/{target}"}
            (content,) = (await client.read_resource("inarch://paths/inner")).contents
            assert "outer" in content.text  # type: ignore[union-attr]
            for wrong in ("inarch://sessions/x", "inarch://paths/nothing_like_it", "file:///etc/passwd"):
                with pytest.raises(MCPError):
                    await client.read_resource(wrong)
            prompts = {one.name: one.description for one in (await client.list_prompts()).prompts}
            assert "Greets." in (prompts["greet"] or "") and "compact" not in prompts
            got = await client.get_prompt("greet", {"words": "the world"})
            assert "Greet the world warmly." in got.messages[0].content.text  # type: ignore[union-attr]
        async with Client(served(ground, environ, "--tools", "read_*")) as client:
            assert not (await client.list_resources()).resources and not (await client.list_prompts()).prompts
            with pytest.raises(MCPError):
                await client.read_resource(session.uri)

    asyncio.run(use())
