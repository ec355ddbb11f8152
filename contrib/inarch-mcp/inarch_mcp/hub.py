"""Thread for connections, started with the first one and ended when the application closes."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, field

import inarch
from inarch.output import is_terminal
from inarch_mcp.definitions import Definition, Listing, differences, shown
from inarch_mcp.mcp_settings import Server
from inarch_mcp.questions import ANSWER, Question
from inarch_mcp.server_start import Place

if TYPE_CHECKING:
    from mcp import Client

    from inarch_mcp.connection import Connection

T = TypeVar("T")
CLOSING_S = 10.0
STARTING_S = 30.0
"""Extra seconds for the import of the official package: about one, and more on a busy machine."""

SHOWN_AFTER_S = 1.5
"""Seconds of waiting for servers after which a terminal shows it."""
MOST_OPEN = 10
"""Most questions of one call that wait for the user at once; Inarch declines the others."""
ANSWERED_S = 900.0
"""Seconds that a server's question waits for the user."""
_PAGES_FIRST = -32042
"""Error code of a call before which the user must open a page, in versions of the protocol until 2025."""


@define(eq=False, repr=False)
class ServerCall:
    """One call of a tool.

    Args:
        server: The server's name.
        definition: The tool as it was composed.
        arguments: Its arguments.
        safe: Whether an interrupted call can't have changed anything.
        report: Takes live output.
        turn: The id of the turn, or "".
    """

    server: str
    definition: Definition
    arguments: dict[str, Any]
    safe: bool
    report: Callable[[str], None]
    turn: str = ""
    task: asyncio.Task[dict[str, Any]] | None = field(init=False, default=None)
    asked: asyncio.Queue[str] = field(init=False, factory=asyncio.Queue)


@define(eq=False, repr=False)
class _Open:
    """A question that waits for the user."""

    question: Question
    call: ServerCall
    answer: asyncio.Future[dict[str, Any]]

    def settle(self, answer: dict[str, Any]) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


@define(eq=False, repr=False)
class Hub:
    """The connections to all servers.

    Args:
        servers: The servers by name.
        place: The folders and variables for servers.
        listed: Called in the thread with every listing of a server.
    """

    servers: Mapping[str, Server]
    place: Place
    listed: Callable[[str, Listing], None]
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _thread: threading.Thread | None = field(init=False, default=None)
    _connections: dict[str, Connection] = field(init=False, factory=dict)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _closed: bool = field(init=False, default=False)
    _open: dict[str, _Open] = field(init=False, factory=dict)
    _numbers: count[int] = field(init=False, factory=lambda: count(1))

    def list_tools(self, names: list[str]) -> dict[str, Listing | str]:
        """Ask servers for their tools in parallel, and return each one's listing or reason of failure."""
        pending = {name: self._submit(self._listing(name)) for name in names}
        found: dict[str, Listing | str] = {}
        limits = {name: self.place.start_limit_s(name, self.servers[name]) for name in names}
        self._show_wait(pending, limits)
        for name, future in pending.items():
            try:
                found[name] = future.result(limits[name] + STARTING_S)
            except concurrent.futures.TimeoutError:
                future.cancel()
                found[name] = f"it did not come up within {limits[name]:g} s"
            except inarch.InarchError as error:
                found[name] = error.message
        return found

    async def call(self, call: ServerCall) -> dict[str, Any]:
        """Call a tool from another event loop and return its raw result. A cancel is passed to the server.

        Raises:
            inarch.ToolFailed: The call failed, or waits for the user's answer.
        """
        return await asyncio.wrap_future(self._submit(self._run(call)))

    async def request(self, server: str, send: Callable[[Client], Awaitable[Any]]) -> dict[str, Any]:
        """Send another request from another event loop and return its raw result.

        Raises:
            inarch.ToolFailed: The request failed.
        """

        async def ask(connection: Connection) -> dict[str, Any]:
            try:
                async with asyncio.timeout(self.servers[server].timeout_s):
                    return await connection.request(send)
            except TimeoutError:
                message = f"MCP server {server!r} did not answer within {self.servers[server].timeout_s:g} s"
                raise inarch.ToolFailed("timeout", message) from None

        return await asyncio.wrap_future(self._submit(self._mapped(server, True, ask)))

    def question(self, number: str) -> Question:
        """Return an open question.

        Raises:
            inarch.ToolFailed: There is none.
        """
        found = self._open.get(number)
        if found is None:
            raise inarch.ToolFailed("not_found", f"no MCP server waits for the answer to {number!r}")
        return found.question

    async def answer(self, number: str, given: dict[str, Any], report: Callable[[str], None]) -> dict[str, Any]:
        """Answer a question, and return the raw result of the call that waits for it.

        Raises:
            inarch.ToolFailed: There is no such question, or as of `call`.
        """
        return await asyncio.wrap_future(self._submit(self._answered(number, given, report)))

    def give_up(self, turn: str) -> None:
        """Cancel the calls of a turn whose questions are still open, because the turn is over."""
        loop = self._loop
        if loop is None or not turn:
            return
        for one in [one for one in self._open.values() if one.call.turn == turn]:
            loop.call_soon_threadsafe(one.settle, {"action": "cancel"})
            if one.call.task is not None:
                loop.call_soon_threadsafe(one.call.task.cancel)

    def _show_wait(
        self, pending: Mapping[str, concurrent.futures.Future[Listing]], limits: Mapping[str, float]
    ) -> None:
        """Show on a terminal which servers start slowly."""
        concurrent.futures.wait(pending.values(), timeout=SHOWN_AFTER_S)
        for name, future in pending.items():
            if not future.done() and is_terminal(sys.stderr):
                last_s = self.place.last_start_s(name, self.servers[name])
                when = f"last time {last_s:.0f} s" if last_s else "first start"
                line = f"inarch: starting MCP server {name!r} ({when}), for up to {limits[name]:g} s…"
                sys.stderr.write(f"{inarch.escape(line, keep_newlines=False)}\n")
                sys.stderr.flush()

    def close(self) -> None:
        """Close every connection and the thread. A second call does nothing."""
        with self._lock:
            self._closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        atexit.unregister(self.close)
        if loop is None or thread is None:
            return
        closing = asyncio.run_coroutine_threadsafe(self._close_all(), loop)
        try:
            closing.result(CLOSING_S)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            pass  # only daemon threads and children without input remain
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSING_S)

    def log_path(self, name: str) -> str:
        """Return the path of a server's log of standard error, or ""."""
        return str(self.place.log_path(name) or "")

    def _submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._started())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise inarch.ToolFailed("cancelled", "the connections to servers are closed")
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_run, args=(loop,), name="inarch-mcp", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop

    def _connection(self, name: str) -> Connection:
        if name not in self._connections:
            from inarch_mcp.connection import Connection

            self._connections[name] = Connection(name, self.servers[name], self.place, self.listed)
        return self._connections[name]

    async def _listing(self, name: str) -> Listing:
        from inarch_mcp.connection import Lost

        connection = self._connection(name)
        try:
            await connection.ensure()
        except Lost as error:
            raise inarch.ToolFailed("execution", str(error)) from error
        return connection.listing or Listing()

    async def _run(self, call: ServerCall) -> dict[str, Any]:
        async def work(connection: Connection) -> dict[str, Any]:
            _check_same(call.server, call.definition, connection.listing or Listing())
            return await connection.call(
                call.definition, call.arguments, lambda text: call.report(text), lambda params: self._ask(call, params)
            )

        call.task = asyncio.create_task(self._mapped(call.server, call.safe, work, call.report))
        call.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await self._next(call)

    async def _next(self, call: ServerCall) -> dict[str, Any]:
        """Return a call's result.

        Raises:
            inarch.ToolFailed: It failed, or the server has a question.
        """
        assert call.task is not None
        asked = asyncio.create_task(call.asked.get())
        try:
            await asyncio.wait((call.task, asked), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            call.task.cancel()
            await asyncio.wait((call.task,), timeout=CLOSING_S)
            raise
        finally:
            asked.cancel()
        if call.task.done():
            return call.task.result()
        number = asked.result()
        message = f"MCP server {call.server!r} asks the user: {self.question(number).message}"
        how = f'call_tool with the name "{ANSWER}" and the arguments {{"question": "{number}"}}'
        remedy = f"{how} lets the user answer, and then continues this call"
        raise inarch.ToolFailed("execution", message, remedy)

    async def _ask(self, call: ServerCall, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the user's answer in the protocol's form."""
        try:
            if sum(one.call is call for one in self._open.values()) >= MOST_OPEN:
                raise ValueError("too many are open")
            question = Question.of(call.server, params)
        except (ValueError, TypeError, LookupError, AttributeError) as error:  # a form in a shape of its own
            call.report(f"declined a question of MCP server {call.server!r}: {shown(str(error), 200)}\n")
            return {"action": "decline"}
        number = f"q{next(self._numbers)}"
        waiting = self._open[number] = _Open(question, call, asyncio.get_running_loop().create_future())
        call.asked.put_nowait(number)
        try:
            async with asyncio.timeout(ANSWERED_S):
                return await waiting.answer
        except TimeoutError:
            return {"action": "cancel"}
        finally:
            self._open.pop(number, None)

    async def _answered(self, number: str, given: dict[str, Any], report: Callable[[str], None]) -> dict[str, Any]:
        self.question(number)
        waiting = self._open.pop(number)
        waiting.call.report = report
        waiting.settle(given)
        return await self._next(waiting.call)

    async def _mapped(
        self,
        server: str,
        safe: bool,
        work: Callable[[Connection], Awaitable[dict[str, Any]]],
        report: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        from mcp import MCPError

        from inarch_mcp.connection import Lost

        connection = self._connection(server)
        what = f"MCP server {server!r}"
        log = self.log_path(server)
        look = f"inarch mcp list shows its state{f', {log} what it wrote' if log else ''}"
        try:
            await connection.ensure(report)
            return await work(connection)
        except Lost as error:
            if not error.sent:
                raise inarch.ToolFailed("execution", f"{what} can't be reached: {error}", look) from error
            if safe:
                raise inarch.ToolFailed("execution", f"{what} was lost during the call: {error}", look) from error
            message = f"{what} was lost during the call, which may have had effects: {error}"
            raise inarch.ToolFailed(
                "unknown_outcome", message, "look at what it did before you call it again"
            ) from error
        except MCPError as error:
            said = f"{what} refused the call: {error.message[:2_000]} ({error.code})"
            raise inarch.ToolFailed("execution", said, _remedy(error.code, error.error.data)) from error
        except ValueError as error:
            message = f"{what} answered what its own definition does not allow: {str(error)[:500]}"
            raise inarch.ToolFailed("execution", message, "the call may have had effects all the same") from error

    async def _close_all(self) -> None:
        await asyncio.gather(*(one.close() for one in self._connections.values()), return_exceptions=True)
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)


def _remedy(code: int, data: Any) -> str:
    """Return what to do about a server's error: before some calls the user must open pages."""
    listed = data.get("elicitations") if code == _PAGES_FIRST and isinstance(data, Mapping) else None
    pages = [str(one.get("url", "")) for one in listed or () if isinstance(one, Mapping)]
    if not pages:
        return "this is the server's own error: see what it asks for"
    return f"ask the user to open {', '.join(shown(page, 500) for page in pages)}, then call it again"


def _check_same(server: str, definition: Definition, listing: Listing) -> None:
    """Check that a tool is still the one that the user was asked about.

    Raises:
        inarch.ToolFailed: The tool is gone or has changed.
    """
    now = next((one for one in listing.definitions if one.tool == definition.tool), None)
    if now is None:
        message = f"MCP server {server!r} does not offer {shown(definition.tool)} any more"
        raise inarch.ToolFailed("not_found", message, "start Inarch again to have its present tools")
    changed = differences(definition.prints, now.prints)
    if changed:
        message = f"MCP server {server!r} has changed the {changed} of {shown(definition.tool)} meanwhile"
        raise inarch.ToolFailed("conflict", message, "start Inarch again: the new definition is asked about then")


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
