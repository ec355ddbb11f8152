"""Connection to one server, opened when needed, reopened after a loss and closed once.

It runs on the event loop of the hub's thread. Importing this module imports the official package.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import httpx2
from attrs import define, field
from mcp import Client, MCPError
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    CONNECTION_CLOSED,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    ListRootsResult,
    LoggingMessageNotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    Root,
    ToolListChangedNotification,
)

import inarch
from inarch_mcp.bearer import Bearer
from inarch_mcp.definitions import Definition, Listing, defined, shown
from inarch_mcp.mcp_settings import Server
from inarch_mcp.offerings import Offerings, ask_offerings
from inarch_mcp.server_limits import MOST_LISTED, PLAIN, Listed, bounded, tamed
from inarch_mcp.server_start import Place
from inarch_mcp.stdio import Log, talk

MOST_PAGES = 50
SHORTEST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 60.0
WAITED_FOR_S = 5.0
"""Longest pause before a retry that a call waits for, in seconds. A longer pause fails the call."""
CLOSING_S = 8.0
SLOW_START_S = 2.0
"""Seconds after which a start is slow enough for a remark."""
RELISTING_PAUSE_S = 0.5
FRESH_S = 0.5
"""Seconds that a result waits for a tool list that its call changed, so that the model gets both together."""
_TERMINATED = "Session terminated"

OFFERINGS_S = 3.0
"""Seconds to wait for the lists of prompts and resources; the tools work without them."""

Report = Callable[[str], None]
Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Asks the user a server's question, given its parameters, and returns the members of the answer."""
_ask: ContextVar[Ask] = ContextVar("inarch_mcp_ask")


class Lost(Exception):
    """The connection ended; `sent` says whether the call may have reached the server."""

    def __init__(self, why: str, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


@define(eq=False, repr=False)
class Connection:
    """The connection to one server.

    Args:
        name: Its name in the configuration.
        server: Its settings.
        place: The folders and variables for servers.
        listed: Called with each listing.
    """

    name: str
    server: Server
    place: Place
    listed: Callable[[str, Listing], None]
    log: Log = field(init=False)
    listing: Listing | None = field(init=False, default=None)
    _client: Client | None = field(init=False, default=None)
    _task: asyncio.Task[None] | None = field(init=False, default=None)
    _over: asyncio.Event = field(init=False, factory=asyncio.Event)
    _lock: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _ready: asyncio.Future[Client] | None = field(init=False, default=None)
    _why: str = field(init=False, default="")
    _failures: int = field(init=False, default=0)
    _not_before: float = field(init=False, default=0.0)
    _reports: list[Report] = field(init=False, factory=list)
    _asks: list[Ask] = field(init=False, factory=list)
    _listed: Listed = field(init=False, factory=Listed)
    _listing: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _relisting: asyncio.Task[None] | None = field(init=False, default=None)
    _is_stale: bool = field(init=False, default=False)
    _fresh: asyncio.Event = field(init=False, factory=asyncio.Event)
    _bearer: Bearer | None = field(init=False)

    @log.default
    def _make_log(self) -> Log:
        return Log(self.place.log_path(self.name))

    @_bearer.default
    def _make_bearer(self) -> Bearer | None:
        login = self.place.login_file(self.server)
        return Bearer(login) if login is not None else None

    async def ensure(self, report: Report | None = None) -> Client:
        """Return the connected client, with its tools listed. `report` gets a remark about a slow start.

        Raises:
            Lost: The server can't be reached.
        """
        async with self._lock:
            if self._client is not None and not self._over.is_set():
                return self._client
            await self._pause()
            await self._leave()
            self._over, self._why = asyncio.Event(), ""
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._ready = ready
            self._task = asyncio.create_task(self._live(ready))
            took_s, limit_s = await self._started(ready, report)
            if ready.done() and ready.exception() is None:
                self._client, self._failures = ready.result(), 0
                self.place.keep_start(self.name, self.server, took_s)
                return self._client
            if not ready.done():
                self.place.keep_start(self.name, self.server, took_s)
            why = self._said(ready.exception() if ready.done() else None, limit_s)
            await self._leave()
            self._failures += 1
            pause = min(SHORTEST_PAUSE_S * 2**self._failures, LONGEST_PAUSE_S)
            self._not_before = asyncio.get_running_loop().time() + pause
            raise Lost(why, sent=False)

    async def call(self, definition: Definition, arguments: dict[str, Any], report: Report, ask: Ask) -> dict[str, Any]:
        """Call a tool and return the raw result. Progress and log messages go to `report`, questions to `ask`.

        Raises:
            Lost: The connection ended, before or while the tool ran.
            MCPError: The server answered with an error.
            ValueError: Its answer violates the protocol or the tool's schema.
        """

        async def told(progress: float, total: float | None, message: str | None) -> None:
            of = f" of {total:g}" if total else ""
            report(f"{progress:g}{of}{f': {message}' if message else ''}\n")

        await self.ensure()
        self._reports.append(report)
        self._asks.append(ask)
        _ask.set(ask)
        try:
            result = await self.request(
                lambda client: client.call_tool(definition.tool, arguments, progress_callback=told)
            )
        finally:
            self._reports.remove(report)
            self._asks.remove(ask)
        if self._relisting is not None and not self._relisting.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(FRESH_S):
                    await self._fresh.wait()
        return result

    async def request(self, send: Callable[[Client], Awaitable[Any]]) -> dict[str, Any]:
        """Send a request and return the raw result.

        Raises:
            Lost: The connection ended.
            MCPError: The server answered with an error.
            ValueError: Its answer violates the protocol.
        """
        client = await self.ensure()
        try:
            result = await send(client)
        except MCPError as error:
            if self._bearer is not None and self._bearer.refusal:
                message = f"MCP server {self.name!r} refused the call: {self._bearer.refusal}"
                raise inarch.ToolFailed("permission", message, f"run: inarch mcp login {self.name}") from error
            if error.code == CONNECTION_CLOSED or self._over.is_set() or _TERMINATED in error.message:
                self._over.set()
                raise Lost(self._why or error.message, sent=_TERMINATED not in error.message) from error
            raise
        except (httpx2.HTTPError, OSError) as error:
            self._over.set()
            raise Lost(str(error), sent=True) from error
        except RuntimeError as error:  # the package raises it for structured content that violates the schema
            raise ValueError(str(error)) from error
        whole: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return whole

    async def close(self) -> None:
        """Close the connection. A second call does nothing."""
        await self._leave()

    async def _pause(self) -> None:
        wait = self._not_before - asyncio.get_running_loop().time()
        if wait > WAITED_FOR_S:
            raise Lost(f"it failed {self._failures} times ({self._why}); the next try is in {wait:.0f} s", sent=False)
        if wait > 0:
            await asyncio.sleep(wait)

    async def _started(self, ready: asyncio.Future[Client], report: Report | None) -> tuple[float, float]:
        """Wait for a start, and return its duration and its time limit in seconds."""
        loop = asyncio.get_running_loop()
        began, limit_s = loop.time(), self.place.start_limit_s(self.name, self.server)
        done, _ = await asyncio.wait((ready,), timeout=min(SLOW_START_S, limit_s))
        if not done and report is not None:
            report(f"starting MCP server {self.name!r}, for up to {limit_s:g} s…\n")
        await asyncio.wait((ready,), timeout=max(0.0, limit_s - (loop.time() - began)))
        return loop.time() - began, limit_s

    async def _live(self, ready: asyncio.Future[Client]) -> None:
        """Keep the connection open until it ends. Its whole life must happen in this task."""
        try:
            async with self._client_of() as client:
                self._take(await self._list(client))
                ready.set_result(client)
                listening = asyncio.create_task(self._listen(client))
                try:
                    await self._over.wait()
                finally:
                    listening.cancel()
                    await asyncio.wait((listening,))
        except Exception as error:  # noqa: BLE001 - any error of a foreign server makes it unusable
            if not ready.done():
                ready.set_exception(error)
        finally:
            self._client = None
            self._over.set()
            if not ready.done():
                ready.set_exception(TimeoutError())
            ready.exception()

    @asynccontextmanager
    async def _client_of(self) -> AsyncGenerator[Client, None]:
        async with self._transport() as transport:
            client = Client(
                tamed(transport, self._listed, self._over_with, self._bearer.hide if self._bearer else None),
                mode=self.server.handshake,
                cache=None,
                client_info=Implementation(name="inarch", version=inarch.__version__),
                logging_callback=self._logged,
                log_level="info",
                list_roots_callback=self._roots if self.server.roots else None,
                elicitation_callback=self._elicited,
                message_handler=self._told,
            )
            async with client:
                yield client

    @asynccontextmanager
    async def _transport(self) -> AsyncGenerator[Any, None]:
        if self.server.url:
            timeout = httpx2.Timeout(30.0, read=max(self.server.timeout_s, 300.0))
            headers = {**self.place.headers(self.server), **PLAIN}
            hooks = {"response": [bounded]}
            async with httpx2.AsyncClient(
                headers=headers, timeout=timeout, event_hooks=hooks, auth=self._bearer
            ) as http:
                yield streamable_http_client(self.server.url, http_client=http)
        else:
            yield talk(self.place.launch(self.name, self.server), self.log, self._ended)

    def _ended(self, why: str) -> None:
        last = self.log.last_line
        self._over_with(why + (f": {last}" if last else ""))

    def _over_with(self, why: str) -> None:
        self._why = self._why or f"it {why}"
        self._over.set()

    async def _leave(self) -> None:
        task, self._task, self._client = self._task, None, None
        if task is None or self._ready is None:
            return
        self._over.set()
        if not self._ready.done():
            task.cancel()
        await asyncio.wait((task,), timeout=CLOSING_S)
        if not task.done():
            task.cancel()
            await asyncio.wait((task,), timeout=CLOSING_S)

    def _said(self, error: BaseException | None, limit_s: float) -> str:
        """Return the reason why a connection failed, and remember it."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if error is None or isinstance(error, TimeoutError):
            said = f"it did not come up within {limit_s:g} s"
            said += f": {self.log.last_line}" if self.log.last_line else ""
        elif isinstance(error, inarch.InarchError):
            said = error.message
        elif self._bearer is not None and self._bearer.refusal:
            said = f"{self._bearer.refusal} (run: inarch mcp login {self.name})"
        elif isinstance(error, MCPError) and error.code == CONNECTION_CLOSED and self._why:
            said = self._why
        elif isinstance(error, FileNotFoundError):
            said = f"there is no program {shown(self.server.command)}"
            said += ": what follows its name belongs into args" if " " in self.server.command else ""
        else:
            said = shown(f"{type(error).__name__}: {error}", 300)
        self._why = said
        return said

    async def _list(self, client: Client) -> Listing:
        async with self._listing:
            self._listed.begin()
            cursor = None
            try:
                for _ in range(MOST_PAGES):
                    page = await client.list_tools(cursor=cursor)
                    cursor = page.next_cursor
                    if cursor is None or self._listed.is_full:
                        break
            finally:
                tools = self._listed.end()
            definitions, notes = defined(tools, self.server)
            if cursor is not None:
                notes = (
                    *notes,
                    f"it lists tools without an end: only the first {MOST_PAGES} pages or {MOST_LISTED} count",
                )
            offerings = self.listing.offerings if self.listing is not None else Offerings()
            with suppress(TimeoutError):
                async with asyncio.timeout(OFFERINGS_S):
                    offerings = await ask_offerings(client)
        info = client.server_info
        server = shown(f"{info.name} {info.version}".strip()) if info is not None else ""
        return Listing(definitions, notes, server, client.protocol_version, offerings)

    def _take(self, listing: Listing) -> None:
        self.listing = listing
        self.listed(self.name, listing)

    def _want_list(self) -> None:
        """Schedule a new listing. A pause between listings limits how often a server can cause one."""
        self._is_stale = True
        self._fresh.clear()
        if self._relisting is None or self._relisting.done():
            self._relisting = asyncio.create_task(self._relist())

    async def _relist(self) -> None:
        while self._is_stale and (client := self._client) is not None:
            self._is_stale = False
            try:
                async with asyncio.timeout(self.server.start_limit_s()):
                    self._take(await self._list(client))
            except (MCPError, ValueError, OSError, httpx2.HTTPError):  # the next connection lists again
                return
            finally:
                self._fresh.set()
            await asyncio.sleep(RELISTING_PAUSE_S)

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes. Servers with older protocol versions send them unasked."""
        try:
            changes = client.listen(tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True)
            async with changes as subscription:
                async for _ in subscription:
                    self._want_list()
        except Exception:  # noqa: BLE001 - most servers do not support it; the next connection lists again
            return

    async def _told(self, message: Any) -> None:
        if isinstance(
            message, (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)
        ):
            self._want_list()

    async def _elicited(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        """Ask the user, if it is known which call the question belongs to."""
        ask = _ask.get(None) or (self._asks[0] if len(self._asks) == 1 else None)
        if ask is None:
            return ElicitResult(action="decline")
        return ElicitResult(**await ask(params.model_dump(by_alias=True, mode="json", exclude_none=True)))

    async def _logged(self, params: LoggingMessageNotificationParams) -> None:
        text = params.data if isinstance(params.data, str) else inarch.escape(repr(params.data)[:2_000])
        line = f"{params.level}: {text}\n"
        self.log.add(line.encode("utf-8", "replace")[:4_000])
        if len(self._reports) == 1:  # with several calls, it is unknown which one it belongs to
            self._reports[0](line)

    async def _roots(self, context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(
            roots=[Root.model_validate({"uri": Path(self.place.root).as_uri(), "name": "workspace"})]
        )
