"""Reads a session's record: which turns, calls and steps its events make."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from inarch.contract.events import Event
from inarch.sessions.replay.normal import root_of
from inarch.sessions.replay.recorded import (
    Between,
    Exchange,
    OwnCalls,
    Record,
    RecordedCall,
    RecordedTurn,
    Step,
    request_key,
)


def read_record(events: Iterable[Event]) -> Record:
    """Return the record that events are."""
    events = list(events)
    reader = _Reader()
    for event in events:
        reader.take(event)
        reader.place(event)
    started = next((event.data for event in events if event.kind == "session.started"), {})
    session_id = events[0].session_id if events else ""
    return Record(session_id, events, root_of(events), started, reader.steps, reader.calls, reader.step_of)


def _is_between(event: Event) -> bool:
    asked = event.kind == "context.dropped" and event.data.get("reason") == "asked"
    return asked or event.kind in ("command.ran", "changes.undone", "model.switched")


@define(eq=False, repr=False)
class _Reader:
    steps: list[Step] = field(factory=list)
    calls: dict[str, RecordedCall] = field(factory=dict)
    prompts: dict[str, Event] = field(factory=dict)
    turns: dict[str, RecordedTurn] = field(factory=dict)
    agents: int = 0
    step_of: dict[int, int] = field(factory=dict)
    places: dict[str, int] = field(factory=dict)

    def place(self, event: Event) -> None:
        """Note which step an event belongs to: its turn's, else the last one that began."""
        self.step_of[event.seq] = self.places.get(event.turn_id or "", len(self.steps) - 1)

    def take(self, event: Event) -> None:
        if event.kind == "turn.started":
            self._started(event)
            return
        turn = self.turns.get(event.turn_id or "")
        if turn is not None:
            turn.events.append(event)
        if event.kind in ("model.requested", "model.replied") and turn is not None:
            self._exchanged(turn, event)
        elif event.kind in _CALLS:
            _CALLS[event.kind](self, event)
        elif turn is None and _is_between(event):
            self.steps.append(Between(event))

    def _started(self, event: Event) -> None:
        turn = event.data["turn"]
        if turn["type"] != "agent":
            self.prompts[turn["id"]] = event
            return
        self.agents += 1
        asked = self.prompts.get(turn.get("parent_id") or "")
        prompt = str(asked.data["turn"]["content"]) if asked is not None else ""
        found = RecordedTurn(
            self.agents, turn["id"], turn.get("parent_id") or "", prompt, turn.get("model", ""),
            event.data.get("settings") or {}, [event],
        )  # fmt: skip
        self.turns[turn["id"]] = found
        self.places[turn["id"]] = len(self.steps)
        self.steps.append(found)

    def _exchanged(self, turn: RecordedTurn, event: Event) -> None:
        if event.kind == "model.requested":
            turn.exchanges.append(Exchange(event, len(turn.exchanges) + 1))
            return
        key = request_key(event.data)
        waiting = [one for one in turn.exchanges if one.replied is None and one.key == key]
        # The loop asks one after the other, so what has no reply there lost it; plugins may ask several at once.
        if waiting:
            waiting[0 if key[1] else -1].replied = event

    def _call(self, event: Event) -> RecordedCall:
        call_id, turn_id = str(event.data["call_id"]), event.turn_id or ""
        known = self.calls.get(call_id)
        if known is None:
            call = event.data.get("call") or {}
            name = str(event.data.get("name") or call.get("name") or "")
            known = RecordedCall(call_id, name, call.get("arguments") or {}, str(call.get("origin", "")), turn_id)
            self.calls[call_id] = known
            turn = self.turns.get(turn_id)
            if turn is not None:
                turn.calls.append(known)
            else:
                self._own(turn_id).calls.append(known)
        return known

    def _own(self, turn_id: str) -> OwnCalls:
        """Return the step that a call of the person's own belongs to: calls that have not ended yet are one batch."""
        last = self.steps[-1] if self.steps else None
        if isinstance(last, OwnCalls) and all(call.result_event is None for call in last.calls):
            return last
        self.steps.append(own := OwnCalls(turn_id))
        return own

    def state(self, event: Event) -> None:
        self._call(event)

    def result(self, event: Event) -> None:
        self._call(event).result_event = event

    def changed(self, event: Event) -> None:
        last = self.steps[-1] if self.steps else None
        if event.data["call_id"] in self.calls:
            call = self._call(event)
            (call.changes if call.result_event is None or not call.was_cut else call.found_later).append(event)
        elif isinstance(last, Between):
            last.others.append(event)

    def asked(self, event: Event) -> None:
        for call_id in event.data["call_ids"]:
            if call_id in self.calls:
                self.calls[call_id].was_asked = True

    def given(self, event: Event) -> None:
        call = self.calls.get(str(event.data["call_id"]))
        if call is None:
            return
        if event.data.get("by") == "mode":
            call.by_mode = True
        else:
            call.answers.append(event.data)


_CALLS = {
    "call.state": _Reader.state,
    "call.result": _Reader.result,
    "file.changed": _Reader.changed,
    "approval.asked": _Reader.asked,
    "approval.given": _Reader.given,
}
