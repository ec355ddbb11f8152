"""An editor: the protocol's own client, which starts `inarch acp` as a real process and checks all that it says.

The model is a server on loopback; what it answers depends on the last prompt and on the calls since then.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, schema, spawn_agent_process
from acp.connection import StreamDirection, StreamEvent
from acp.core import ClientSideConnection
from attrs import define, field
from pydantic import BaseModel

from inarch.testing import HttpReply, HttpRequest, HttpServer, sse_reply

PATIENCE_S = 60.0
RESPONSES: dict[str, type[BaseModel]] = {
    "initialize": schema.InitializeResponse,
    "authenticate": schema.AuthenticateResponse,
    "session/new": schema.NewSessionResponse,
    "session/load": schema.LoadSessionResponse,
    "session/resume": schema.ResumeSessionResponse,
    "session/list": schema.ListSessionsResponse,
    "session/prompt": schema.PromptResponse,
    "session/close": schema.CloseSessionResponse,
    "session/set_mode": schema.SetSessionModeResponse,
    "session/set_config_option": schema.SetSessionConfigOptionResponse,
}
REQUESTS: dict[str, type[BaseModel]] = {
    "session/update": schema.SessionNotification,
    "session/request_permission": schema.RequestPermissionRequest,
    "fs/read_text_file": schema.ReadTextFileRequest,
    "fs/write_text_file": schema.WriteTextFileRequest,
}
USAGE = {"id": "1", "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}
SLOW = '''
"""A tool that runs until it is stopped."""
import asyncio
import inarch

@inarch.tool
async def linger(words: str, context: inarch.ToolContext) -> str:
    """Wait.

    Args:
        words: What to say first.
    """
    print("printed by a plugin", flush=True)
    context.emit(words)
    await asyncio.Event().wait()
    return "never"

linger.requires_confirmation = False

async def jot(words, context):
    made = await context.call("write_file", {"file_path": "NOTE.md", "content": words})
    context.show("jotted" if made.success else made.error.message)
    context.submit("again")
    return "`that` is all"

@inarch.hookimpl
def inarch_slash_commands(context):
    return [inarch.SlashCommand("jot", "Jot something down.", jot, "TEXT")]
'''


def piece(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def text(*words: str, finish: str = "stop") -> HttpReply:
    """A reply of several pieces."""
    return sse_reply([*(piece({"content": word}) for word in words), piece({}, finish), USAGE])


def hanging(word: str) -> HttpReply:
    """A reply that begins and never ends."""
    return sse_reply([piece({"content": word})], done=False, ending="silent")


def calling(*calls: tuple[str, dict[str, Any]], says: str = "") -> HttpReply:
    """A reply that calls tools."""
    made = [
        {"index": i, "id": f"c{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for i, (name, given) in enumerate(calls)
    ]
    said = [piece({"content": says})] if says else []
    return sse_reply([*said, piece({"tool_calls": made}), piece({}, "tool_calls"), USAGE])


Script = dict[str, list[HttpReply]]


class Model:
    """Answers by script: the replies to a prompt, one after the other."""

    def __init__(self) -> None:
        self.script: Script = {}
        self.server = HttpServer([self.reply], routes={"GET /v1/models": HttpReply([b'{"data":[{"id":"m"}]}'])})

    def reply(self, request: HttpRequest) -> HttpReply:
        messages = request.json["messages"]
        last = max(i for i, message in enumerate(messages) if message["role"] == "user")
        prompt = json.dumps(messages[last]["content"])
        steps = sum(message["role"] == "assistant" for message in messages[last:])
        known = next((replies for words, replies in self.script.items() if words in prompt), None)
        return known[steps] if known is not None else text(f"no script for {prompt[:80]}")


@define(eq=False)
class Editor:
    """The client's side: keeps every update, answers questions, and checks every message against the schema."""

    updates: list[tuple[str, Any]] = field(factory=list)
    asked: list[schema.RequestPermissionRequest] = field(factory=list)
    answer: Callable[[list[schema.PermissionOption]], Awaitable[str | None]] | None = None
    checked: int = 0
    wrong: list[str] = field(factory=list)
    buffers: dict[str, str] = field(factory=dict)
    saves: bool = True
    served: list[tuple[str, str]] = field(factory=list)
    _sent: dict[Any, str] = field(factory=dict)

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **more: Any) -> Any:
        self.asked.append(schema.RequestPermissionRequest(session_id=session_id, tool_call=tool_call, options=options))
        assert self.answer is not None
        chosen = await self.answer(options)
        if chosen is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        self.updates.append((session_id, update))

    async def read_text_file(self, session_id: str, path: str, **more: Any) -> schema.ReadTextFileResponse:
        """The text of an open buffer, else of the disk; editors have no line ends of Windows in a buffer."""
        self.served.append(("read", path))
        if path not in self.buffers and not Path(path).exists():  # noqa: ASYNC240
            raise RequestError.resource_not_found(path)
        text = self.buffers[path] if path in self.buffers else Path(path).read_text()  # noqa: ASYNC240
        return schema.ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id: str, path: str, content: str, **more: Any) -> None:
        self.served.append(("write", path))
        if not self.saves:
            raise RequestError.internal_error()
        self.buffers.pop(path, None)
        Path(path).write_bytes(content.encode())  # noqa: ASYNC240

    def on_connect(self, connection: Any) -> None:
        pass

    def observe(self, event: StreamEvent) -> None:
        """Check that a message is one of the protocol and says nothing that its schema does not know."""
        message = event.message
        if event.direction is StreamDirection.OUTGOING:
            if "method" in message:
                self._sent[message.get("id")] = message["method"]
            return
        if "error" in message:
            model, data = schema.Error, message["error"]
        elif "method" in message:
            model, data = REQUESTS[message["method"]], message["params"]
        else:
            model, data = RESPONSES[self._sent[message["id"]]], message["result"]
        kept = model.model_validate(data).model_dump(mode="json", by_alias=True, exclude_none=True)
        if not _contains(kept, _without_none(data)):
            self.wrong.append(f"{message} is more than {kept}")
        self.checked += 1

    def of(self, session_id: str, kind: str) -> list[Any]:
        """The updates of one kind in a session."""
        return [one for sid, one in self.updates if sid == session_id and one.session_update == kind]

    def said(self, session_id: str, kind: str = "agent_message_chunk") -> str:
        return "".join(one.content.text for one in self.of(session_id, kind))

    def calls(self, session_id: str) -> dict[str, dict[str, Any]]:
        """What is known of each call, as an editor puts it together."""
        known: dict[str, dict[str, Any]] = {}
        for sid, one in self.updates:
            if sid == session_id and one.session_update in ("tool_call", "tool_call_update"):
                now = known.setdefault(one.tool_call_id, {"statuses": []})
                now |= {key: value for key, value in one if value is not None}
                now["statuses"].append(one.status)
        return known


def _without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    return [_without_none(one) for one in data] if isinstance(data, list) else data


def _contains(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and _contains(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(_contains, whole, part))
    return bool(whole == part)


@define(eq=False)
class Desk:
    """A home, a workspace, a model, and what starts editors with them."""

    folder: Path
    shared: Path
    model: Model
    argv: tuple[str, ...] = (sys.executable, "-P", "-m", "inarch", "acp")
    keys: Mapping[str, str] = field(factory=dict)

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def env(self) -> dict[str, str]:
        """The environment of the process; whoever runs the tests has other keys and another home."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "INARCH_"))}
        kept = {name: value for name, value in kept.items() if not name.endswith("_API_KEY")}
        places = {"HOME": self.folder / "home", "XDG_CACHE_HOME": self.shared / "cache", "PYTHONPATH": self.shared}
        return {**kept, **{name: str(path) for name, path in places.items()}, **self.keys}

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def configure(self, more: str = "", approve: str = "ask", provider: str = "") -> None:
        """Write the user's configuration; `provider` is more of the provider's settings."""
        place = self.folder / "home" / ".config" / "inarch"
        place.mkdir(parents=True, exist_ok=True)
        (place / "config.toml").write_text(
            f"""
[profiles.default]
model = "openai-compatible/m"
approve = "{approve}"
plugins = ["sandbox-fs", "sqlite-store", "openai-compatible", "offline", "acp", "slow"]
[plugins.openai-compatible]
base_url = "{self.model.server.url}/v1"
{provider}
[plugins.acp]
models = ["offline/extractive", "openai-compatible/other", "absent/model"]
{more}
"""
        )

    @asynccontextmanager
    async def editor(
        self, *flags: str, client: schema.ClientCapabilities | None = None
    ) -> AsyncIterator[tuple[Editor, ClientSideConnection, Any]]:
        """Start `inarch acp` and connect to it; what it said is checked at the end, and that it ends by itself."""
        editor = Editor()
        with (self.folder / "log").open("ab") as log:
            spawning = spawn_agent_process(
                editor, self.argv[0], *self.argv[1:], *flags,
                env=self.env, cwd=self.folder, observers=[editor.observe], use_unstable_protocol=True,
                transport_kwargs={"stderr": log, "limit": 50 << 20, "shutdown_timeout": PATIENCE_S},
            )  # fmt: skip
            async with asyncio.timeout(PATIENCE_S * 5), spawning as (connection, process):
                greeting = await connection.initialize(1, client_capabilities=client)
                assert greeting.protocol_version == 1
                yield editor, connection, process
        assert editor.wrong == []
        assert editor.checked > 0
        assert process.returncode in (0, -9), self.log

    async def new(self, connection: ClientSideConnection) -> str:
        """Open a session and return its id."""
        return (await connection.new_session(str(self.root), mcp_servers=[])).session_id


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed plugin, and the cache that knows how plugins were probed."""
    site = tmp_path_factory.mktemp("site")
    install(site, "slow", SLOW)
    return site


def install(site: Path, name: str, source: str) -> None:
    """Install a plugin of one module."""
    info = site / f"inarch_{name}-1.0.dist-info"
    info.mkdir()
    (site / f"inarch_{name}.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: inarch-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[inarch.plugins]\n{name} = inarch_{name}\n")


@pytest.fixture
def installing(shared: Path) -> Callable[[str, str], None]:
    """Install one more plugin, which counts where a profile names it."""
    return lambda name, source: install(shared, name, source)


@pytest.fixture
def desk(tmp_path: Path, shared: Path) -> Iterator[Desk]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.txt").write_text("one\ntwo\nthree\n")
    model = Model()
    with model.server:
        desk = Desk(tmp_path, shared, model)
        desk.configure()
        yield desk


def block(words: str) -> schema.TextContentBlock:
    return schema.TextContentBlock(type="text", text=words)


@pytest.fixture
def say() -> Callable[[str], list[schema.TextContentBlock]]:
    return lambda words: [block(words)]


async def until(true: Callable[[], object], what: str) -> None:
    """Wait for a condition, far longer than it should take."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110 - what happens in another process sets no event here
            await asyncio.sleep(0.01)


@pytest.fixture
def wait() -> Callable[[Callable[[], object], str], Awaitable[None]]:
    return until


@pytest.fixture
def replies() -> Any:
    """How the model's replies are made."""

    class Replies:
        pass

    for make in (text, hanging, calling, piece):
        setattr(Replies, make.__name__, staticmethod(make))
    return Replies
