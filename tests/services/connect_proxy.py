"""A company's proxy on loopback: CONNECT with or without a login, and tunnels that all lead to one place."""

from __future__ import annotations

import socket
import socketserver
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field


@define(eq=False)
class ConnectProxy:
    """What a proxy was asked for, and how it answers.

    Args:
        leads_to: The port on loopback that every tunnel leads to, whatever host it is for.
        login: `user:password` that it wants; without it the answer is 407.
        refusal: A status line such as `403 Forbidden` for every request; "" lets them through.
    """

    leads_to: int
    login: str = ""
    refusal: str = ""
    asked: list[str] = field(init=False, factory=list)
    url: str = field(init=False, default="")

    def status(self, head: bytes) -> str:
        """Return the status line for a request, and remember what it was for."""
        self.asked.append(head.split()[1].decode())
        wanted = b"Basic " + b64encode(self.login.encode())
        if self.login and wanted not in head:
            return "407 Proxy Authentication Required"
        return self.refusal or "200 Connection established"


@contextmanager
def connect_proxy(leads_to: int, **options: str) -> Iterator[ConnectProxy]:
    """Run a proxy; `options` are those of `ConnectProxy`."""
    proxy = ConnectProxy(leads_to, **options)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            head = b"".join(iter(self.rfile.readline, b"\r\n"))
            status = proxy.status(head)
            self.wfile.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode() if status[0] != "2" else b"")
            if status[0] == "2":
                with socket.create_connection(("127.0.0.1", proxy.leads_to)) as behind:
                    self.wfile.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
                    back = threading.Thread(target=_copied, args=(behind, self.connection))
                    back.start()
                    _copied(self.connection, behind)
                    back.join()

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing: a client that goes away is part of many tests."""

    with Server(("127.0.0.1", 0), Handler) as server:
        proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()


def _copied(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(65536):
            there.sendall(data)
    except OSError:
        pass  # one side has gone
    finally:
        try:
            there.shutdown(socket.SHUT_WR)
        except OSError:
            pass
