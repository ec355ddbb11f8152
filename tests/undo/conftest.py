"""A real folder, the real workspace and store, and calls whose changes are kept; turns as a session records them."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch import UndoReport
from inarch.calls.before_images import Keeper
from inarch.calls.scheduler import Scheduler
from inarch.contract.errors import StoreError
from inarch.contract.events import Event, SessionStarted, TurnStarted
from inarch.contract.ids import new_id, utc_now
from inarch.contract.processes import Rights
from inarch.contract.records import Effects, PlannedCall, PluginContext, ToolCall, Turn
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.plugins.registration import Bound
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.tools import TOOLS
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_plugins.undo.line_blame import Blame, BlamedLine
from inarch_plugins.undo.undo_run import Undoing
from inarch_sdk.tool_decorator import tool

from ..running.program import cli as cli
from ..running.program import environ as environ
from ..running.program import passes as passes
from ..running.program import project as project


@tool(name="execute_command", effects=Effects(exclusive=True), category="command")
def shell(script: str, context: Any) -> int | None:
    """Run a shell script that may write."""
    ran = context.workspace.run(("/bin/sh", "-c", script), Rights(("",), executes=True))
    return int(ran.exit_code or 0)


@define(eq=False)
class Desk:
    """One session in one folder."""

    folder: Path
    required: bool = True
    name: str = "session"
    root: Path = field(init=False)
    store: SqliteStore = field(init=False)
    workspace: FolderWorkspace = field(init=False)
    journal: Journal = field(init=False)
    scheduler: Scheduler = field(init=False)
    seen: dict[str, str] = field(init=False, factory=dict)
    turns: list[str] = field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self.root = self.folder / "work"
        self.root.mkdir(exist_ok=True)
        self.store = SqliteStore(str(self.folder / "state"))
        self.workspace = FolderWorkspace.open(str(self.root))
        self.journal = Journal(self.store, self.name, redactor=Redactor.from_environ({}), required=self.required)
        self.journal.record(SessionStarted(str(self.root), "test"))
        context = PluginContext("sandbox-fs", str(self.root), Settings())
        self.scheduler = Scheduler(
            tools={one.name: Bound("sandbox-fs", one, context) for one in (*TOOLS, shell)},
            approve="all",
            journal=self.journal,
            workspace=self.workspace,
            seen=self.seen,
            keeper=Keeper(self.journal, self.workspace, str(self.folder)),
        )

    def write(self, path: str, data: str | bytes, mode: int = 0o644) -> None:
        """Write a file as its owner does, outside any session."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        place.chmod(mode)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def turn(self, prompt: str, *calls: tuple[str, dict[str, Any]]) -> tuple[ToolCall, ...]:
        """Record a turn and run its calls, all in one reply; each must succeed. What they edit is read before."""
        asked, agent = new_id(), new_id()
        now = utc_now()
        self.journal.record(TurnStarted(Turn(asked, "user", None, self.name, now, now, prompt, status="done")), asked)
        self.journal.record(TurnStarted(Turn(agent, "agent", asked, self.name, now)), agent)
        self.turns.append(agent)
        return self.calls(agent, *calls)

    def calls(self, turn_id: str, *calls: tuple[str, dict[str, Any]]) -> tuple[ToolCall, ...]:
        for _, arguments in calls:
            path = arguments.get("file_path")
            if path and (self.root / path).is_file():
                self.seen[path] = self.workspace.digest(path)
        done = asyncio.run(self.scheduler.run(turn_id, [PlannedCall(*call) for call in calls]))
        for call in done:
            assert call.result is not None and call.result.success, call.result
        self.journal.flush()
        return done

    def undo(self, target: str = "", dry_run: bool = False) -> UndoReport:
        return Undoing(Access(self.workspace, self.journal, runners=("execute_command",))).run("undo", target, dry_run)

    def redo(self, target: str = "") -> UndoReport:
        return Undoing(Access(self.workspace, self.journal)).run("redo", target)

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Return everything in the folder: its whole mode, and the bytes of files or the targets of links."""
        found: dict[str, tuple[int, bytes]] = {}
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                place = Path(folder, name)
                mode = place.lstat().st_mode
                data = b""
                if stat.S_ISLNK(mode):
                    data = os.readlink(os.fsencode(place))
                elif stat.S_ISREG(mode):
                    data = place.read_bytes()
                found[str(place.relative_to(self.root))] = mode, data
        return found

    def events(self, *kinds: str) -> list[Event]:
        self.journal.flush()
        return [event for event in self.store.load(self.name) if event.kind in kinds]

    def blame(self, path: str) -> list[BlamedLine]:
        self.journal.flush()
        found = Blame(self._kept)
        for info in self.store.sessions():
            found.add(self.store, info.id)
        return found.of(path, (self.root / path).read_bytes())

    def _kept(self, session_id: str, ref: str) -> bytes | None:
        try:
            return self.store.get_blob(session_id, ref)
        except StoreError:
            return None

    def images(self) -> set[bytes]:
        """Return the bytes that the store keeps, small ones in its database and big ones in files."""
        with closing(sqlite3.connect(self.folder / "state" / "sessions.db")) as database:
            rows = {data for (data,) in database.execute("SELECT data FROM blobs")}
        return rows | {path.read_bytes() for path in self._image_files()}

    def spoil(self, data: bytes, by: bytes | None) -> None:
        """Put other bytes where the store keeps these; None takes them away."""
        with closing(sqlite3.connect(self.folder / "state" / "sessions.db", timeout=60)) as database, database:
            if by is None:
                database.execute("DELETE FROM blobs WHERE data = ?", (data,))
            else:
                database.execute("UPDATE blobs SET data = ? WHERE data = ?", (by, data))
        for path in self._image_files():
            if path.read_bytes() == data:
                path.write_bytes(by) if by is not None else path.unlink()

    def _image_files(self) -> list[Path]:
        return [path for path in (self.folder / "state" / "blobs").rglob("*") if path.is_file()]

    def close(self) -> None:
        self.scheduler.close()
        self.workspace.close()
        self.store.close()


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(**options: Any) -> Desk:
        desks.append(Desk(options.pop("folder", tmp_path), **options))
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()


def lines(number: int = 20) -> str:
    return "".join(f"line {place}\n" for place in range(number))


def patch(path: str, search: str, replace: str) -> tuple[str, dict[str, Any]]:
    return "patch_source_file", {"file_path": path, "search": search, "replace": replace, "description": ""}


def create(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "create_file", {"file_path": path, "content": content}


def delete(path: str) -> tuple[str, dict[str, Any]]:
    return "delete_file", {"file_path": path}


def move(path: str, new_path: str) -> tuple[str, dict[str, Any]]:
    return "move_file", {"file_path": path, "new_path": new_path}


def run(script: str) -> tuple[str, dict[str, Any]]:
    return "execute_command", {"script": script}


class Calls:
    """The calls above, for tests: fixtures are how tests of a folder share names."""

    patch, create, delete, move, run, lines = map(staticmethod, (patch, create, delete, move, run, lines))


@pytest.fixture
def do() -> Calls:
    return Calls()
