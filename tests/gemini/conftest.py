"""A scripted server for every test, ended after it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpServer

sys.path.insert(0, str(Path(__file__).parent))

from gemini_wire import KEY, Talk, Talks


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talks]:
    """Return a function that makes a session with a server that gives these replies, the last one again and again."""
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    servers: list[HttpServer] = []

    def make(*replies: Any, routes: Any = None, settings: Any = None, **profile: Any) -> Talk:
        server = HttpServer(list(replies), routes or {}).__enter__()
        servers.append(server)
        root = tmp_path / "work"
        root.mkdir(exist_ok=True)
        return Talk(server, root, settings or {}, profile)

    yield make
    for server in servers:
        server.__exit__(None, None, None)
