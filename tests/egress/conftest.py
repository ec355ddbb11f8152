"""Proxies and servers that end with their test."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(__file__))  # helpers beside the tests

from egress_place import Proxy, Server, serving


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    """Return a function that starts servers."""
    with ExitStack() as stack:

        def make(**fields: Any) -> Server:
            server = Server(**fields)
            stack.callback(server.close)
            threading.Thread(target=server.serve, daemon=True).start()
            return server

        yield make


@pytest.fixture
def make_proxy() -> Iterator[Callable[..., Proxy]]:
    """Return a function that starts proxies."""
    with ExitStack() as stack:
        yield lambda *hosts, **fields: stack.enter_context(serving(Proxy(hosts, **fields)))
