"""`read_process` and `stop_process`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import inarch

if TYPE_CHECKING:
    from inarch_sandbox_fs.background.desk import Desk

LIMIT = 20_000
"""Bytes of output that a call returns."""
LONGEST_WAIT_S = 120
LEAST_WINDOW = 10_000
"""Tokens: a smaller window has more need of the conversation than of these tools."""
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
        effects=inarch.Effects(), input_schema=_READ, timeout_s=LONGEST_WAIT_S + 30.0, least_window=LEAST_WINDOW
    )
    def read_process(
        process: str, context: inarch.ToolContext, since: int | None = None, wait_s: float = 0
    ) -> dict[str, Any]:
        """Return output of a process; wait_s waits for its end or its pattern. Don't poll: you are told of both."""
        watched = desk.find(process)
        news = watched.wait(wait_s, context.cancelled)
        return {"state": f"{watched.how()}.", **watched.read(since, LIMIT), "note": " ".join(news) or None}

    @inarch.tool(effects=inarch.Effects(), input_schema=_STOP, timeout_s=90.0, least_window=LEAST_WINDOW)
    def stop_process(process: str) -> dict[str, Any]:
        """Kill a process with all that it has started."""
        watched = desk.stop(process, "stop_process")
        return {"state": f"{watched.how()}.", **watched.read(None, LIMIT)}

    return [read_process, stop_process]
