"""A small kitchen for calls: tools made on the spot, a real folder as workspace, the real journal in memory."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch.calls.scheduler import Scheduler
from inarch.contract.approval_records import Approval, ApprovalRequest
from inarch.contract.errors import ToolFailed
from inarch.contract.events import Event
from inarch.contract.records import (
    CallPart,
    Effects,
    FileBytes,
    FileChange,
    FileStat,
    PluginContext,
    SearchHit,
    SearchHits,
    ToolCall,
    Walk,
)
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.plugins.registration import Bound
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.tool_decorator import FunctionTool, tool


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@define(eq=False)
class FolderWorkspace:
    """Plain files in a folder, with compare-and-swap; safe enough for files that tests make."""

    folder: Path

    @property
    def root(self) -> str:
        return str(self.folder)

    def stat(self, path: str) -> FileStat | None:
        file = self.folder / path
        if not file.exists():
            return None
        info = file.stat()
        return FileStat(path, "directory" if file.is_dir() else "file", info.st_size, info.st_mode, info.st_mtime_ns)

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        if not (self.folder / path).is_file():
            raise ToolFailed("not_found", f"no file {path}")
        data = (self.folder / path).read_bytes()
        return FileBytes(path, data, sha(data), len(data))

    def digest(self, path: str) -> str:
        return self.read(path).hash

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        self._compare(path, expected_hash)
        data = b"".join(chunks)
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)
        return FileChange(path, expected_hash, sha(data))

    def remove(self, path: str, expected_hash: str) -> FileChange:
        self._compare(path, expected_hash)
        (self.folder / path).unlink()
        return FileChange(path, expected_hash, None)

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        self._compare(path, expected_hash)
        (self.folder / path).rename(self.folder / new_path)
        return FileChange(path, expected_hash, expected_hash, new_path)

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        (self.folder / path).write_bytes(blob)
        return FileChange(path, None, sha(blob))

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        found = sorted(str(item.relative_to(self.folder)) for item in self.folder.glob(pattern) if item.is_file())
        return Walk(tuple(found))

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        hits = [
            SearchHit(name, number, line)
            for name in self.walk().paths
            for number, line in enumerate((self.folder / name).read_text().splitlines(), 1)
            if re.search(pattern, line)
        ]
        return SearchHits(tuple(hits[:limit]), len(hits) > limit)

    def close(self) -> None: ...

    def _compare(self, path: str, expected_hash: str | None) -> None:
        file = self.folder / path
        present = sha(file.read_bytes()) if file.exists() else None
        if present != expected_hash:
            raise ToolFailed("conflict", f"{path} is not as expected")


@define(eq=False)
class Person:
    """A front end whose answers are given beforehand: a function of the batch."""

    answer: Callable[[Sequence[ApprovalRequest]], Any]
    asked: list[list[ApprovalRequest]] = field(factory=list)
    name: str = "person"
    selection: Any = None

    def show(self, event: Event) -> None: ...

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Any:
        self.asked.append(list(batch))
        given = self.answer(batch)
        return await given if asyncio.iscoroutine(given) else given

    def close(self) -> None: ...


@define(eq=False)
class Kitchen:
    """Everything a scheduler needs, and short ways to use it."""

    folder: Path
    store: MemoryStore = field(factory=MemoryStore)
    events: list[Event] = field(factory=list)
    seen: dict[str, str] = field(factory=dict)
    environ: dict[str, str] = field(factory=dict)
    journal: Journal = field(init=False)

    @journal.default
    def _journal(self) -> Journal:
        return Journal(
            self.store, "session", redactor=Redactor.from_environ(self.environ), listeners=[self.events.append]
        )

    @property
    def workspace(self) -> FolderWorkspace:
        return FolderWorkspace(self.folder)

    def bind(self, value: Any, plugin: str = "tested") -> Bound[Any]:
        return Bound(plugin, value, PluginContext(plugin, str(self.folder), state_dir=str(self.folder / ".state")))

    def scheduler(self, *tools: Any, **options: Any) -> Scheduler:
        options = {"approve": "all", "workspace": self.workspace, "seen": self.seen, **options}
        options["policies"] = [self.bind(item) for item in options.get("policies", ())]
        return Scheduler(tools={item.name: self.bind(item) for item in tools}, journal=self.journal, **options)

    def person(self, answer: Callable[[Sequence[ApprovalRequest]], Any]) -> Person:
        return Person(answer)

    def approving(self, scope: str = "once") -> Person:
        return Person(lambda batch: [Approval(item.call.id, "approve", scope) for item in batch])

    def tool(self, **options: Any) -> Callable[[Callable[..., Any]], FunctionTool]:
        return tool(**options)

    def part(self, name: str, provider_id: str = "", /, **arguments: Any) -> CallPart:
        return CallPart("", provider_id, name, arguments)

    def run(self, scheduler: Scheduler, *parts: Any, **options: Any) -> tuple[ToolCall, ...]:
        return asyncio.run(scheduler.run("turn", parts, **options))

    def call(self, value: Any, /, **arguments: Any) -> ToolCall:
        (done,) = self.run(self.scheduler(value), self.part(value.name, **arguments))
        return done

    async def until(self, moment: Callable[[], Any]) -> None:
        """Return when `moment` is true; looks again whenever the loop is idle."""
        while not moment():
            await asyncio.sleep(0.001)

    def of_kind(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    def states(self, call: ToolCall) -> list[str]:
        return [
            event.data["status"]
            for event in self.events
            if event.kind in ("call.state", "call.result") and event.data["call_id"] == call.id
        ]

    def file(self, path: str, data: bytes, seen: bool = True) -> str:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(data)
        if seen:
            self.seen[path] = sha(data)
        return sha(data)


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    return Kitchen(tmp_path)


@pytest.fixture
def new_kitchen() -> Callable[[Path], Kitchen]:
    return Kitchen


@pytest.fixture
def write_file() -> FunctionTool:
    return tool(name="write_file", category="file", effects=_writes_file_path)(_write_file)


def _writes_file_path(arguments: Any) -> Effects:
    return Effects(writes=frozenset({arguments["file_path"]}))


def _write_file(file_path: str, content: str, context: Any) -> dict[str, Any]:
    """Write a file.

    Args:
        file_path: Which file.
        content: Its new text.
    """
    change = context.workspace.replace(file_path, [content.encode()], context.seen.get(file_path))
    return {"path": file_path, "hash": change.after}
