"""Proxies in the child for the kernel's objects that a call was lent: each asks the kernel, as in `ASKED`."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch import (
    ChildTask,
    ChildTurn,
    Ending,
    FileChange,
    Ran,
    Rights,
    Situation,
    SlashContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolFailed,
    capabilities,
)
from inarch_plugins.isolation.line import Line, Running
from inarch_plugins.isolation.methods import ASKED, LENT, data_of, value_of

if TYPE_CHECKING:
    from inarch_plugins.isolation.child import Child


class Far:
    """Proxy of an object of the kernel.

    Args:
        line: The connection.
        call: The call that it was lent to.
        what: Its name in `ASKED`.
        told: The attributes known here.
    """

    def __init__(self, line: Line, call: Running, what: str, **told: Any) -> None:
        self._line, self._call, self._what = line, call, what
        vars(self).update(told)

    def __getattr__(self, name: str) -> Any:
        member = None if name.startswith("_") else ASKED[self._what].get(name)
        if member is None:
            raise AttributeError(name)
        if member.is_value:
            return self._ask(name)

        def ask(*args: Any, **more: Any) -> Any:
            given = {**dict(zip(member.takes, args, strict=False)), **more}
            return self._ask_async(name, **given) if member.is_async else self._ask(name, **given)

        return ask

    def _ask(self, name: str, /, *how: Any, **given: Any) -> Any:
        asked = self._line.ask(self._call, f"{self._what}.{name}", _plain(given), *how)
        return value_of(ASKED[self._what][name].gives, asked)

    async def _ask_async(self, name: str, /, **given: Any) -> Any:
        asked = await self._line.ask_async(self._call, f"{self._what}.{name}", _plain(given))
        return value_of(ASKED[self._what][name].gives, asked)


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data_of(value) for name, value in given.items()}


class FarWorkspace(Far):
    """Workspace whose every method runs in the kernel, with the call's own handle."""

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file whose present bytes the session knows."""
        found: FileChange = self._ask("replace", path=path, chunks=b"".join(chunks), expected_hash=expected_hash)
        return found

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
        """Run a program with rights that the call declared, as the workspace confines programs.

        With `cancelled`, the call's own event ends it, whichever event is given.
        """

        def show(piece: str) -> None:
            if on_output is not None:
                on_output(base64.b64decode(piece))

        found: Ran = self._ask(
            "run", show, argv=list(argv), rights=rights, cwd=cwd, stdin=stdin, timeout_s=timeout_s,
            merged=merged, shows=on_output is not None, stops=cancelled is not None,
        )  # fmt: skip
        return found

    def close(self) -> None:
        """Do nothing: the workspace outlives the call."""


class FarContext(Far):
    """The `ToolContext` of one call."""

    rights: None = None  # its table says once what the plugin may do; no person is asked about more
    _root: str
    _state: str

    @property
    def workspace(self) -> FarWorkspace:
        """Return the workspace, while the call may act."""
        self._call.check()
        return FarWorkspace(self._line, self._call, "workspace", root=self._root)

    @property
    def cancelled(self) -> threading.Event:
        """Return the event that is set when the call should stop."""
        return self._call.cancelled

    @property
    def state(self) -> Path:
        """Return the plugin's own folder."""
        self._call.check()
        from inarch_lib.staging import make_folder

        folder = Path(self._state)
        make_folder(folder)
        return folder

    @property
    def inbox(self) -> Far:
        """Return the receiver of the plugin's messages to the model, valid while the call runs."""
        return Far(self._line, self._call, "inbox")

    async def child(self, task: ChildTask) -> ChildTurn:
        """Run a turn of a child session, if the plugin's table lets its tools have some.

        Raises:
            ToolFailed: It does not, or the child has another folder or a listener.
        """
        if task.root or task.saw is not None:
            raise ToolFailed("permission", "a child of an isolated plugin works in its caller's folder, unobserved")
        names = ("name", "prompt", "instructions", "session_id", "tools", "settings")
        found: ChildTurn = await self._ask_async("child", task={name: getattr(task, name) for name in names})
        return found

    def emit(self, chunk: str) -> None:
        """Show live output, and wait until it was taken."""
        self._call.check()
        if not isinstance(chunk, str):
            raise TypeError(f"emit takes text, not {type(chunk).__name__}")
        self._ask("emit", chunk=chunk)


class FarSlashContext(Far):
    """The `SlashContext` of one command."""

    def extension(self, name: str) -> Any:
        """Refuse: the session's extensions are not in this process.

        Raises:
            ToolFailed: Always.
        """
        raise ToolFailed("permission", f"the session extension {name!r} can't be had in a process of its own")


class SeenTool(Far):
    """Tool of any plugin, as a policy sees it."""

    offers: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        if name in capabilities.optional("tools") and name not in self.offers:
            raise AttributeError(name)
        return super().__getattr__(name)

    def run(self, arguments: Mapping[str, Any], context: Any) -> Any:
        """Refuse: policies judge.

        Raises:
            ToolFailed: Always.
        """
        raise ToolFailed("permission", "a policy can't run the tool that it judges")


def borrowed(cls: Any, data: Mapping[str, Any], child: Child, call: Running) -> Any:
    """Return an argument of a call: a proxy of a lent object, or the sent value."""
    if cls is Ending:
        calls = value_of(tuple[ToolCall, ...], data["calls"])
        return Ending(borrowed(Situation, data["situation"], child, call), data["answer"], calls, data["held"])
    if cls not in LENT:
        return value_of(cls, data)
    what, members = LENT[cls]
    told = {name: value_of(kind, data[name]) for name, kind in members.items()}
    if cls is ToolContext:
        return FarContext(
            child.line, call, what, **told, settings=child.settings, _root=child.root, _state=child.state_dir
        )
    if cls is SlashContext:
        return FarSlashContext(child.line, call, what, **told)
    if cls is Tool:
        return SeenTool(child.line, call, what, **told, offers=data["offers"])
    far = Far(child.line, call, what)
    return Situation(
        **told, workspace=FarWorkspace(child.line, call, "workspace", root=child.root), ask=far.ask, record=far.record
    )
