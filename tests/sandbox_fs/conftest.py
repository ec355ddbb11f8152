"""A real folder, the real workspace over it, and the real scheduler to call the tools through."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch.calls.scheduler import Scheduler
from inarch.contract.records import PlannedCall, PluginContext, ToolResult
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.plugins.registration import Bound
from inarch_plugins.sandbox_fs.processes import confinement_plan
from inarch_plugins.sandbox_fs.safe_open import Open, best_open, walking_open
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.tools import TOOLS
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore

from .shells import Shell


@define(eq=False)
class Files:
    """A session that calls the plugin's tools in a folder; everything is approved."""

    folder: Path
    settings: Settings = field(factory=Settings)
    open_it: Open | None = None
    store: MemoryStore = field(factory=MemoryStore)
    workspace: FolderWorkspace = field(init=False)
    scheduler: Scheduler = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.workspace = FolderWorkspace.open(str(self.folder), self.settings, self.open_it)
        context = PluginContext("sandbox-fs", str(self.folder), self.settings)
        self.scheduler = Scheduler(
            tools={tool.name: Bound("sandbox-fs", tool, context) for tool in TOOLS},
            approve="all",
            journal=Journal(self.store, "session", redactor=Redactor.from_environ({})),
            workspace=self.workspace,
            output_limit=None,
        )

    def call(self, name: str, **arguments: Any) -> ToolResult:
        """Call one tool and return its result."""
        (call,) = asyncio.run(self.scheduler.run("turn", [PlannedCall(name, arguments)]))
        assert call.result is not None
        return call.result

    def data(self, name: str, **arguments: Any) -> Any:
        """Call one tool and return its data; it must succeed."""
        result = self.call(name, **arguments)
        assert result.success, result.error
        return result.data

    def error(self, name: str, **arguments: Any) -> Any:
        """Call one tool and return its error; it must fail."""
        result = self.call(name, **arguments)
        assert not result.success and result.error is not None, result.data
        return result.error

    def put(self, path: str, content: bytes | str = b"") -> Path:
        """Make a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def close(self) -> None:
        """Let go of everything."""
        self.scheduler.close()
        self.workspace.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for a workspace."""
    made = tmp_path / "root"
    made.mkdir()
    return made


@pytest.fixture
def workspace(folder: Path) -> Iterator[FolderWorkspace]:
    """A workspace in it."""
    opened = FolderWorkspace.open(str(folder))
    yield opened
    opened.close()


@pytest.fixture(params=["openat2", "walk"])
def files(request: pytest.FixtureRequest, folder: Path) -> Iterator[Files]:
    """A session in an empty folder, once for each way to open files."""
    session = Files(folder, open_it=walking_open if request.param == "walk" else _openat2(folder))
    yield session
    session.close()


def _openat2(folder: Path) -> Open:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        found = best_open(descriptor)
    finally:
        os.close(descriptor)
    if found is walking_open:
        pytest.skip("this system has no openat2")
    return found


@pytest.fixture
def open_files() -> Iterator[Callable[..., Files]]:
    """Return a function that opens sessions; all are closed at the end."""
    opened: list[Files] = []

    def open_one(folder: Path, **settings: Any) -> Files:
        opened.append(Files(folder, Settings(**settings)))
        return opened[-1]

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture
def make_shell(open_files: Any, tmp_path: Path) -> Callable[..., Shell]:
    """Return a function that opens a shell with grants."""

    def make(**grants: Any) -> Shell:
        folder = tmp_path / "root"
        folder.mkdir()
        return Shell(open_files(folder), grants)

    return make


@pytest.fixture(params=["confined", "bare"])
def shell(request: pytest.FixtureRequest, make_shell: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell without grants, once with all layers and once with none."""
    if request.param == "bare":
        monkeypatch.setattr(confinement_plan, "layers_of", lambda features: frozenset({"limits"}))
    return make_shell()  # type: ignore[no-any-return]
