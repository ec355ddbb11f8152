"""Events of every kind, with every field filled and with as few as may be; for what looks at events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from inarch.contract import events as kinds
from inarch.contract.children import Branch
from inarch.contract.event_parts import Failure, KeptImage, Spent
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
    """Return one payload of each kind, in an order in which they could have happened, with every field filled."""
    usage = Usage(100, 20, 10, 5, Decimal("0.01"))
    result = ToolResult(False, {"text": text}, ToolError("execution", text, text), {"duration_s": 0.5, "files": {}})
    call = ToolCall("c1", "p1", turn, "read_file", {"file_path": text}, started=TIME, after=("c0",))
    asked = Turn("u", "user", None, session, TIME, content=text, status="done")
    begun = Turn(turn, "agent", "u", session, TIME, model="m")
    ended = Turn(
        turn, "agent", "u", session, TIME, TIME, text, "m", text, (call,), usage, "failed", text, "max_iterations"
    )
    said = Message("assistant", (Reasoning(text), Text(text), CallPart("c1", "p1", "read_file", {"file_path": text})))
    spent = Spent("turn", "", "m", 1, 1, 100, 20, 10, Decimal("0.01"), 1, 0.5)
    branch = Branch("p", "t0", "c0", text, 1, text, ("read_file",))
    return (
        kinds.SessionStarted(text, "0.1.0", ("sandbox-fs", text), "default", "other", 2, 0, branch),
        kinds.TurnStarted(asked, {}),
        kinds.TurnStarted(begun, {"model": "m", "approve": "ask"}),
        kinds.InputWaiting("i", text, "processes"),
        kinds.InputEnded("i", "added", text, "processes"),
        kinds.ContextAdded(text, text, (KeptImage("image/png", HASH),)),
        kinds.ContextDropped("window", 5, ("a",), ("b",), {"c1": HASH}, 1, True, 2, {"c": "they agreed"}),
        kinds.DecisionMade("native", "call_tools", text, 0.5, True, ("c1",), text, "prompt"),
        kinds.ModelRequested("m", "turn", 3, 4, "auto", 2, "dispatch"),
        kinds.ModelDelta(text, text),
        kinds.ModelReplied("m", said, usage, "error", 0.5, "turn", "dispatch", text, 0.9, Failure(text, text, 500)),
        kinds.ModelSwitched("m", "n", text),
        kinds.CallState("c1", "read_file", "scheduled", call, Effects(frozenset({text}), frozenset({"b"})), ("c0",)),
        kinds.CallRewritten("c1", "read_file", "hooks", text, {"file_path": text}, "ask", text),
        kinds.ApprovalAsked(("c1",), (HASH,), (text,)),
        kinds.ApprovalGiven("c1", "modify", "session", "user", text, {"file_path": text}, {text: (text,)}, "edits"),
        kinds.CallState("c1", "read_file", "executing", announces=True),
        kinds.CallOutput("c1", text),
        kinds.FileChanging("c1", text, HASH, HASH, "new.py", 0o100644, True, (text,)),
        kinds.FileChanged("c1", text, HASH, HASH, "new.py", 0o100644, 0o100755, True),
        kinds.CallResult("c1", "read_file", "error", result, TIME, TIME),
        kinds.CallReviewed("c1", "read_file", "hooks", text, text, True),
        kinds.ChildStarted("c1", "s2", text),
        kinds.ChildEnded("c1", "s2", text, "done", (spent,)),
        kinds.CallsDone(("c1", "c2"), "model", True),
        kinds.ChangesUndone("x", "undo", ("c1",), (turn,)),
        kinds.LimitWait("m", 1.5, text),
        kinds.CommandRan("help", text, text),
        kinds.ErrorHappened(text, text, "git", "tool", "c1"),
        kinds.Note(text, text),
        kinds.TurnHeld("hooks", text, text),
        kinds.TurnEnded(ended, (spent,), spent),
    )


def spare_turn(session: str = "s", turn: str = "t") -> tuple[EventData, ...]:
    """Return payloads of every kind that have no more than they must."""
    begun = Turn(turn, "agent", None, session, TIME)
    return (
        kinds.SessionStarted("", ""),
        kinds.TurnStarted(begun),
        kinds.ContextAdded("", ""),
        kinds.ContextDropped("", 0),
        kinds.DecisionMade("", "ask_model"),
        kinds.ModelRequested("", "turn", 0, 0),
        kinds.ModelDelta(),
        kinds.ModelReplied("", Message("assistant", ()), Usage(), "stop"),
        kinds.ModelSwitched("", "", ""),
        kinds.CallState("", "", "validating"),
        kinds.CallRewritten("", "", "", ""),
        kinds.CallOutput("", ""),
        kinds.CallResult("", "", "cancelled", ToolResult(False)),
        kinds.CallReviewed("", "", "", "", ""),
        kinds.ApprovalAsked((), ()),
        kinds.ApprovalGiven("", "deny"),
        kinds.FileChanging("", "", None, None),
        kinds.FileChanged("", "", None, None),
        kinds.ChangesUndone("", "redo", ()),
        kinds.LimitWait("", 0.0, ""),
        kinds.CommandRan(""),
        kinds.ErrorHappened(""),
        kinds.Note(""),
        kinds.TurnHeld("", "", ""),
        kinds.TurnEnded(begun),
    )


def as_events(payloads: Sequence[EventData], session: str = "s", turn: str | None = "t") -> Iterator[Event]:
    """Yield payloads as the events that a journal would make of them."""
    for seq, payload in enumerate(payloads, 1):
        yield Event(seq, TIME, session, None if seq == 1 else turn, payload.kind, event_data(payload))


def event_of(kind: str, seq: int = 1, session: str = "s", turn: str | None = "t", **data: Any) -> Event:
    """Return an event of any kind with any data."""
    return Event(seq, TIME, session, turn, kind, data)
