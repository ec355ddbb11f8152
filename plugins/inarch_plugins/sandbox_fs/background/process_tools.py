"""`start_process`, `read_process` and `stop_process`, whose commands are judged and confined like others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch
from inarch import ToolContext, ToolFailed, ToolResult
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand

if TYPE_CHECKING:
    from inarch import Workspace
    from inarch_plugins.sandbox_fs.background.process_table import Desk
    from inarch_plugins.sandbox_fs.commands.classified import Classified


LIMIT = 20_000
"""Maximum bytes of output that a call returns."""
LONGEST_WAIT_S = 120
LEAST_WINDOW = 10_000
"""Minimum context window in tokens: a smaller one needs its space for the conversation."""
START = "start_process"
_SETTLE_S = 1.0  # an immediate failure is reported at once
_DESCRIPTION = (
    "Start a program that keeps running, such as a server or watcher; return at once. You are notified when it ends or"
    " writes a line that matches tell_when: go on meanwhile, or end your turn. It has a localhost of its own:"
    " execute_command with in_process reaches it. It stops with the session."
)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "minLength": 1, "description": "One command, or several joined by |"},
        "tell_when": {
            "type": ["string", "null"], "minLength": 1, "maxLength": 1_000,
            "description": "Python regular expression, matched line by line; reported once",
        },
    },
    "required": ["command"],
    "additionalProperties": False,
}  # fmt: skip


@define(eq=False, repr=False)
class StartProcess(ExecuteCommand):
    """Tool that starts background programs."""

    desk: Desk = field(kw_only=True)
    name: str = field(init=False, default=START)
    title: str = field(init=False, default="Start {command}")
    input_schema: Mapping[str, Any] = field(init=False, default=_SCHEMA)
    least_window: int = field(init=False, default=LEAST_WINDOW)
    timeout_s: float = field(init=False, default=120.0)  # starting is quick; the workspace is checked before

    @property
    def description(self) -> str:
        """Return what it does."""
        return _DESCRIPTION

    def tries(self, workspace: Workspace) -> bool:
        """Return False: a program that goes on has no changes to show."""
        return False

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Raise for a command that cannot be started, before asking a person."""
        _require_one(self._classified(arguments))
        super().check(arguments, context)

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:  # type: ignore[override]
        """Start the command and return its state after the first second."""
        from inarch_plugins.sandbox_fs.background.watched_process import Watched
        from inarch_plugins.sandbox_fs.commands.pipelines import piped, prepare

        found = self.allowed(arguments, context)
        _require_one(found)
        prepared = [prepare(part, context, loopback=True) for part in found.commands]
        pattern = str(arguments.get("tell_when") or "")
        if pattern:
            from inarch_plugins.sandbox_fs.background.patterns import check

            check(pattern)
        watched = Watched(context.inbox, pattern)
        start = context.workspace.start  # type: ignore[attr-defined]  # not all have it
        programs = piped(found.commands, prepared)
        process = start(programs, cwd=found.folder or ".", words=found.text, on_end=watched.end)
        watched.attach(process)
        self.desk.add(watched)
        news = watched.wait(_SETTLE_S, context.cancelled, is_first=True)
        if watched.is_ended and process.failed is not None:
            raise process.failed
        left_out = dict.fromkeys(left_out for _, _, left_out in prepared if left_out)
        notes = [*news, *([] if watched.is_ended else ["You will be notified when it ends."]), *left_out]
        told = {"process": process.id, "state": f"{watched.how()}.", "note": " ".join(notes) or None}
        # From now on its changes belong to this call; a replay relies on that.
        return ToolResult(True, {**told, **watched.read(None, LIMIT)}, metadata={"runs_on": not watched.is_ended})

    def _has_loopback(self, arguments: Mapping[str, Any]) -> bool:
        return True


def _require_one(found: Classified) -> None:
    """Raise unless the line is one command or pipe."""
    if any(part.line is not None and part.line.joint not in ("", "|") for part in found.parts):
        raise ToolFailed(
            "validation", "a process is one command, or several joined by |; nothing was started",
            "run what comes before it with execute_command",
        )  # fmt: skip


_PROCESS = {"type": "string", "minLength": 1, "description": "ID that start_process returned"}
_READ = {
    "type": "object",
    "properties": {
        "process": _PROCESS,
        "since": {"type": ["integer", "null"], "minimum": 0, "description": "Offset; else what you have not read yet"},
        "wait_s": {"type": "number", "minimum": 0, "maximum": LONGEST_WAIT_S, "default": 0},
    },
    "required": ["process"],
    "additionalProperties": False,
}
_STOP = {"type": "object", "properties": {"process": _PROCESS}, "required": ["process"], "additionalProperties": False}


def tools(desk: Desk) -> Sequence[inarch.Tool]:
    """Return the tools for processes that were started."""

    @inarch.tool(
        effects=inarch.Effects(), input_schema=_READ, timeout_s=LONGEST_WAIT_S + 30.0, least_window=LEAST_WINDOW,
        title="Read what process {process} printed",
    )  # fmt: skip
    def read_process(
        process: str, context: inarch.ToolContext, since: int | None = None, wait_s: float = 0
    ) -> dict[str, Any]:
        """Return output of a process. wait_s waits for its end or its pattern. Don't poll: you are notified of both."""
        watched = desk.find(process)
        news = watched.wait(wait_s, context.cancelled)
        return {"state": f"{watched.how()}.", **watched.read(since, LIMIT), "note": " ".join(news) or None}

    @inarch.tool(
        effects=inarch.Effects(), input_schema=_STOP, timeout_s=90.0, least_window=LEAST_WINDOW,
        title="Stop process {process}",
    )  # fmt: skip
    def stop_process(process: str) -> dict[str, Any]:
        """Kill a process and everything it started."""
        watched = desk.stop(process, "stop_process")
        return {"state": f"{watched.how()}.", **watched.read(None, LIMIT)}

    return [read_process, stop_process]
