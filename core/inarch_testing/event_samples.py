"""Sample events of every kind, with every field filled and with as few as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from inarch.contract import approval_records, events
from inarch.contract import call_events as calls
from inarch.contract import other_events as beside
from inarch.contract.event_parts import Branch, Failure, KeptImage, Spent
from inarch.contract.events import Event, EventData, event_data
from inarch.contract.records import (
    CallPart,
    Effects,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
    Usage,
)

TIME = "2026-01-01T00:00:00.000000Z"
HASH = "0" * 64


def full_turn(session: str = "s", turn: str = "t", text: str = "a text") -> tuple[EventData, ...]:
    """Return one payload of each kind, in a plausible order, with every field filled."""
    usage = Usage(100, 20, 10, 5, Decimal("0.01"))
    result = ToolResult(False, {"text": text}, ToolError("execution", text, text), {"duration_s": 0.5, "files": {}})
    call = ToolCall("c1", "p1", turn, "read_file", {"file_path": text}, started=TIME, after=("c0",))
    asked = Turn("u", "user", None, session, TIME, content=text, status="done", mode="voice")
    begun = Turn(turn, "agent", "u", session, TIME, model="m", mode="voice")
    ended = Turn(
        turn, "agent", "u", session, TIME, TIME, text, "m", text, (call,), usage, "failed", text, "max_iterations",
        answered_by=text, company=text, mode="voice",
    )  # fmt: skip
    said = Message("assistant", (Reasoning(text), Text(text), CallPart("c1", "p1", "read_file", {"file_path": text})))
    spent = Spent("turn", "", "m", 1, 1, 100, 20, 10, Decimal("0.01"), 1, 0.5)
    branch = Branch("p", "t0", "c0", text, 1, text, ("read_file",))
    return (
        events.SessionStarted(text, "0.1.0", ("sandbox-fs", text), "default", "other", 2, 0, branch),
        events.TurnStarted(asked, {}),
        events.TurnStarted(begun, {"model": "m", "approve": "ask"}),
        beside.InputWaiting("i", text, "processes"),
        beside.InputEnded("i", "added", text, "processes"),
        events.ContextAdded(text, text, (KeptImage("image/png", HASH),), True),
        beside.ContextDropped("window", 5, ("a",), ("b",), {"c1": HASH}, 1, True, 2, {"c": "they agreed"}, HASH),
        events.ContextFixed("gemini", HASH, HASH, "0" * 32, ("late",)),
        events.ContextBroken("compaction", "m", 3),
        events.DecisionMade("native", "call_tools", text, 0.5, True, ("c1",), text, "prompt"),
        events.ModelRequested("m", "turn", 3, 4, "auto", 2, "dispatch", "0" * 32),
        events.ModelDelta(text, text),
        events.ModelReplied(
            "m", said, usage, "error", 0.5, "turn", "dispatch", text, 0.9, Failure(text, text, 500), "m-1", text
        ),
        beside.ModelSwitched("m", "n", text),
        calls.CallState("c1", "read_file", "scheduled", call, Effects(frozenset({text}), frozenset({"b"})), ("c0",)),
        beside.CallRewritten("c1", "read_file", "hooks", text, {"file_path": text}, "ask", text),
        approval_records.ApprovalAsked(("c1",), (HASH,), (text,)),
        approval_records.ApprovalGiven(
            "c1", "modify", "session", "user", text, {"file_path": text}, {text: (text,)}, "edits"
        ),
        calls.CallState("c1", "read_file", "executing", announces=True),
        calls.CallOutput("c1", text),
        calls.FileChanging("c1", text, HASH, HASH, "new.py", 0o100644, True, (text,)),
        calls.FileChanged("c1", text, HASH, HASH, "new.py", 0o100644, 0o100755, True, True),
        calls.CallResult("c1", "read_file", "error", result, TIME, TIME),
        beside.CallReviewed("c1", "read_file", "hooks", text, text, True, {text: text}),
        beside.ChildStarted("c1", "s2", text),
        beside.ChildEnded("c1", "s2", text, "done", (spent,)),
        calls.CallsDone(("c1", "c2"), "model", True),
        calls.ChangesUndoing("x", "undo", ("c1",), (calls.FileChanged("x", text, HASH, None, None, 0o100644),)),
        calls.ChangesUndone("x", "undo", ("c1",), (turn,)),
        events.LimitWait("m", 1.5, text),
        beside.CommandRan("help", text, text),
        events.ErrorHappened(text, text, "git", "tool", "c1"),
        events.Note(text, text),
        beside.TurnHeld("hooks", text, text),
        events.TurnEnded(ended, (spent,), spent),
    )


def spare_turn(session: str = "s", turn: str = "t") -> tuple[EventData, ...]:
    """Return payloads of every kind with only the required fields."""
    begun = Turn(turn, "agent", None, session, TIME)
    return (
        events.SessionStarted("", ""),
        events.TurnStarted(begun),
        events.ContextAdded("", ""),
        beside.ContextDropped("", 0),
        events.ContextFixed("", "", ""),
        events.ContextBroken("service", "", 0),
        events.DecisionMade("", "ask_model"),
        events.ModelRequested("", "turn", 0, 0),
        events.ModelDelta(),
        events.ModelReplied("", Message("assistant", ()), Usage(), "stop"),
        beside.ModelSwitched("", "", ""),
        calls.CallState("", "", "validating"),
        beside.CallRewritten("", "", "", ""),
        calls.CallOutput("", ""),
        calls.CallResult("", "", "cancelled", ToolResult(False)),
        beside.CallReviewed("", "", "", "", ""),
        approval_records.ApprovalAsked((), ()),
        approval_records.ApprovalGiven("", "deny"),
        calls.FileChanging("", "", None, None),
        calls.FileChanged("", "", None, None),
        calls.ChangesUndoing("", "redo", ()),
        calls.ChangesUndone("", "redo", ()),
        events.LimitWait("", 0.0, ""),
        beside.CommandRan(""),
        events.ErrorHappened(""),
        events.Note(""),
        beside.TurnHeld("", "", ""),
        events.TurnEnded(begun),
    )


def as_events(payloads: Sequence[EventData], session: str = "s", turn: str | None = "t") -> Iterator[Event]:
    """Yield payloads as events of a journal."""
    for seq, payload in enumerate(payloads, 1):
        yield Event(seq, TIME, session, None if seq == 1 else turn, payload.kind, event_data(payload))


def event_of(kind: str, seq: int = 1, session: str = "s", turn: str | None = "t", **data: Any) -> Event:
    """Return an event of any kind with any data."""
    return Event(seq, TIME, session, turn, kind, data)
