"""The editor's MCP servers: the person says which of them start, and each call of their tools is asked about."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from acp import schema

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

pytest.importorskip("inarch_mcp", reason="inarch-mcp starts the servers")
SERVER = """
import json, os, sys
from pathlib import Path

with Path(sys.argv[1]).open("a") as file:
    file.write("started\\n")
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if "id" not in message:
        continue
    answer = {"error": {"code": -32601, "message": "no"}}
    if method == "initialize":
        answer = {"result": {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                             "serverInfo": {"name": "notes", "version": "1"}}}
    elif method == "tools/list":
        tool = {"name": "add", "description": "Adds a note.", "annotations": {"readOnlyHint": True},
                "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
        answer = {"result": {"tools": [tool]}}
    elif method == "tools/call":
        said = f"{message['params']['arguments']['text']} by {os.environ.get('WHO')}"
        answer = {"result": {"content": [{"type": "text", "text": said}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""
TOKEN = "Bearer sk-not-for-others-0123456789"


def stdio(desk: Any, name: str) -> schema.McpServerStdio:
    script = desk.folder / "server.py"
    script.write_text(SERVER)
    argv = ["-I", str(script), str(desk.folder / name)]
    env = [schema.EnvVariable(name="WHO", value="me"), schema.EnvVariable(name="NOTES_API_KEY", value=TOKEN)]
    return schema.McpServerStdio(name=name, command=sys.executable, args=argv, env=env)


def answering(editor: Any, *answers: str) -> None:
    """Answer one question after the other; one more is a failure of the test."""
    left = list(answers)

    async def answer(options: list[schema.PermissionOption]) -> str:
        chosen = left.pop(0)
        assert chosen in [one.option_id for one in options]
        return chosen

    editor.answer = answer


def offered(desk: Any) -> list[str]:
    return [one["function"]["name"] for one in desk.model.server.requests[-1].json["tools"]]


async def test_what_is_agreed_to_starts_and_what_is_refused_does_not(desk: Any, say: Any, replies: Any) -> None:
    call = ("notes_add", {"text": "milk"})
    desk.model.script = {"note": [replies.calling(call), replies.text("noted")], "hello": [replies.text("hi")]}
    async with desk.editor() as (editor, connection, _):
        assert (await connection.initialize(1)).agent_capabilities.mcp_capabilities.http is True
        new = await connection.new_session(str(desk.root), mcp_servers=[stdio(desk, "notes"), stdio(desk, "other")])
        session = new.session_id
        await connection.set_session_mode(session_id=session, mode_id="edits")
        assert not (desk.folder / "notes").exists()  # nothing before the person was asked
        answering(editor, "once", "no", "once")
        response = await connection.prompt(session_id=session, prompt=say("note"))
        assert response.stop_reason == "end_turn" and editor.said(session).endswith("noted")
        assert "notes_add" in offered(desk) and "other_add" not in offered(desk)
        assert (desk.folder / "notes").read_text() == "started\n" and not (desk.folder / "other").exists()
        first, second, third = editor.asked
        assert [one.tool_call.title for one in (first, second)] == [
            "start the MCP server notes", "start the MCP server other",
        ]  # fmt: skip
        shown = str(first.tool_call.content)
        assert str(desk.folder / "notes") in shown and "NOTES_API_KEY" in shown and TOKEN not in shown
        assert third.tool_call.title.startswith("notes_add")  # its word that it only reads counts for nothing
        calls = list(editor.calls(session).values())
        assert [one["status"] for one in calls] == ["completed", "failed", "completed"]
        assert "milk by me" in str(desk.model.server.requests[-1].json["messages"])
        await connection.prompt(session_id=session, prompt=say("hello"))  # nobody is asked twice
        assert editor.said(session).endswith("hi")
        assert editor.of(session, "current_mode_update")[-1].current_mode_id == "edits"
    assert session in [one.session_id for one in await kept(desk)]


async def kept(desk: Any) -> Any:
    async with desk.editor() as (_, connection, _process):
        return (await connection.list_sessions(cwd=str(desk.root))).sessions


class Address:
    """A server over HTTP, with one tool."""

    def __init__(self) -> None:
        self.server = HttpServer([self.reply])
        self.tokens: set[str | None] = set()

    def reply(self, request: HttpRequest) -> HttpReply:
        if request.method != "POST":
            return HttpReply(status=405)
        self.tokens.add(request.headers.get("authorization"))
        message = request.json
        number, method = message.get("id"), message["method"]
        if number is None:
            return HttpReply(status=202)
        info = {"protocolVersion": "", "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}
        if method == "initialize":
            info["protocolVersion"] = message["params"]["protocolVersion"]
            return self._said(number, info)
        if method == "tools/list":
            return self._said(number, {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]})
        if method == "tools/call":
            return self._said(number, {"content": [{"type": "text", "text": f"went with {TOKEN}"}]})
        return json_reply({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})

    def _said(self, number: int, result: Any) -> HttpReply:
        return json_reply({"jsonrpc": "2.0", "id": number, "result": result})


def test_an_address_has_its_headers_and_a_lasting_yes_holds_for_the_next_session(
    desk: Any, say: Any, replies: Any
) -> None:
    desk.model.script = {"go": [replies.calling(("my_web_go", {})), replies.text("there")]}
    address = Address()

    async def main() -> None:
        headers = [schema.HttpHeader(name="Authorization", value=TOKEN)]
        server = schema.HttpMcpServer(type="http", name="my web!", url=f"{address.server.url}/mcp", headers=headers)
        async with desk.editor() as (editor, connection, _):
            session = (await connection.new_session(str(desk.root), mcp_servers=[server])).session_id
            answering(editor, "always", "once")
            await connection.prompt(session_id=session, prompt=say("go"))
            assert editor.said(session).endswith("there") and address.tokens == {TOKEN}
            asked = str(editor.asked[0].tool_call.content)
            assert address.server.url in asked and "Authorization" in asked and TOKEN not in asked
            assert TOKEN not in str(editor.updates)  # hidden as any other key
            assert "went with" in str(desk.model.server.requests[-1].json["messages"])
            answering(editor, "once")
            again = (await connection.new_session(str(desk.root), mcp_servers=[server])).session_id
            await connection.prompt(session_id=again, prompt=say("go"))
            assert editor.said(again).endswith("there")

    with address.server:
        asyncio.run(main())


async def test_a_kept_session_is_asked_as_a_new_one_and_a_cancel_is_a_no(
    desk: Any, say: Any, wait: Any, replies: Any
) -> None:
    desk.model.script = {"hello": [replies.text("hi")]}
    asking = asyncio.Event()

    async def never(options: Any) -> str:
        asking.set()
        await asyncio.Event().wait()
        return "once"

    async with desk.editor() as (editor, connection, _):
        session = await desk.new(connection)
        await connection.prompt(session_id=session, prompt=say("hello"))
    async with desk.editor() as (editor, connection, _):
        await connection.load_session(str(desk.root), session, mcp_servers=[stdio(desk, "notes")])
        answering(editor, "once")
        await connection.prompt(session_id=session, prompt=say("hello"))
        said = desk.model.server.requests[-1].json["messages"]  # a running conversation keeps its list of tools
        assert "notes_add" not in offered(desk) and "- notes_add: " in json.dumps(said)
        other = (await connection.new_session(str(desk.root), mcp_servers=[stdio(desk, "other")])).session_id
        editor.answer = never
        turn = asyncio.create_task(connection.prompt(session_id=other, prompt=say("hello")))
        await wait(asking.is_set, "the question")
        await connection.cancel(session_id=other)
        assert (await turn).stop_reason == "cancelled"
        assert [one["status"] for one in editor.calls(other).values()] == ["failed"]
        await connection.prompt(session_id=other, prompt=say("hello"))
        assert "other_add" not in offered(desk) and not (desk.folder / "other").exists()


async def test_what_can_not_be_used_is_said_and_the_session_goes_on(desk: Any, say: Any, replies: Any) -> None:
    desk.model.script = {"hello": [replies.text("hi")]}
    desk.configure('[plugins.mcp.servers.notes]\ncommand = "none"')
    lost = schema.McpServerStdio(name="lost", command=str(desk.folder / "absent"), args=[], env=[])
    odd = schema.HttpMcpServer(type="http", name="odd", url="file:///etc/passwd", headers=[])
    sse = schema.SseMcpServer(type="sse", name="old", url="http://127.0.0.1:9/", headers=[])

    async def said(servers: list[Any], *flags: str, answers: tuple[str, ...] = ()) -> str:
        async with desk.editor(*flags) as (editor, connection, _):
            session = (await connection.new_session(str(desk.root), mcp_servers=servers)).session_id
            answering(editor, *answers)
            await connection.prompt(session_id=session, prompt=say("hello"))
            assert editor.said(session).endswith("hi")
            words: str = editor.said(session)
            return words

    assert "MCP server old is not used: it is of the kind sse" in await said([sse])
    assert "MCP server odd is not used" in await said([odd])
    assert "your configuration has one of this name" in await said([stdio(desk, "notes")])
    assert "'lost' is left out: there is no program" in await said([lost], answers=("once",))
    assert "started with --approve none" in await said([stdio(desk, "x")], "--approve", "none")
    without = desk.folder / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text("import sys\nsys.modules['inarch_mcp'] = None\n")
    desk.keys = {"PYTHONPATH": f"{without}:{desk.shared}"}
    assert "inarch-mcp is not installed" in await said([stdio(desk, "x")])
    assert not (desk.folder / "x").exists()
