"""Makes up the events of a session, at times that the test says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from inarch.contract.approval_records import ApprovalAsked, ApprovalGiven
from inarch.contract.call_events import CallResult, CallState, FileChanged
from inarch.contract.events import (
    Event,
    EventData,
    ModelReplied,
    ModelRequested,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    event_data,
)
from inarch.contract.records import (
    CallPart,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
    Usage,
)
from inarch.turns.ledger import Ledger

BEGIN = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


class Telling:
    """A session that is told event by event; `now` is seconds since its beginning."""

    def __init__(self, root: str = "/home/ada/acme", session_id: str = "0195a1b2-c3d4-7e5f-8a9b-000000000001") -> None:
        self.events: list[Event] = []
        self.session_id = session_id
        self.now = 0.0
        self.turn_id: str | None = None
        self.turns = self.count = 0
        self.ledger = Ledger()
        self.add(SessionStarted(root, "0.1.0", ("sandbox-fs", "brief-tracer", "git"), "default"))

    @property
    def time(self) -> str:
        return (BEGIN + timedelta(seconds=self.now)).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def add(self, payload: EventData, after: float = 0.0) -> None:
        self.raw(payload.kind, event_data(payload), after)

    def raw(self, kind: str, data: dict[str, Any], after: float = 0.0) -> None:
        self.now += after
        event = Event(len(self.events) + 1, self.time, self.session_id, self.turn_id, kind, data)
        self.ledger.saw(event)
        self.events.append(event)

    def prompt(self, text: str, model: str = "gemini/gemini-flash-latest") -> None:
        self.turns += 1
        user, agent = f"user-{self.turns}", f"agent-{self.turns}"
        self.turn_id = user
        self.add(TurnStarted(Turn(user, "user", None, self.session_id, self.time, self.time, text, status="done")))
        self.turn_id = agent
        self.turn = Turn(agent, "agent", user, self.session_id, self.time, model=model)
        self.add(TurnStarted(self.turn))

    def reply(
        self, text: str = "", reasoning: str = "", seconds: float = 1.2, calls: tuple[ToolCall, ...] = (), **usage: Any
    ) -> None:
        self.add(ModelRequested(self.turn.model, "turn", 3, 12))
        parts: list[Part] = [Reasoning(reasoning)] if reasoning else []
        parts += [Text(text)] if text else []
        parts += [CallPart(call.id, "", call.name, call.arguments) for call in calls]
        used = Usage(**{"input_tokens": 5_214, "output_tokens": 188, "cost_usd": Decimal("0.00213"), **usage})
        finish = "calls" if calls else "stop"
        self.add(ModelReplied(self.turn.model, Message("assistant", tuple(parts)), used, finish, seconds), seconds)

    def call(self, name: str, origin: Any = "model", **arguments: Any) -> ToolCall:
        self.count += 1
        assert self.turn_id is not None
        call = ToolCall(f"call-{self.count}", "", self.turn_id, name, arguments, origin=origin)
        self.add(CallState(call.id, name, "validating", call))
        return call

    def ask(self, call: ToolCall, waits: float = 4.0, outcome: str = "approve", scope: str = "once") -> None:
        self.add(CallState(call.id, call.name, "awaiting_approval"))
        self.add(ApprovalAsked((call.id,), ("digest",), (f"it changes {call.arguments.get('file_path', 'things')}",)))
        self.add(ApprovalGiven(call.id, outcome, scope), waits)

    def run(self, call: ToolCall, data: Any = None, seconds: float = 0.1, error: ToolError | None = None,
            changed: str = "", status: str = "") -> None:  # fmt: skip
        started = self.time
        self.add(CallState(call.id, call.name, "executing"))
        if changed:
            self.add(FileChanged(call.id, changed, "1" * 64, "2" * 64))
        self.now += seconds
        result = ToolResult(error is None, data, error, {"duration_s": seconds})
        status = status or ("success" if error is None else "error")
        self.add(CallResult(call.id, call.name, status, result, started, self.time))

    def answer(self, text: str, seconds: float = 2.0, **end: Any) -> None:
        self.reply(text, seconds=seconds)
        self.end(text, **end)

    def end(self, text: str = "", **end: Any) -> None:
        fields = {"status": "done", "usage": Usage(9_000, 500, cost_usd=Decimal("0.0061")), **end}
        turn = Turn(self.turn.id, "agent", self.turn.parent_id, self.session_id, self.turn.started, self.time, text,
                    self.turn.model, **fields)  # fmt: skip
        self.add(TurnEnded(turn, self.ledger.rows(self.turn.id)))
        self.turn_id = None
