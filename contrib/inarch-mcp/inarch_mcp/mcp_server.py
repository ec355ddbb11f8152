"""Server of `inarch mcp serve`, which offers the composed tools through Inarch's scheduler, policies and journal."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from attrs import define, field
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

import inarch
from inarch.capabilities import ForModes, ForWatchers, able
from inarch_mcp.definitions import matches
from inarch_mcp.served_resources import Served

_READING = frozenset({"search", "nav", "trace"})
_SAMPLES: Mapping[str, Any] = {
    "string": "x", "integer": 1, "number": 1.0, "boolean": False, "array": [], "object": {}, "null": None,
}  # fmt: skip


def described(tool: inarch.Tool) -> types.Tool:
    """Return a tool as the protocol describes it to another agent."""
    reads = reads_only(tool)
    hints = types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=None if reads else True,
        open_world_hint=tool.category in ("command", "other"),
    )
    schema = {key: value for key, value in tool.input_schema.items() if key != "$comment"}
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema,
        output_schema=_output_schema(tool),
        annotations=hints,
    )


def reads_only(tool: inarch.Tool) -> bool:
    """Return whether a tool never changes anything, judged by sample arguments."""
    if tool.category in _READING:
        return True
    if tool.category == "command":  # depends on the command line
        return False
    return changes_nothing(tool, _samples(tool))


def is_for(tool: inarch.Tool, mode: str) -> bool:
    """Return whether a tool exists in an approval mode and does more than show something to a watcher."""
    chosen, shown = able(tool, ForModes), able(tool, ForWatchers)
    is_there = chosen is None or not chosen.modes or mode in chosen.modes
    return is_there and not (shown is not None and shown.for_a_watcher)


def wants_a_person(tool: inarch.Tool, policies: Iterable[inarch.Policy]) -> bool:
    """Return whether a tool only asks the person, so that only their own answer can approve it."""
    call = inarch.ToolCall("", "", "", tool.name, _samples(tool))
    if tool.category in _READING or not changes_nothing(tool, call.arguments):
        return False  # then the person may have answered with a rule
    return any(_judged(policy, call, tool) for policy in policies)


def _judged(policy: inarch.Policy, call: inarch.ToolCall, tool: inarch.Tool) -> bool:
    try:
        verdict = policy.judge(call, tool)
    except Exception:  # noqa: BLE001 - a plugin's failure on a sample says nothing about real calls
        return False
    return verdict.decision == "ask" and verdict.person


def _samples(tool: inarch.Tool) -> dict[str, Any]:
    properties = tool.input_schema.get("properties") or {}
    return {name: _sample(properties.get(name)) for name in tool.input_schema.get("required") or ()}


def changes_nothing(tool: inarch.Tool, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call with these arguments changes nothing. If that is unknown, return False."""
    try:
        effects = tool.effects(arguments)
        return tool.category in _READING or not (effects.writes or effects.exclusive)
    except (inarch.InarchError, LookupError, TypeError, ValueError, AttributeError):
        return False


def answer(tool: inarch.Tool | None, result: inarch.ToolResult) -> types.CallToolResult:
    """Return a result in the protocol's form, as text and as structured content."""
    text = types.TextContent(type="text", text=inarch.result_text(result))
    if result.error is not None:
        error = inarch.to_data(result.error)
        return types.CallToolResult(content=[text], structured_content={"error": error}, is_error=True)
    data = result.data
    if tool is None or not _is_object(tool.output_schema):
        data = data if isinstance(data, dict) and (tool is None or tool.output_schema is None) else {"result": data}
    return types.CallToolResult(content=[text], structured_content=data)


def _output_schema(tool: inarch.Tool) -> dict[str, Any] | None:
    """Return the schema of structured content, an object. Other schemas are nested under `result`."""
    schema = tool.output_schema
    if schema is None:
        return None
    if _is_object(schema):
        return dict(schema)
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **shared}


def _is_object(schema: Mapping[str, Any] | None) -> bool:
    return schema is not None and schema.get("type") == "object"


def _sample(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(schema, Mapping) and schema.get("enum"):
        return schema["enum"][0]
    return _SAMPLES.get(kind if isinstance(kind, str) else "string", "x")


LONGEST_PROGRESS = 2_000
_Context = ServerRequestContext[Any, Any]


@define(eq=False, repr=False)
class Offer:
    """An application's tools, as offered to another agent.

    Calls that change nothing run in parallel. Any other call runs alone.

    Args:
        app: The application.
        globs: Globs of the tools to offer.
    """

    app: inarch.App
    globs: Sequence[str] = ("*",)
    session: inarch.Session = field(init=False)
    _useful: dict[str, inarch.Tool] = field(init=False)
    _readers: int = field(init=False, default=0)
    _free: asyncio.Condition = field(init=False, factory=asyncio.Condition)
    _running: set[asyncio.Task[inarch.ToolResult]] = field(init=False, factory=set)

    @_useful.default
    def _those_without_a_person(self) -> dict[str, inarch.Tool]:
        composed, mode = self.app.composition, self.app.config.profile.approve
        policies = [bound.value for bound in composed.policies]
        tools = {name: bound.value for name, bound in composed.tools.items()}
        return {name: tool for name, tool in tools.items() if is_for(tool, mode) and not wants_a_person(tool, policies)}

    @session.default
    def _open(self) -> inarch.Session:
        return self.app.session()

    @property
    def is_whole(self) -> bool:
        """Return whether everything is offered, and not only some tools."""
        return tuple(self.globs) == ("*",)

    @property
    def tools(self) -> dict[str, inarch.Tool]:
        """Return the offered tools by name."""
        return {name: tool for name, tool in self._useful.items() if matches(name, self.globs)}

    def server(self) -> Server[Any]:
        """Return a protocol server for the tools."""
        root = self.app.config.root
        return Server(
            "inarch",
            version=inarch.__version__,
            instructions=f"Tools that work on {root}. Paths are relative to it. Read a file before you change it.",
            on_list_tools=self._list,
            on_call_tool=self._call,
            **Served(self).handlers(),
        )

    async def close(self) -> None:
        """Cancel running calls and close the application."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=5)
        await self.app.aclose()

    async def _list(self, _: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[described(tool) for tool in self.tools.values()])

    async def _call(self, context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self.tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}")
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        # A separate task: the package repeats a cancel at every await, and a call must end cleanly.
        task = asyncio.create_task(self._run(tool, params.arguments or {}, lines))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        telling = asyncio.create_task(_tell(context, lines))
        try:
            result = await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise
        except inarch.InarchError as error:  # the journal can't be written
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        finally:
            lines.put_nowait(None)
            if not task.done():
                telling.cancel()
        await telling
        return answer(tool, result)

    async def _run(
        self, tool: inarch.Tool, arguments: dict[str, Any], lines: asyncio.Queue[str | None]
    ) -> inarch.ToolResult:
        loop = asyncio.get_running_loop()

        def show(text: str) -> None:
            loop.call_soon_threadsafe(lines.put_nowait, text)

        async with self.turn(alone=not changes_nothing(tool, arguments)):
            return await self.session.call_tool(tool.name, arguments, show)

    @asynccontextmanager
    async def turn(self, alone: bool) -> AsyncGenerator[None, None]:
        """Wait for a time at which a call may run, alone or beside others that change nothing."""
        async with self._free:
            if alone:
                await self._free.wait_for(lambda: self._readers == 0)
                yield  # the condition itself keeps other calls out
                return
            self._readers += 1
        try:
            yield
        finally:
            async with self._free:
                self._readers -= 1
                self._free.notify_all()


async def _tell(context: _Context, lines: asyncio.Queue[str | None]) -> None:
    """Send live output as progress until it ends."""
    count = 0
    while (text := await lines.get()) is not None:
        count += 1
        await context.session.report_progress(count, None, text[-LONGEST_PROGRESS:].rstrip("\n"))


async def serve_stdio(offer: Offer, streams: Any) -> None:
    """Serve over the standard streams, taken as `FirstReplies`, until the input ends or a signal ends the process."""
    server = offer.server()
    leaving: list[asyncio.Task[None]] = []

    async def leave() -> None:
        await offer.close()
        os._exit(0)  # a thread waits for input and can't be woken

    _on_signals(lambda: leaving.append(asyncio.create_task(leave())))
    try:
        async with stdio_server(streams, streams) as (incoming, outgoing):
            options = server.create_initialization_options(NotificationOptions(tools_changed=True))
            await server.run(incoming, outgoing, options)
    finally:
        await offer.close()


async def serve_http(offer: Offer, host: str, port: int, token: str, ready: Callable[[str], object]) -> None:
    """Serve streamable HTTP at `/mcp` until a signal ends the process.

    Args:
        offer: The tools to serve.
        host: An address of this machine.
        port: The port, or 0 for a free one.
        token: The bearer token that requests must carry, or "".
        ready: Called with the address.
    """
    import uvicorn

    shown = f"[{host}]" if ":" in host else host
    application: Any = offer.server().streamable_http_app(host=host, transport_security=_only(shown))
    if token:
        application = _Guarded(application, f"Bearer {token}".encode())
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning", timeout_graceful_shutdown=3))
        ready(f"http://{shown}:{listening.getsockname()[1]}/mcp")
        serving = asyncio.create_task(server.serve([listening]))
        await asyncio.sleep(0)  # its own handlers would end the process before the application is closed
        _on_signals(lambda: setattr(server, "should_exit", True))
        try:
            await serving
        finally:
            await offer.close()


def _only(host: str) -> TransportSecuritySettings:
    """Return settings against DNS rebinding. The package's defaults cover only three addresses."""
    hosts = [f"{name}:*" for name in dict.fromkeys((host, "127.0.0.1", "localhost", "[::1]"))]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts]
    )


def _on_signals(act: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, act)


@define
class _Guarded:
    """An ASGI application that answers only requests with the right token."""

    inner: Any
    wanted: bytes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from hmac import compare_digest

        given = dict(scope.get("headers") or ()).get(b"authorization", b"")
        if scope["type"] == "lifespan" or compare_digest(given, self.wanted):
            await self.inner(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"a bearer token is needed"})
