"""The proxy's process: it confines itself, takes the socket that it listens to, and serves until nobody needs it."""

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
"""States of TCP: broken off; and ended by the client, which may wait for its answer all the same, so those go last."""

Served = dict[asyncio.Task[None], socket.socket]


def main(gate: int, parent: int) -> NoReturn:
    """Serve until standard input, the connection to who started this, is closed or that process has ended."""
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
    """Keep from this process all but the network and what resolves names: it reads what strangers send."""
    _ = "name".encode("idna")  # loaded while files can still be read
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.platform == "linux":
        reads = (*LIBRARIES, *SETTINGS, sys.base_prefix, *_resolvers())
        plan = Plan("/usr", sys.executable, readable=reads, network=True, memory_bytes=_MEMORY, starts=False)
        confine(plan._replace(layers=own_layers()))


def _resolvers() -> tuple[str, ...]:
    """Return the folder in which the list of name servers is exchanged while this runs, where it is not in /etc."""
    folder = str(Path("/etc/resolv.conf").resolve().parent)
    return () if folder == "/etc" else (folder,)


def _taken(gate: int) -> socket.socket:
    """Return the socket that the confined program has made; it has ended where none comes."""
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
            pass  # who would be told has gone, or does not listen

    return tell


async def _until_over(control: socket.socket, parent: int, serving: Any) -> NoReturn:
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(control, over.set)  # nothing more is sent: it is the end
    try:
        alive = os.pidfd_open(parent)
        loop.add_reader(alive, over.set)
    except (AttributeError, OSError):
        pass  # where processes can't be watched, the connection tells
    task = asyncio.ensure_future(serving)
    task.add_done_callback(lambda _: over.set())
    await over.wait()
    os._exit(0)  # at once: a name that is just being looked up would be waited for


async def serve(listener: socket.socket, hosts: Hosts, tell: Any, resolve: Any = resolved) -> None:
    """Serve connections, so many at a time; those that come meanwhile wait."""
    listener.setblocking(False)
    routes, loop = Routes(hosts, tell, resolve), asyncio.get_running_loop()

    async def one(end: socket.socket) -> None:
        client = Stream(*await asyncio.open_connection(sock=end))  # from now on the socket is its own to close
        try:
            await Exchange(client, routes).serve()
        finally:
            await client.finish(IDLE_S)

    served: Served = {}  # what goes wrong with one is none of the others'
    while True:
        try:
            end, _ = await loop.sock_accept(listener)
        except OSError:  # it has gone again, or there are too many open files for now
            await asyncio.sleep(_AGAIN_S)
            continue
        with ExitStack() as unserved:
            unserved.callback(end.close)
            await _room(served)  # only now: until somebody asks for it, nobody has to make any
            task = loop.create_task(one(end))
            served[task] = end
            task.add_done_callback(lambda done: served.pop(done).close())  # also one that had not begun
            unserved.pop_all()


async def _room(served: Served) -> None:
    """Wait until one more can be served; one whose client has left makes room, the first that came."""
    while len(served) >= MOST_CONNECTIONS:
        states = {task: _state(end) for task, end in served.items()}
        left = [task for states_left in _LEFT for task, state in states.items() if state in states_left]
        if left:
            left[0].cancel()  # again where it waits for what it wrote to be taken
        await asyncio.wait(served, timeout=_AGAIN_S, return_when=asyncio.FIRST_COMPLETED)


def _state(end: socket.socket) -> int:
    """Return the state of a connection as the system knows it, whatever of it was read."""
    if sys.platform != "linux":
        return _ESTABLISHED
    try:
        return end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    except OSError:  # it broke off, and is closed here, too
        return _CLOSED
