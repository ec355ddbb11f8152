"""Thread for connections, started with the first one and ended when the application closes."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, field

import inarch
from inarch.output import is_terminal
from inarch_mcp.definitions import Definition, Listing, differences, shown
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_start import Place

if TYPE_CHECKING:
    from inarch_mcp.connection import Connection

T = TypeVar("T")
CLOSING_S = 10.0
STARTING_S = 30.0
"""Extra seconds for the import of the official package: about one, and more on a busy machine."""

SHOWN_AFTER_S = 1.5
"""Seconds of waiting for servers after which a terminal shows it."""


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

    async def call(
        self, server: str, definition: Definition, arguments: dict[str, Any], report: Callable[[str], None], safe: bool
    ) -> dict[str, Any]:
        """Call a tool from another event loop and return its raw result. A cancel is passed to the server.

        Args:
            server: The server's name.
            definition: The tool as it was composed.
            arguments: Its arguments.
            report: Takes live output.
            safe: Whether an interrupted call can't have changed anything.

        Raises:
            inarch.ToolFailed: The call failed.
        """
        return await asyncio.wrap_future(self._submit(self._call(server, definition, arguments, report, safe)))

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

    async def _call(
        self, server: str, definition: Definition, arguments: dict[str, Any], report: Callable[[str], None], safe: bool
    ) -> dict[str, Any]:
        from mcp import MCPError

        from inarch_mcp.connection import Lost

        connection = self._connection(server)
        what = f"MCP server {server!r}"
        log = self.log_path(server)
        look = f"inarch mcp list shows its state{f', {log} what it wrote' if log else ''}"
        try:
            await connection.ensure(report)
            _check_same(server, definition, connection.listing or Listing())
            return await connection.call(definition, arguments, report)
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
            raise inarch.ToolFailed("execution", said) from error
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
