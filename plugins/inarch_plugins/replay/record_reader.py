"""Reader of a session's record by steps: turns and calls. It holds only a few steps in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import Event, Submitted, UsageError
from inarch.host import is_plugins
from inarch_plugins.replay.recorded_turns import (
    Between,
    Exchange,
    OwnCalls,
    RecordedCall,
    RecordedTurn,
    Step,
    request_key,
)

if TYPE_CHECKING:
    from inarch_plugins.replay.survey import Record


def first_turns(events: Iterable[Event], turns: int | None) -> Iterator[Event]:
    """Yield the events up to the prompt after this many of the agent's turns, or all for None.

    Raises:
        UsageError: There are fewer turns.
    """
    known: set[str] = set()
    count = 0
    for event in events:
        if event.turn_id and event.turn_id not in known:
            if count == turns:
                return
            known.add(event.turn_id)
            count += not _is_prompt(event)
        yield event
    if turns is not None and count < turns:
        many = "1 turn" if count == 1 else f"{count} turns"
        raise UsageError(f"the session has {many}, not {turns}", "inarch sessions show ID shows them")


def prompts_of(events: Iterable[Event]) -> list[str]:
    """Return the prompts of the agent's turns."""
    reader, prompts = Reader(), list[str]()
    for event in events:
        if event.kind != "turn.started":
            continue
        reader.take(event)
        if (step := reader.step(reader.begun - 1)) is not None:
            prompts += [step.prompt] if isinstance(step, RecordedTurn) else []
            reader.forget(reader.begun - 1)
    return prompts


def _is_prompt(event: Event) -> bool:
    return event.kind == "turn.started" and (event.data.get("turn") or {}).get("type") == "user"


def _is_between(event: Event) -> bool:
    asked = event.kind == "context.dropped" and event.data.get("reason") == "asked"
    return asked or is_plugins(event.kind) or event.kind in ("command.ran", "changes.undone", "model.switched")


@define(eq=False, repr=False)
class Reading:
    """Second pass through a record, during its replay. It returns each step as soon as it is complete.

    Args:
        record: The result of the first pass.
        hear: Called with every event that is read.
    """

    record: Record
    hear: Callable[[Event], object]
    reader: Reader = field(init=False)
    _events: Iterator[Event] = field(init=False)
    _place: int = field(init=False, default=0)
    _seq: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self.reader, self._events = Reader(), self.record.read()

    def next_step(self) -> Step | None:
        """Return the next step, or None at the end. The previous one is released."""
        self.reader.forget(self._place - 1)
        while not self._is_whole() and self.read_on():
            pass
        self._place += 1
        return self.reader.step(self._place - 1)

    def read_on(self) -> bool:
        """Read one more event. Return whether there was one."""
        event = next(self._events, None)
        if event is None or event.seq > self.record.last:  # another process may continue the session meanwhile
            return False
        self._seq = event.seq
        self.reader.take(event)
        self.hear(event)
        return True

    def _is_whole(self) -> bool:
        return self.reader.begun > self._place + 1 and self._seq >= self.record.late.get(self._place, 0)


@define(eq=False, repr=False)
class Reader:
    """Builder of steps from events. `begun` counts the steps so far, `calls` has the calls of those held."""

    calls: dict[str, RecordedCall] = field(init=False, factory=dict)
    begun: int = field(init=False, default=0)
    _steps: dict[int, Step] = field(init=False, factory=dict)
    _prompts: dict[str, Event] = field(init=False, factory=dict)
    _turns: dict[str, RecordedTurn] = field(init=False, factory=dict)
    _places: dict[str, int] = field(init=False, factory=dict)
    _agents: int = field(init=False, default=0)

    def place_of(self, event: Event) -> int:
        """Return an event's step: that of its turn or call, else the last one that began."""
        place = self._places.get(event.turn_id or "")
        if place is None:
            place = self._places.get(str(event.data.get("call_id", "")))
        return self.begun - 1 if place is None else place

    def step(self, place: int) -> Step | None:
        """Return a step that is held."""
        return self._steps.get(place)

    def forget(self, place: int) -> None:
        """Release a step that gets no more events."""
        step = self._steps.pop(place, None)
        if isinstance(step, RecordedTurn):
            self._turns.pop(step.id, None)
            self._prompts.pop(step.prompt_id, None)
        for call in () if step is None or isinstance(step, Between) else step.calls:
            self.calls.pop(call.id, None)

    def take(self, event: Event) -> None:
        """Add the next event."""
        if event.kind == "turn.started":
            self._started(event)
            return
        turn = self._turns.get(event.turn_id or "")
        if turn is not None:
            turn.events.append(event)
        if event.kind in ("model.requested", "model.replied") and turn is not None:
            self._exchanged(turn, event)
        elif event.kind in _CALLS:
            _CALLS[event.kind](self, event)
            if turn is None and isinstance(own := self._steps.get(self.place_of(event)), OwnCalls):
                own.events.append(event)
        elif turn is None and _is_between(event):
            self._begin(Between(event))

    def _begin(self, step: Step) -> None:
        self._steps[self.begun] = step
        self.begun += 1

    @property
    def _last(self) -> Step | None:
        return self._steps.get(self.begun - 1)

    def _started(self, event: Event) -> None:
        turn = event.data["turn"]
        if turn["type"] != "agent":
            self._prompts[turn["id"]] = event
            return
        self._agents += 1
        asked = self._prompts.get(turn.get("parent_id") or "")
        given = asked.data["turn"] if asked is not None else {}
        prompt = Submitted(str(given.get("content", "")), mode=given.get("mode") or "text")
        found = RecordedTurn(
            self._agents, turn["id"], turn.get("parent_id") or "", prompt, turn.get("model", ""),
            event.data.get("settings") or {}, asked, [event],
        )  # fmt: skip
        self._turns[turn["id"]] = found
        self._places[turn["id"]] = self.begun
        self._begin(found)

    def _exchanged(self, turn: RecordedTurn, event: Event) -> None:
        if event.kind == "model.requested":
            turn.exchanges.append(Exchange(event, len(turn.exchanges) + 1))
            return
        key = request_key(event.data)
        waiting = [one for one in turn.exchanges if one.replied is None and one.key == key]
        # The loop asks one at a time, so an earlier request without a reply lost it. Plugins may ask several at once.
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
            turn = self._turns.get(turn_id)
            if turn is not None:
                turn.calls.append(known)
            else:
                self._own(turn_id).calls.append(known)
                self._places[call_id] = self.begun - 1
        return known

    def _own(self, turn_id: str) -> OwnCalls:
        """Return the step of a user's own call. Calls that have not ended yet form one batch."""
        last = self._last
        if isinstance(last, OwnCalls) and all(call.result_event is None for call in last.calls):
            return last
        self._begin(own := OwnCalls(turn_id))
        return own

    def state(self, event: Event) -> None:
        """Add a state of a call."""
        self._call(event)

    def result(self, event: Event) -> None:
        """Add the result of a call."""
        self._call(event).result_event = event

    def changed(self, event: Event) -> None:
        """Add a file change, by a call or between turns."""
        last = self._last
        if event.data["call_id"] in self.calls:
            self._call(event).changes.append(event)
        elif isinstance(last, Between):
            last.others.append(event)

    def said(self, event: Event) -> None:
        """Add the output or failure of a rewriter or reviewer."""
        if event.data.get("call_id") in self.calls:
            self._call(event).said.append(event)

    def asked(self, event: Event) -> None:
        """Add a question about calls."""
        for call_id in event.data["call_ids"]:
            if call_id in self.calls:
                self.calls[call_id].was_asked = True

    def given(self, event: Event) -> None:
        """Add an answer about a call."""
        call = self.calls.get(str(event.data["call_id"]))
        if call is None:
            return
        if event.data.get("by") == "mode":
            call.by_mode = True
        elif event.data.get("by") == "reviewer":
            call.reviewed.append(event)
        else:
            call.answers.append(event.data)
            call.all_answers.append(event.data)


_CALLS = {
    "call.state": Reader.state,
    "call.result": Reader.result,
    "file.changed": Reader.changed,
    "call.rewritten": Reader.said,
    "call.reviewed": Reader.said,
    "error": Reader.said,
    "approval.asked": Reader.asked,
    "approval.given": Reader.given,
}
