"""Messages between Inarch and its fork server, which runs the same Python and files: standard library only."""

from __future__ import annotations

import marshal
import socket
from typing import Any

_LENGTH = 4


def send(end: socket.socket, message: dict[str, Any]) -> None:
    """Send a message."""
    data = marshal.dumps(message)
    end.sendall(len(data).to_bytes(_LENGTH, "little") + data)


def receive(end: socket.socket) -> dict[str, Any] | None:
    """Return the next message, or None if the other end is gone."""
    head = _exactly(end, _LENGTH)
    data = head and _exactly(end, int.from_bytes(head, "little"))
    if not data:
        return None
    message: dict[str, Any] = marshal.loads(data)
    return message


def _exactly(end: socket.socket, size: int) -> bytes | None:
    pieces = []
    while size:
        try:
            piece = end.recv(size)
        except ConnectionError:
            return None
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
