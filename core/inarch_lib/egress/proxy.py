"""Process of the proxy: it confines itself, takes its listening socket, and serves until it is not needed."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

from inarch_lib.confinement import Plan, confine
from inarch_lib.confinement.hosts import Hosts
from inarch_lib.confinement.levels import own_layers
from inarch_lib.confinement.system_paths import LIBRARIES, SETTINGS

from .exchange import IDLE_S, Exchange
from .routes import Routes, Stream, resolved

MOST_CONNECTIONS = 200
_MOST_ASKED = 1 << 20
_MEMORY = 2 << 30
_FILES = 1024
_AGAIN_S = 0.1
_ESTABLISHED, _TIME_WAIT, _CLOSED, _CLOSE_WAIT, _LAST_ACK, _CLOSING = 1, 6, 7, 8, 9, 11
_LEFT = (frozenset({_CLOSED}), frozenset({_TIME_WAIT, _CLOSE_WAIT, _LAST_ACK, _CLOSING}))
"""States of TCP: broken off, or ended by the client. The latter may still wait for its answer, so those go last."""

Served = dict[asyncio.Task[None], socket.socket]


def main(gate: int, parent: int) -> NoReturn:
    """Serve until standard input, the connection to the parent, is closed or the parent has ended."""
    control = socket.socket(fileno=os.dup(0))
    try:
        asked = _asked(control)
        _confine()
        listener = _taken(gate)
        asyncio.run(_until_over(control, parent, serve(listener, Hosts(asked["hosts"]), _teller(control))))
    except (OSError, ValueError, KeyError):
        os._exit(1)


def _asked(control: socket.socket) -> dict[str, Any]:
    line = b""
    while not line.endswith(b"\n"):
        piece = control.recv(1 << 16)
        if not piece or len(line) > _MOST_ASKED:
            raise ValueError("nothing was asked")
        line += piece
    asked: dict[str, Any] = json.loads(line)
    return asked


def _confine() -> None:
    """Limit this process to the network and name resolution: it reads what strangers send."""
    _ = "name".encode("idna")  # loaded while files can still be read
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.platform == "linux":
        reads = (*LIBRARIES, *SETTINGS, sys.base_prefix, *_resolvers())
        plan = Plan("/usr", sys.executable, readable=reads, network=True, memory_bytes=_MEMORY, starts=False)
        confine(plan._replace(layers=own_layers()))


def _resolvers() -> tuple[str, ...]:
    """Return the folder in which the list of name servers is replaced at run time, unless it is /etc."""
    folder = str(Path("/etc/resolv.conf").resolve().parent)
    return () if folder == "/etc" else (folder,)


def _taken(gate: int) -> socket.socket:
    """Return the socket made by the confined program, which has ended if none comes."""
    with socket.socket(fileno=gate) as end:
        _, descriptors, _, _ = socket.recv_fds(end, 1, 1)
    if not descriptors:
        raise ValueError("nothing to listen to")
    return socket.socket(fileno=descriptors[0])


def _teller(control: socket.socket) -> Any:
    control.setblocking(False)

    def tell(target: str, why: str) -> None:
        try:
            control.send(json.dumps((target, why)).encode() + b"\n")
        except OSError:
            pass  # the receiver has gone, or does not listen

    return tell


async def _until_over(control: socket.socket, parent: int, serving: Any) -> NoReturn:
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(control, over.set)  # nothing more is sent: it is the end
    try:
        alive = os.pidfd_open(parent)
        loop.add_reader(alive, over.set)
    except (AttributeError, OSError):
        pass  # if processes cannot be watched, the connection reports it
    task = asyncio.ensure_future(serving)
    task.add_done_callback(lambda _: over.set())
    await over.wait()
    os._exit(0)  # at once: otherwise it would wait for running name look-ups


async def serve(listener: socket.socket, hosts: Hosts, tell: Any, resolve: Any = resolved) -> None:
    """Serve a limited number of connections; further ones wait."""
    listener.setblocking(False)
    routes, loop = Routes(hosts, tell, resolve), asyncio.get_running_loop()

    async def one(end: socket.socket) -> None:
        client = Stream(*await asyncio.open_connection(sock=end))  # from now on the exchange closes the socket
        try:
            await Exchange(client, routes).serve()
        finally:
            await client.finish(IDLE_S)

    served: Served = {}  # an error of one connection must not affect the others
    while True:
        try:
            end, _ = await loop.sock_accept(listener)
        except OSError:  # it has gone again, or there are too many open files for now
            await asyncio.sleep(_AGAIN_S)
            continue
        with ExitStack() as unserved:
            unserved.callback(end.close)
            await _room(served)  # only now: the first use makes it
            task = loop.create_task(one(end))
            served[task] = end
            task.add_done_callback(lambda done: served.pop(done).close())  # also one that had not begun
            unserved.pop_all()


async def _room(served: Served) -> None:
    """Wait for room for one more; the first connection whose client has left makes room."""
    while len(served) >= MOST_CONNECTIONS:
        states = {task: _state(end) for task, end in served.items()}
        left = [task for states_left in _LEFT for task, state in states.items() if state in states_left]
        if left:
            left[0].cancel()  # again while it waits for its written data to be taken
        await asyncio.wait(served, timeout=_AGAIN_S, return_when=asyncio.FIRST_COMPLETED)


def _state(end: socket.socket) -> int:
    """Return the system's state of a connection, whatever of it was read."""
    if sys.platform != "linux":
        return _ESTABLISHED
    try:
        return end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    except OSError:  # it broke off, and is closed here, too
        return _CLOSED
