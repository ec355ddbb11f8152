"""First pass through a record: the facts needed before its first turn is played."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from attrs import define, field

from inarch import Event, Standing
from inarch_plugins.replay.record_reader import Reader
from inarch_plugins.replay.recorded_turns import stopped, transitions_of


class Move(NamedTuple):
    """One event's effect on one path: its known state before and after it. After is None if it was only read."""

    step: int
    time: str
    call_id: str
    path: str
    before: Standing
    after: Standing | None


@define(eq=False, repr=False)
class Record:
    """Summary of a session's record. Its events are read again on demand.

    Args:
        session_id: The session.
        read: Yields its events, as far as they are played.
        root: Its workspace.
        started: The data of its first event.
        began: The time of its earliest event. A fork itself began after the turns that it copied.
        begun: The start times of its steps.
        numbers: The indexes of the agent's turns among the steps.
        late: The last event number of each step that got events after the next one began.
        count: The number of events.
        last: The number of the last event.
        moves: Its effects on files.
        stopped: The numbers of the turns that were stopped from outside.
        models: Every model that the session asked, or would have asked.
        decided: The first decision model asked of each provider.
    """

    session_id: str
    read: Callable[[], Iterator[Event]]
    root: str = ""
    started: Mapping[str, Any] = field(factory=dict)
    began: str = ""
    begun: list[str] = field(factory=list)
    numbers: list[int] = field(factory=list)
    late: dict[int, int] = field(factory=dict)
    count: int = 0
    last: int = 0
    moves: list[Move] = field(factory=list)
    stopped: list[int] = field(factory=list)
    models: set[str] = field(factory=set)
    decided: dict[str, str] = field(factory=dict)


def survey(session_id: str, read: Callable[[], Iterator[Event]]) -> Record:
    """Read a session's events once, and return the summary.

    Args:
        session_id: The session.
        read: Yields its events. It is called again later.
    """
    surveyor = _Surveyor(Record(session_id, read))
    for event in read():
        surveyor.take(event)
    return surveyor.finished()


@define(eq=False, repr=False)
class _Surveyor:
    record: Record
    reader: Reader = field(factory=Reader)
    open_turns: dict[str, int] = field(factory=dict)

    def take(self, event: Event) -> None:
        record, reader = self.record, self.reader
        record.count, record.last = record.count + 1, event.seq
        record.began = min(record.began or event.time, event.time)
        place = reader.place_of(event)
        if place < reader.begun - 1:
            record.late[place] = event.seq
        else:
            reader.take(event)
            self._note_steps(event)
            place = reader.place_of(event)
        if event.kind in ("file.changed", "call.result"):
            record.moves += _moves(event, place)
        elif event.kind in _NOTED:
            _NOTED[event.kind](self, event)

    def _note_steps(self, event: Event) -> None:
        while len(self.record.begun) < self.reader.begun:
            self.reader.forget(len(self.record.begun) - 1)
            self.record.begun.append(event.time)

    def opened(self, event: Event) -> None:
        """Record where and how the session began."""
        if not self.record.started:
            self.record.started = event.data
            self.record.root = str(event.data.get("root", ""))

    def started(self, event: Event) -> None:
        """Record an agent's turn and its models."""
        turn = event.data["turn"]
        if turn["type"] != "agent":
            return
        self.record.numbers.append(self.reader.begun - 1)
        self.open_turns[turn["id"]] = len(self.record.numbers)
        model = str(turn.get("model") or "")
        self.record.models |= {model, str((event.data.get("settings") or {}).get("decision_model") or "")} - {""}

    def ended(self, event: Event) -> None:
        """Record that a turn was not stopped."""
        if not stopped(event.data["turn"]):
            self.open_turns.pop(event.turn_id or "", None)

    def asked(self, event: Event) -> None:
        """Record which model was asked."""
        name = str(event.data["model"])
        self.record.models |= {name} - {""}
        if event.data.get("purpose") == "decision":
            provider, _, model = name.partition("/")
            self.record.decided.setdefault(provider, model)

    def finished(self) -> Record:
        """Return the record."""
        self.record.stopped = [*self.open_turns.values()]
        return self.record


_NOTED: Mapping[str, Callable[[_Surveyor, Event], None]] = {
    "session.started": _Surveyor.opened,
    "turn.started": _Surveyor.started,
    "turn.ended": _Surveyor.ended,
    "model.requested": _Surveyor.asked,
}


def changes_in(events: Iterable[Event]) -> Iterator[Move]:
    """Yield the changes of each path in events outside the record."""
    for event in events:
        if event.kind == "file.changed":
            yield from _moves(event, -1)


def _moves(event: Event, step: int) -> Iterator[Move]:
    """Yield an event's effects on files. Repeated values are held once."""
    if event.kind == "file.changed":
        call_id, is_whole = str(event.data.get("call_id", "")), isinstance(event.data.get("path"), str)
        for path, before, after in transitions_of(event.data) if is_whole else ():
            yield Move(step, event.time, call_id, sys.intern(path), _known(before), _known(after))
        return
    metadata = (event.data.get("result") or {}).get("metadata")
    files = metadata.get("files") if isinstance(metadata, Mapping) else None
    for path, known in (files or {}).items():
        if known is not None:
            yield Move(step, event.time, "", sys.intern(path), _known(Standing(known, 0)), None)


def _known(standing: Standing) -> Standing:
    return Standing(sys.intern(standing.hash) if isinstance(standing.hash, str) else standing.hash, standing.mode)
