"""What stands in the child for things of the kernel's: workspace, context, situation, a tool that is judged."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define

from inarch import (
    ChildTask,
    ChildTurn,
    Confinement,
    Effects,
    Event,
    FileBytes,
    FileChange,
    FileStat,
    Input,
    Message,
    ModelRequest,
    Ran,
    Reply,
    Rights,
    SearchHit,
    SearchHits,
    Situation,
    ToolCall,
    ToolFailed,
    ToolResult,
    ToolSpec,
    Turn,
    Walk,
    from_data,
    to_data,
)
from inarch.host import OPTIONAL
from inarch_isolation.emitting import Emitter
from inarch_isolation.line import Line, Running


@define(eq=False, repr=False)
class FarWorkspace:
    """A `Workspace` whose every method is done by the kernel, with the call's own handle."""

    _line: Line
    _call: Running
    root: str

    def _ask(self, method: str, **arguments: Any) -> Any:
        return self._line.ask(self._call, f"workspace.{method}", args=arguments)

    def stat(self, path: str) -> FileStat | None:
        """Return what stands at `path`."""
        found = self._ask("stat", path=path)
        return None if found is None else FileStat(**found)

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return the bytes of a file."""
        found = self._ask("read", path=path, offset=offset, max_bytes=max_bytes)
        return FileBytes(**{**found, "data": base64.b64decode(found["data"])})

    def digest(self, path: str) -> str:
        """Return the hash of a whole file."""
        return str(self._ask("digest", path=path))

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file whose present bytes the session knows."""
        data = to_data(b"".join(chunks))
        return FileChange(**self._ask("replace", path=path, data=data, expected_hash=expected_hash))

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file."""
        return FileChange(**self._ask("remove", path=path, expected_hash=expected_hash))

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file."""
        return FileChange(**self._ask("move", path=path, new_path=new_path, expected_hash=expected_hash))

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Put a file back as it was."""
        return FileChange(**self._ask("restore", path=path, entry=to_data(entry), data=to_data(blob)))

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return what stands in a directory."""
        return tuple(FileStat(**item) for item in self._ask("entries", path=path))

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the files that match a glob."""
        found = self._ask("walk", pattern=pattern, limit=limit)
        return Walk(tuple(found["paths"]), found["truncated"], tuple(found["notes"]))

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines that match a regular expression."""
        found = self._ask("search", pattern=pattern, path=path, glob=glob, ignore_case=ignore_case, limit=limit)
        return SearchHits(tuple(SearchHit(**hit) for hit in found["hits"]), found["truncated"], tuple(found["notes"]))

    def run(
        self,
        argv: Sequence[str],
        rights: Rights,
        *,
        cwd: str = ".",
        stdin: bytes = b"",
        timeout_s: float = 30.0,
        merged: bool = False,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Ran:
        """Run a program with rights that the call declared, as the workspace confines programs."""
        arguments = {
            "argv": list(argv), "rights": to_data(rights), "cwd": cwd, "stdin": to_data(stdin), "timeout_s": timeout_s,
            "merged": merged, "shows": on_output is not None, "stops": cancelled is not None,
        }  # fmt: skip

        def show(piece: str) -> None:
            if on_output is not None:
                on_output(base64.b64decode(piece))

        found = self._line.ask(self._call, "workspace.run", show, cancelled, args=arguments)
        return from_data(Ran, found)

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""
        return from_data(Confinement, self._ask("confinement"))

    def close(self) -> None:
        """Do nothing: the workspace outlives the call."""


@define(eq=False, repr=False)
class FarContext:
    """The `ToolContext` of one call."""

    _line: Line
    _call: Running
    turn_id: str
    call_id: str
    settings: Any
    _root: str
    _state: str
    selection: Any = None
    rights: None = None  # its table says once what the plugin may do; nobody is asked about more

    @property
    def workspace(self) -> FarWorkspace:
        """The workspace, as long as the call may act."""
        self._call.check()
        return FarWorkspace(self._line, self._call, self._root)

    @property
    def cancelled(self) -> threading.Event:
        """Set when the call should stop."""
        return self._call.cancelled

    @property
    def earlier(self) -> Sequence[ToolCall]:
        """This turn's finished calls, oldest first."""
        return tuple(from_data(ToolCall, item) for item in self._line.ask(self._call, "earlier"))

    @property
    def seen(self) -> Mapping[str, str]:
        """Path to hash of the files as this session last read or wrote them."""
        return dict(self._line.ask(self._call, "seen"))

    @property
    def state(self) -> Path:
        """The plugin's own folder."""
        self._call.check()
        from inarch_staging import make_folder

        folder = Path(self._state)
        make_folder(folder)
        return folder

    @property
    def inbox(self) -> FarInbox:
        """What takes the plugin's words for the model; from a process of its own, as long as the call runs."""
        return FarInbox(self._line, self._call)

    async def child(self, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session, if the plugin's table lets its tools have some.

        Raises:
            ToolFailed: It doesn't, or the child is to work elsewhere or to be listened to.
        """
        if task.root or task.saw is not None:
            raise ToolFailed("permission", "a child of an isolated plugin works where its caller does, and unheard")
        self._call.check()
        asked = {
            "name": task.name, "prompt": task.prompt, "instructions": task.instructions, "session_id": task.session_id,
            "tools": None if task.tools is None else list(task.tools), "settings": to_data(task.settings),
        }  # fmt: skip
        return from_data(ChildTurn, await self._line.ask_async(self._call, "child", args=asked))

    def emit(self, chunk: str) -> None:
        """Show live output; waits while much of it has not been taken yet."""
        self._call.check()
        if not isinstance(chunk, str):
            raise TypeError(f"emit takes text, not {type(chunk).__name__}")
        if self._call.emitter is None:
            self._call.emitter = Emitter(self._line, self._call)
        self._call.emitter.add(chunk)

    def output(self, ref: str) -> bytes:
        """Return the whole of a long output of this session."""
        return base64.b64decode(self._line.ask(self._call, "output", args={"ref": ref}))

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares."""
        self._line.ask(self._call, "record", args={"name": name, "data": to_data(data)})


@define(eq=False, repr=False)
class FarInbox:
    """The `Inbox` of one call."""

    _line: Line
    _call: Running

    def say(self, text: str) -> Input:
        """Have words go in before the next request."""
        return from_data(Input, self._line.ask(self._call, "say", args={"text": text}))

    def unsay(self, input_id: str) -> bool:
        """Take words back; whether they were still waiting."""
        return bool(self._line.ask(self._call, "unsay", args={"id": input_id}))


@define(eq=False, repr=False)
class FarSlashContext:
    """The `SlashContext` of one command."""

    _line: Line
    _call: Running
    session_id: str
    columns: int

    def extension(self, name: str) -> Any:
        """Refuse: what works in a session is not in this process.

        Raises:
            ToolFailed: Always.
        """
        raise ToolFailed("permission", f"the session extension {name!r} can't be had in a process of its own")

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as if a model had called it."""
        asked = {"tool": tool, "arguments": to_data(arguments)}
        return from_data(ToolResult, await self._line.ask_async(self._call, "call", args=asked))

    def show(self, text: str) -> None:
        """Show text at once."""
        self._line.ask(self._call, "show", args={"text": text})

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares."""
        self._line.ask(self._call, "record", args={"name": name, "data": to_data(data)})

    def ask_model(self, name: str) -> None:
        """Have another model than the session's asked in the turns of what is submitted from here on."""
        self._line.ask(self._call, "ask_model", args={"name": name})

    def submit(self, prompt: str) -> None:
        """Have a prompt run once the command has ended."""
        self._line.ask(self._call, "submit", args={"prompt": prompt})


@define(eq=False, repr=False)
class SeenTool:
    """A tool of any plugin as a policy sees it."""

    _line: Line
    _call: Running
    name: str
    description: str
    category: str
    timeout_s: float
    max_retries: int
    requires_confirmation: bool
    receives_secrets: bool
    offers: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        if name not in OPTIONAL["tools"] or name not in self.offers:
            raise AttributeError(name)
        return lambda arguments: self._line.ask(self._call, f"tool.{name}", args=to_data(arguments))

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments."""
        found: Mapping[str, Any] = self._line.ask(self._call, "tool.input_schema")
        return found

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """JSON Schema of the result's data."""
        found: Mapping[str, Any] | None = self._line.ask(self._call, "tool.output_schema")
        return found

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes."""
        return from_data(Effects, self._line.ask(self._call, "tool.effects", args=to_data(arguments)))

    def run(self, arguments: Mapping[str, Any], context: Any) -> Any:
        """Refuse: policies judge.

        Raises:
            ToolFailed: Always.
        """
        raise ToolFailed("permission", "a policy can't run the tool that it judges")


def event_of(line: str) -> Event:
    """Return the event that a line of JSON is."""
    return Event(**json.loads(line))


def situation_of(data: Mapping[str, Any], line: Line, call: Running, root: str) -> Situation:
    """Return the situation that a strategy or a context source looks at."""

    async def ask(request: ModelRequest) -> Reply:
        return from_data(Reply, await line.ask_async(call, "ask", args=to_data(request)))

    def record(name: str, data: Mapping[str, Any]) -> None:
        line.ask(call, "record", args={"name": name, "data": to_data(data)})

    return Situation(
        turn=from_data(Turn, data["turn"]),
        messages=tuple(from_data(Message, item) for item in data["messages"]),
        tools=tuple(from_data(ToolSpec, item) for item in data["tools"]),
        workspace=FarWorkspace(line, call, root),
        ask=ask,
        decision_model=data["decision_model"],
        effectful_calls=data["effectful_calls"],
        seen=data["seen"],
        happened=tuple(map(event_of, data["happened"])),
        record=record,
    )
