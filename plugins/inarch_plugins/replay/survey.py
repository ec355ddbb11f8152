"""First pass through a record: the facts needed before its first turn is played."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from attrs import define, field

from inarch import Event, Standing
from inarch_plugins.replay.recorded_turn import RecordedTurn, transitions_of
from inarch_plugins.replay.steps import steps_of


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
        began: The time of its earliest event.
        begun: The start times of its steps.
        numbers: The indexes of the agent's turns among the steps.
        count: The number of events.
        last: The number of the last event.
        moves: Its effects on files.
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
    count: int = 0
    last: int = 0
    moves: list[Move] = field(factory=list)
    models: set[str] = field(factory=set)
    decided: dict[str, str] = field(factory=dict)


def survey(session_id: str, read: Callable[[], Iterator[Event]]) -> Record:
    """Read a session's events once, and return the summary.

    Args:
        session_id: The session.
        read: Yields its events. It is called again later.
    """
    record = Record(session_id, read)
    for number, step in enumerate(steps_of(read())):
        first = step[0]
        # a fork itself began after the turns that it copied
        record.begun.append("" if first.kind == "session.started" else first.time)
        RecordedTurn(number, step, ())  # an invalid event shows here
        for event in step:
            _note(record, number, event)
    return record


def _note(record: Record, step: int, event: Event) -> None:
    record.count, record.last = record.count + 1, event.seq
    record.began = min(record.began or event.time, event.time)
    if event.kind in ("file.changed", "call.result"):
        record.moves += _moves(event, step)
    elif event.kind == "session.started" and not record.started:
        record.started, record.root = event.data, str(event.data.get("root", ""))
    elif event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
        record.numbers.append(step)
        decision_model = (event.data.get("settings") or {}).get("decision_model")
        record.models |= {str(event.data["turn"].get("model") or ""), str(decision_model or "")} - {""}
    elif event.kind == "model.requested":
        name = str(event.data["model"])
        record.models |= {name} - {""}
        if event.data.get("purpose") == "decision":
            provider, _, model = name.partition("/")
            record.decided.setdefault(provider, model)


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
