"""Model servers on this machine: `inarch doctor` looks for the known ones, and nothing leaves the machine.

A server is asked for its models as any program would ask it: connected to in a moment, read for a moment, up to a size.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

Ports = Sequence[tuple[int, str]]
PORTS: Ports = (
    (11434, "Ollama"),
    (8080, "llama.cpp"),
    (1234, "LM Studio"),
    (8000, "vLLM"),
    (1337, "Jan"),
    (30000, "SGLang"),
    (5001, "KoboldCpp"),
    (4000, "LiteLLM's proxy"),
)
"""Where servers listen unless they are told otherwise; what answers there may be another one."""
CONNECT_S = 0.3
READ_S = 1.0
LONGEST = 1 << 20
"""Bytes of an answer that are read."""
MOST_NAMED = 3
_HOSTS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


@frozen
class LocalServer:
    """A server that lists models: its address with `/v1`, what usually listens there, and the models' names."""

    base_url: str
    usual: str
    models: tuple[str, ...]

    @property
    def first(self) -> str:
        """The first model that talks, "" if there is none."""
        return next((name for name in self.models if "embed" not in name.lower()), "")

    @property
    def words(self) -> str:
        """What it is and what it has, in a line."""
        named = ", ".join(self.models[:MOST_NAMED])
        more = f" and {len(self.models) - MOST_NAMED} more" if len(self.models) > MOST_NAMED else ""
        has = f"has {named}{more}" if named else "has no model yet"
        return f"a model server answers at {self.base_url} (the port of {self.usual}): it {has}"


def local_servers(ports: Ports = PORTS) -> Iterator[LocalServer]:
    """Yield the servers on this machine that list models the way of chat completions."""
    for port, usual in ports:
        for family, host in _HOSTS:
            models = _models(family, host, port)
            if models is not None:
                shown = f"[{host}]" if family == socket.AF_INET6 else host
                yield LocalServer(f"http://{shown}:{port}/v1", usual, models)
                break


def _models(family: socket.AddressFamily, host: str, port: int) -> tuple[str, ...] | None:
    """Return the names of a server's models, None where no such server answers."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(CONNECT_S)
            connection.connect((host, port))
            # HTTP/1.0: the answer comes in one piece and ends with the connection.
            connection.sendall(b"GET /v1/models HTTP/1.0\r\nHost: localhost\r\nAccept: application/json\r\n\r\n")
            head, _, body = _read(connection).partition(b"\r\n\r\n")
    except OSError:
        return None
    status = head.split(b"\r\n", 1)[0].split(b" ")
    if len(status) < 2 or not status[0].startswith(b"HTTP/") or status[1] != b"200":
        return None
    try:
        return _names(json.loads(body))
    except (ValueError, RecursionError):
        return None


def _read(connection: socket.socket) -> bytes:
    """Return what comes before the time is up or there is too much; a server that drips is no reason to wait."""
    end = time.monotonic() + READ_S
    pieces: list[bytes] = []
    size = 0
    while size < LONGEST and (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        piece = connection.recv(1 << 16)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _names(data: Any) -> tuple[str, ...] | None:
    """Return the names in a list of models, None where it is something else."""
    rows = data.get("data") if isinstance(data, dict) else None
    if rows is None and isinstance(data, dict) and data.get("object") == "list":
        return ()  # Ollama without a model
    if not isinstance(rows, list):
        return None
    names = (row.get("id") for row in rows if isinstance(row, dict))
    return tuple(name for name in names if isinstance(name, str) and name and name.isprintable())
