"""Applications around servers, in homes of their own; whatever a test leaves open is closed."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import scripted_app

PATIENCE_S = 60.0
HOSTILE = Path(__file__).with_name("hostile_server.py")


class Ground:
    """A workspace, a home and a folder for the hostile server."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.root = folder / "root"
        self.home = folder / "home"
        self.hostile = folder / "hostile"
        for one in (self.root, self.home, self.hostile):
            one.mkdir()
        self.environ = {"HOME": str(self.home), "XDG_CACHE_HOME": str(cache), "PATH": os.environ["PATH"]}
        self.apps: list[inarch.App] = []

    def server(self, mode: str = "", **more: Any) -> dict[str, Any]:
        """Settings of a hostile server. Older servers need no other handshake: one question less to answer."""
        argv = ["-I", str(HOSTILE), str(self.hostile), mode]
        return {"command": sys.executable, "args": argv, "connect_s": PATIENCE_S, "timeout_s": PATIENCE_S, **more}

    def whole(self, many: int = 0, **more: Any) -> dict[str, Any]:
        """Settings of a server made with the official package."""
        return self._python("whole_server.py", many, more)

    def changing(self, growth: int, **more: Any) -> dict[str, Any]:
        """Settings of a server whose list of tools changes."""
        return self._python("changing_server.py", growth, more)

    def _python(self, file: str, number: int, more: Mapping[str, Any]) -> dict[str, Any]:
        argv = ["-I", str(Path(__file__).with_name(file)), str(number)]
        return {"command": sys.executable, "args": argv, "connect_s": PATIENCE_S, **more}

    def play(
        self, servers: Mapping[str, Any], script: Any, *prompts: str, profile: Any = None, **mcp: Any
    ) -> list[inarch.ModelRequest]:
        """Run a conversation and return the requests, each of which continues the one before."""
        config = self.config(servers)
        config["plugins"]["mcp"].update(mcp)
        config["profiles"]["default"]["plugins"] += (profile or {}).get("plugins", [])
        app, model = scripted_app(script, self.root, config=config, environ=self.environ)
        self.apps.append(app)

        async def run() -> None:
            session = app.session()
            for prompt in prompts or ("go",):
                assert (await session.run(prompt)).status == "done"

        asyncio.run(run())
        for before, after in zip(model.requests, model.requests[1:], strict=False):
            assert after.tools == before.tools and after.system == before.system
            assert after.messages[: len(before.messages)] == before.messages
        return list(model.requests)

    def results(self, request: inarch.ModelRequest) -> list[inarch.ToolResult]:
        """Return the results in a request."""
        return [part.result for one in request.messages for part in one.parts if isinstance(part, inarch.ResultPart)]

    def config(self, servers: Mapping[str, Any], approve: str = "all", **more: Any) -> dict[str, Any]:
        profile = {"plugins": ["sandbox-fs", "sqlite-store", "offline", "mcp"], "approve": approve}
        tables = {"mcp": {"servers": dict(servers)}}
        return {"profiles": {"default": {**profile, "model": "offline/extractive"}}, "plugins": tables, **more}

    def app(
        self, servers: Mapping[str, Any], approve: str = "all", front_end: inarch.FrontEnd | None = None, **more: Any
    ) -> inarch.App:
        config = self.config(servers, approve, **more)
        app = inarch.compose(root=self.root, config=config, environ=self.environ, front_end=front_end)
        assert not app.composition.refused
        self.apps.append(app)
        return app

    @property
    def did(self) -> list[str]:
        path = self.hostile / "did"
        return path.read_text().splitlines() if path.exists() else []

    def pids(self, word: str = "started") -> list[int]:
        return [int(line.split()[1]) for line in self.did if line.startswith(word)]

    def until(self, true: Callable[[], object], what: str) -> None:
        """Wait for a condition, far longer than it should take."""
        end = time.monotonic() + PATIENCE_S
        while not true():
            assert time.monotonic() < end, f"waited in vain for {what}; the server did {self.did}"
            time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs that a hostile server is or started; numbers come again."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()  # empty for one that has ended and was not waited for
    except OSError:
        return False
    return b"hostile_server" in words or b"sleep(600)" in words


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all: the plugin is probed once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def ground(tmp_path: Path, cache: Path) -> Iterator[Ground]:
    made = Ground(tmp_path, cache)
    yield made
    for app in made.apps:
        app.close()
    made.until(lambda: not any(map(alive, made.pids() + made.pids("child"))), "the end of every server")
