"""Network block: during a replay, its code cannot open connections or resolve names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_REACHING_OUT = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
                           "socket.gethostbyname", "socket.bind"})  # fmt: skip
_shut: ContextVar[bool] = ContextVar("inarch_network_shut", default=False)
_hooked = False


@contextmanager
def network_refused() -> Iterator[None]:
    """Block the network for this context, and for the tasks and call threads that start in it."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_audit)
        _hooked = True
    token = _shut.set(True)
    try:
        yield
    finally:
        _shut.reset(token)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REACHING_OUT and _shut.get():
        address = arguments[1] if event in ("socket.connect", "socket.sendto", "socket.bind") else arguments[0]
        if isinstance(address, (str, bytes)) and event in ("socket.connect", "socket.sendto", "socket.bind"):
            return  # a local socket in the file system
        raise PermissionError(f"a replay has no network access ({address!r:.80})")
