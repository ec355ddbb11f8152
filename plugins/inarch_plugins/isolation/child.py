"""Process of an isolated plugin: confines itself, loads the plugin, and runs the kernel's calls.

Its standard output and error go to the kernel, which shows the last line if the process ends unexpectedly. The plugin's
asynchronous code, and anything that the kernel calls on its own loop, runs on the main thread. Synchronous tools get
threads.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from attrs import define, field

from inarch import ConfigError, InarchError, PluginError, ToolFailed
from inarch.host import guarded
from inarch_plugins.isolation.child_confinement import confine, die_with
from inarch_plugins.isolation.failures import error_data
from inarch_plugins.isolation.kinds import called, described, result_data, runs_in_thread
from inarch_plugins.isolation.line import Line, Running
from inarch_plugins.isolation.methods import DOORS, data_of
from inarch_plugins.isolation.wire import Malformed, Messages

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from inarch.host import Offered

_PIECE = 1 << 18
_MOST_THREADS = 64
_NO_NETWORK = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)


def main(descriptor: int) -> NoReturn:
    """Serve the connection `descriptor` until it is closed, then end the process even if the plugin left threads."""
    connection = socket.socket(fileno=descriptor)
    connection.set_inheritable(False)
    messages = _received(connection)
    job = next(messages)["job"]
    die_with(job["parent"])
    line = Line(job["name"], connection)
    try:
        confine(job)
    except OSError as error:
        _leave(line, PluginError(f"plugin {line.plugin!r} can't be confined: {error}", plugin=line.plugin, door="load",
                                 remedy=f'use mode = "in-process" in [isolation.{line.plugin}]'))  # fmt: skip
    try:
        offered = _load(job)
        line.send(described(line.plugin, offered))
    except (InarchError, TypeError, ValueError) as error:
        _leave(line, error)
    Child(line, job, offered).serve(messages)


def _received(connection: socket.socket) -> Any:
    messages = Messages(1 << 40)
    while True:
        try:
            data = connection.recv(_PIECE)
        except OSError:
            data = b""
        if not data:
            os._exit(0)
        yield from messages.feed(data)


def _leave(line: Line, error: BaseException) -> NoReturn:
    message: dict[str, Any] = {"op": "failed", "error": error_data(error)}
    if isinstance(error, ConfigError):
        message["problem"] = True
    line.send(message)
    sys.stdout.flush()
    os._exit(0)


def _load(job: Mapping[str, Any]) -> Offered:
    """Import and register the plugin; return its registrations."""
    from inarch import PluginContext
    from inarch.host import load_alone

    context = PluginContext(
        job["name"], job["root"], {}, {}, job["cache_dir"], job["state_dir"], job["recorded"], environ=job["environ"]
    )
    return load_alone(job["plugin"], context, job["settings"], job["variables"])


def _is_cut_off(cause: BaseException) -> bool:
    """Return whether an error comes from a missing network, or from a proxy that refused."""
    return isinstance(cause, (ConnectionError, socket.gaierror)) or (
        isinstance(cause, OSError) and (cause.errno in _NO_NETWORK or "inarch: " in str(cause))
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the causes of an error, however often it was wrapped."""
    cause = error.__cause__
    for _ in range(9):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


@define(eq=False, repr=False)
class Child:
    """Server of one plugin's calls."""

    line: Line
    _job: Mapping[str, Any]
    _offered: Offered
    _calls: dict[int, Running] = field(factory=dict)
    _opened: list[Any] = field(factory=list)
    _loop: asyncio.AbstractEventLoop = field(init=False)
    _threads: ThreadPoolExecutor = field(init=False)
    _asides: ThreadPoolExecutor = field(init=False)

    @property
    def root(self) -> str:
        """Return the workspace root, for messages."""
        return str(self._job["root"])

    @property
    def state_dir(self) -> str:
        """Return the plugin's own folder."""
        return str(self._job["state_dir"])

    @property
    def settings(self) -> Any:
        """Return the plugin's settings."""
        return self._offered.settings or {}

    def keep(self, opened: Any) -> int:
        """Store an opened object and return its number."""
        self._opened.append(opened)
        return len(self._opened) - 1

    def serve(self, messages: Any) -> NoReturn:
        """Process messages until the connection is closed."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._threads = ThreadPoolExecutor(_MOST_THREADS)
        self._asides = ThreadPoolExecutor(2)
        threading.Thread(target=self._read, args=(messages,), daemon=True).start()
        while True:
            try:
                self._loop.run_forever()
            except SystemExit as error:  # of a callback that the plugin has put on the loop
                sys.stderr.write(f"the plugin tried to end the process: {error}\n")

    def _read(self, messages: Any) -> None:
        try:
            for message in messages:
                self._take(message)
        except (Malformed, KeyError, RuntimeError) as error:
            sys.stderr.write(f"the connection broke: {error}\n")
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _take(self, message: Mapping[str, Any]) -> None:
        operation = message["op"]
        if operation == "call":
            self._begin(message)
        elif operation in ("back", "piece"):
            self.line.heard(message)
        elif operation == "cancel" and (call := self._calls.get(message["id"])) is not None:
            call.cancel()

    def _begin(self, message: Mapping[str, Any]) -> None:
        call = self._calls[message["id"]] = Running(message["id"])
        kind, target = self._target(message)
        if kind == "tools" and message["method"] != "run":
            self._asides.submit(self._work, message, call)  # a policy that occupies the loop may be the one that asks
        elif runs_in_thread(kind, target, message["method"]):
            self._threads.submit(self._work, message, call)
        else:
            self._loop.call_soon_threadsafe(self._work, message, call)

    def _target(self, message: Mapping[str, Any]) -> tuple[str, Any]:
        kind, _, number = message["object"].partition("/")
        return kind, (self._opened if kind == "opened" else self._offered.offers[kind])[int(number)]

    def _work(self, message: Mapping[str, Any], call: Running) -> None:
        """Run a call in a thread or on the loop; awaitables are awaited on the loop."""
        import asyncio
        import inspect

        kind, target = self._target(message)
        door, passes = DOORS[kind]
        try:
            with guarded(self.line.plugin, door, passes):
                value = called(self, kind, target, message["method"], message["args"], call)
            if not inspect.isawaitable(value):
                self._done(message, call, value)
                return
            call.stop = asyncio.run_coroutine_threadsafe(self._finish(message, call, value), self._loop).cancel
            if call.cancelled.is_set():
                call.stop()
        except BaseException as error:  # noqa: BLE001 - SystemExit, too, is the call's and not the process's
            self._failed(call, error)

    async def _finish(self, message: Mapping[str, Any], call: Running, value: Any) -> None:
        door, passes = DOORS[self._target(message)[0]]
        try:
            with guarded(self.line.plugin, door, passes):
                value = await value
            self._done(message, call, value)
        except BaseException as error:  # noqa: BLE001
            self._failed(call, error)

    def _done(self, message: Mapping[str, Any], call: Running, value: Any) -> None:
        kind, target = self._target(message)
        if (kind, message["method"]) == ("tools", "run"):
            data = result_data(value, target.name, self.line.plugin)
        else:
            with guarded(self.line.plugin, DOORS[kind][0]):
                data = data_of(value)
        self._over(call)
        self.line.reply(call.id, data)

    def _failed(self, call: Running, error: BaseException) -> None:
        self._over(call)
        if isinstance(error, PluginError) and (hint := self._hint(error)):
            error = PluginError(f"{error.message} ({hint})", plugin=error.plugin, door=error.door, remedy=error.remedy)
        elif isinstance(error, KeyboardInterrupt):
            error = ToolFailed("execution", "KeyboardInterrupt")
        self.line.fail(call.id, error)

    def _over(self, call: Running) -> None:
        self._calls.pop(call.id, None)
        call.cancelled.set()  # code that the plugin left running may no longer act for it

    def _hint(self, error: PluginError) -> str:
        """Return which key of the table would have allowed the failed action."""
        where = f"[isolation.{self.line.plugin}]"
        if isinstance(error.__cause__, MemoryError):
            return f"memory_mb = {self._job['memory_mb']} in {where}"
        if any(isinstance(cause, PermissionError) for cause in _causes(error)):
            return f"it may do what {where} grants: write, network"
        if self._job["hosts"] and any(map(_is_cut_off, _causes(error))):
            hosts = ", ".join(self._job["hosts"])
            return f"{where} lets it reach only {hosts}, by the proxy that HTTP_PROXY and HTTPS_PROXY name"
        return ""
