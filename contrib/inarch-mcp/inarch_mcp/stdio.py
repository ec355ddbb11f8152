"""Transport to a server as a child process, with one line of JSON per message.

The official package has such a transport, too. This one limits the length of a line, passes only granted variables,
logs standard error, reports the process's end at once, and leaves no process behind.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from attrs import define, field, frozen
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from inarch.staging import make_folder
from inarch_lib.confinement.keeper import keeper_argv
from inarch_mcp.definitions import shown

LONGEST = 262_144
"""Largest log in bytes. A full log loses its older half."""


@define(eq=False)
class Log:
    """The log of one server. Without a path it has only the last lines, in memory."""

    path: Path | None
    _last: bytes = field(init=False, default=b"")
    _size: int = field(init=False, default=-1)

    @property
    def last_line(self) -> str:
        """Return the last line that is not blank, for a message."""
        lines = self._last.decode("utf-8", "replace").split("\n")
        return shown(next((line.strip() for line in reversed(lines) if line.strip()), ""), 200)

    def begin(self) -> None:
        """Forget the last lines, because a new process starts."""
        self._last = b""

    def add(self, data: bytes) -> None:
        """Append output."""
        self._last = (self._last + data)[-2_000:]
        if self.path is None:
            return
        try:
            self._append(self.path, data)
        except OSError:  # a log must not fail the server
            self.path = None

    def _append(self, path: Path, data: bytes) -> None:
        if self._size < 0:
            make_folder(path.parent)
            self._size = path.stat().st_size if path.exists() else 0
        if self._size + len(data) > LONGEST:
            kept = path.read_bytes()[-LONGEST // 2 :] if path.exists() else b""
            data = (kept + data)[-LONGEST // 2 :]
            path.unlink(missing_ok=True)
            self._size = 0
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            file.write(data)
        self._size += len(data)


LONGEST_LINE = 16 << 20
"""Longest message in bytes."""
LEAVING_S = 2.0
"""Seconds that a server may take to exit after its input has ended."""
TERMINATING_S = 1.0
LAST_WORDS_S = 1.0

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]


@frozen
class Launch:
    """Launch parameters of a server."""

    argv: Sequence[str]
    environ: Mapping[str, str]
    cwd: str


@asynccontextmanager
async def talk(launch: Launch, log: Log, ended: Callable[[str], None]) -> AsyncGenerator[Streams, None]:
    """Start a server and yield the streams to talk to it.

    Args:
        launch: Its launch parameters.
        log: Receives its standard error.
        ended: Called after its last message, with a description of its end.

    Raises:
        OSError: The server can't be started.
    """
    log.begin()
    _find(launch)
    lifeline, alive = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *keeper_argv(launch.argv, lifeline),
            pass_fds=(lifeline,),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(launch.environ),
            cwd=launch.cwd,
            start_new_session=True,
            limit=LONGEST_LINE,
        )
    except BaseException:
        os.close(alive)
        raise
    finally:
        os.close(lifeline)
    heard, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        quiet = anyio.Event()
        group.start_soon(_hear, process, heard, log, quiet, ended)
        group.start_soon(_say, process, to_send)
        group.start_soon(_log, process, log, quiet)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await _stop(process, alive)
            group.cancel_scope.cancel()
            for stream in (incoming, outgoing, heard, to_send):
                stream.close()


async def _hear(
    process: asyncio.subprocess.Process,
    heard: MemoryObjectSendStream[Incoming],
    log: Log,
    quiet: anyio.Event,
    ended: Callable[[str], None],
) -> None:
    assert process.stdout is not None
    why = "ended"
    async with heard:
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                why = f"sent a message of more than {LONGEST_LINE >> 20} MiB"
                break
            if not line:
                with anyio.move_on_after(LAST_WORDS_S):  # standard error usually says why the server ended
                    await quiet.wait()
                if await _exits(process, LAST_WORDS_S):
                    why = f"ended with {_status(process.returncode or 0)}"
                break
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                if line.strip():
                    log.add(b"(no message) " + line[:500].rstrip() + b"\n")
                continue
            try:
                await heard.send(SessionMessage(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return
        ended(why)


async def _say(process: asyncio.subprocess.Process, to_send: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    try:
        async with to_send:
            async for item in to_send:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode() + b"\n")
                await process.stdin.drain()
    except (OSError, anyio.ClosedResourceError):  # it has ended, which the reading side reports
        pass


async def _log(process: asyncio.subprocess.Process, log: Log, quiet: anyio.Event) -> None:
    assert process.stderr is not None
    while data := await process.stderr.read(65_536):
        log.add(data)
    quiet.set()


def _find(launch: Launch) -> None:
    """Raise FileNotFoundError or PermissionError if the program can't be run."""
    command = launch.argv[0]
    path = str(Path(launch.cwd, command)) if "/" in command else command
    if shutil.which(path, path=launch.environ.get("PATH", os.defpath)) is None:
        number = errno.EACCES if Path(path).exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), command)


async def _stop(process: asyncio.subprocess.Process, alive: int) -> None:
    """End the process and everything that it started, in bounded time."""
    assert process.stdin is not None
    process.stdin.close()
    if not await _exits(process, LEAVING_S):
        _signal(process.pid, signal.SIGTERM)
        await _exits(process, TERMINATING_S)
    os.close(alive)
    await _exits(process, LEAVING_S)
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


async def _exits(process: asyncio.subprocess.Process, seconds: float) -> bool:
    # Not `wait`: that waits for the pipes, too, which a grandchild may hold.
    end = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= end:
            return False
        await asyncio.sleep(0.01)
    return True


def _status(code: int) -> str:
    return f"status {code}" if code >= 0 else f"signal {-code}"


def _signal(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # already gone
        pass
