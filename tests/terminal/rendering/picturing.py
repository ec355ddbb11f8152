"""Events for the tests of the view, a clock that they set, and what they look for in what it draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attrs import define, field

from inarch.contract.call_events import CallOutput, CallResult, CallState
from inarch.contract.events import (
    Event,
    EventData,
    ModelDelta,
    ModelReplied,
    ModelRequested,
    TurnEnded,
    TurnStarted,
    event_data,
)
from inarch.contract.records import Message, Text, ToolCall, ToolError, ToolResult, Turn, Usage
from inarch_lib.output.printer import width
from inarch_plugins.terminal.rendering import View

START, END = "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:02.500000Z"
PAINT = re.compile(r"\x1b\[[0-9;]*m")
CALM = re.compile(r"\x1b\[(?:0|(?:[12];)*(?:[12]|3[123456]))m")
"""Bold, dim and the basic colours."""


@define
class Stage:
    """A view and the events it saw."""

    colours: bool = False
    glyphs: bool = True
    options: dict[str, Any] = field(factory=dict)
    now: float = 0.0
    view: View = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.view = View(colours=self.colours, glyphs=self.glyphs, clock=lambda: self.now, **self.options)

    def saw(self, *payloads: EventData) -> Stage:
        for payload in payloads:
            self.view.saw(Event(1, START, "s", "t", payload.kind, event_data(payload)))
        return self

    def printed(self, columns: int = 80) -> list[str]:
        return self.view.finished(columns).splitlines()

    def moving(self, columns: int = 80, rows: int = 20) -> list[str]:
        live = self.view.live(columns, rows)
        return live.split("\n") if live else []


def unpainted(text: str) -> str:
    return PAINT.sub("", text)


def too_wide(text: str, columns: int) -> list[str]:
    return [line for line in unpainted(text).split("\n") if width(line) > columns]


def asked(model: str = "a/b", **more: Any) -> ModelRequested:
    return ModelRequested(model, more.pop("purpose", "turn"), 1, 0, **more)


def replied(text: str = "", **more: Any) -> ModelReplied:
    usage = more.pop("usage", Usage(1200, 34))
    return ModelReplied("a/b", Message("assistant", (Text(text),)), usage, more.pop("finish", "stop"), **more)


def turn(**more: Any) -> Turn:
    return Turn(**{"id": "t", "type": "agent", "parent_id": "u", "session_id": "s", "started": START, "ended": END,
                   "model": "a/b", "status": "done", "usage": Usage(1200, 34), **more})  # fmt: skip


def begun() -> TurnStarted:
    return TurnStarted(turn(status="running", ended=None))


def over(content: str = "", **more: Any) -> TurnEnded:
    return TurnEnded(turn(content=content, **more))


def call(call_id: str, name: str, **arguments: Any) -> CallState:
    return CallState(call_id, name, "validating", ToolCall(call_id, "", "t", name, arguments))


def runs(call_id: str, name: str = "x") -> CallState:
    return CallState(call_id, name, "executing")


def done(call_id: str, name: str, data: Any = None) -> CallResult:
    return CallResult(call_id, name, "success", ToolResult(True, data), START, END)


def failed(call_id: str, name: str, code: Any, message: str = "it went wrong", status: Any = "error") -> CallResult:
    return CallResult(call_id, name, status, ToolResult(False, error=ToolError(code, message)), START, END)


def output(call_id: str, text: str) -> CallOutput:
    return CallOutput(call_id, text)


def deltas(text: str, cuts: list[int]) -> Iterator[ModelDelta]:
    """Yield a text in pieces that are cut at these places."""
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for start, end in pairwise(places):
        yield ModelDelta(text[start:end])
