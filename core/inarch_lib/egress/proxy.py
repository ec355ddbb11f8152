"""Process of the proxy: it confines itself, takes its listening socket, and serves until it is not needed."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import sys
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
    with control.makefile("rb") as file:
        asked: dict[str, Any] = json.loads(file.readline(_MOST_ASKED))
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
    routes, room = Routes(hosts, tell, resolve), asyncio.Semaphore(MOST_CONNECTIONS)

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Stream(reader, writer)
        async with room:
            try:
                await Exchange(client, routes).serve()
            finally:
                await client.finish(IDLE_S)

    server = await asyncio.start_server(one, sock=listener)
    await server.serve_forever()
