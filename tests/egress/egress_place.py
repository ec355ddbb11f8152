"""The proxy in a thread, with names that lead where a test says, and servers that keep what they are sent."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field

from inarch_lib.confinement.hosts import Hosts
from inarch_lib.egress.proxy import serve

LONGEST_S = 60.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


@define(eq=False)
class Server:
    """A server on loopback that answers each connection with the same bytes and keeps what came."""

    answer: bytes = ANSWER
    stays: bool = False
    came: list[bytes] = field(factory=list)
    listener: socket.socket = field(factory=lambda: socket.create_server(("127.0.0.1", 0)))

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def close(self) -> None:
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()

    def serve(self) -> None:
        while True:
            try:
                end, _ = self.listener.accept()
            except OSError:
                return
            self.came.append(b"")
            threading.Thread(target=self._one, args=(end, len(self.came) - 1), daemon=True).start()

    def _one(self, end: socket.socket, number: int) -> None:
        with end:
            end.settimeout(LONGEST_S)
            try:
                while data := end.recv(1 << 16):
                    first = not self.came[number]
                    self.came[number] += data
                    if first:
                        end.sendall(self.answer)
                        if not self.stays:
                            end.shutdown(socket.SHUT_WR)
            except OSError:
                pass


@define(eq=False)
class Proxy:
    """A proxy that serves; `names` says where names lead, and may be changed meanwhile."""

    hosts: tuple[str, ...]
    names: dict[str, list[str]] = field(factory=dict)
    told: list[tuple[str, str]] = field(factory=list)
    asked: list[str] = field(factory=list)
    listener: socket.socket = field(factory=lambda: socket.create_server(("127.0.0.1", 0)))

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return self.names[host]

    def say(self, data: bytes, *, ends: bool = True) -> bytes:
        """Send bytes and return all that comes back."""
        with self.connected() as end:
            end.sendall(data)
            if ends:
                end.shutdown(socket.SHUT_WR)
            return rest(end)

    def connected(self) -> socket.socket:
        end = socket.create_connection(self.listener.getsockname(), LONGEST_S)
        end.settimeout(LONGEST_S)
        return end


def rest(end: socket.socket) -> bytes:
    """Return all that still comes."""
    data = b""
    try:
        while piece := end.recv(1 << 16):
            data += piece
    except ConnectionError:
        pass
    return data


@contextmanager
def serving(proxy: Proxy) -> Iterator[Proxy]:
    ready, loops = threading.Event(), []

    async def run() -> None:
        told = lambda target, why: proxy.told.append((target, why))  # noqa: E731
        task = asyncio.ensure_future(serve(proxy.listener, Hosts(proxy.hosts), told, proxy.resolve))
        loops.append((asyncio.get_running_loop(), task))
        ready.set()
        await asyncio.wait((task,))

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert ready.wait(LONGEST_S)
    try:
        yield proxy
    finally:
        loop, task = loops[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join(LONGEST_S)
        proxy.listener.close()
        assert not thread.is_alive()
