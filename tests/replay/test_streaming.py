"""A replay reads the record as it goes: it holds no more of it, and of what comes, than a turn or two."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from attrs import evolve

import inarch
from inarch import Event
from inarch.testing import calls, says
from inarch_replay import ReplayReport, compare_sessions, digest_of, replay
from inarch_replay.comparing import compare_read, digest_read
from inarch_replay.normal_form import Said
from inarch_replay.reading import Reading, first_turns
from inarch_replay.recorded import RecordedTurn, Step
from inarch_replay.store import CopyStore
from inarch_replay.survey import survey

from .recording import assert_same, project, record

READ = ("read_file", {"file_path": "shop/basket.py"})
TURNS = 12


def events_held() -> int:
    """How many events there are in this process."""
    return sum(type(one) is Event for one in gc.get_objects())


def test_a_replay_holds_no_more_events_than_those_of_a_few_turns(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    script = [step for number in range(TURNS) for step in (calls(READ, READ), calls(READ), says(f"{number}"))]
    recorded = record(root, script, *(f"look at number {number}" for number in range(TURNS)))
    count = len(recorded.events())
    gc.collect()
    before = events_held()

    async def watched() -> tuple[ReplayReport, int]:
        playing = asyncio.ensure_future(replay(recorded.id, **recorded.options))
        passes = most = 0
        while not playing.done():
            await asyncio.sleep(0)
            passes += 1
            if passes % 40 == 0:
                most = max(most, events_held())
        return await playing, most

    report, most = asyncio.run(watched())

    assert_same(report)
    assert report.events == count
    assert 0 < most - before < 6 * count / TURNS


def story(*turns: str, late: bool = False) -> list[Event]:
    """Make the events of turns with a call each; if `late`, the first one's change comes after the second has begun."""
    said: list[tuple[str | None, str, dict[str, object]]] = [(None, "session.started", {"root": "/r"})]
    for name in turns:
        user = {"id": f"p{name}", "type": "user", "content": f"do {name}"}
        agent = {"id": name, "type": "agent", "parent_id": f"p{name}", "model": "a/b"}
        call = {"call_id": f"c{name}", "name": "edit"}
        result = {**call, "status": "success", "result": {"success": True}, "ended": "t"}
        changed = {"call_id": f"c{name}", "path": f"{name}.txt", "before": None, "after": "0" * 64}
        said += [
            (f"p{name}", "turn.started", {"turn": user}),
            (name, "turn.started", {"turn": agent}),
            (name, "call.state", {**call, "status": "executing"}),
            (name, "file.changed", changed),
            (name, "call.result", result),
            (name, "turn.ended", {"turn": {**agent, "status": "done"}}),
        ]
    if late:
        said.insert(9, said.pop(4))
    return [Event(seq, f"t{seq:03}", "s", turn, kind, data) for seq, (turn, kind, data) in enumerate(said, 1)]


def steps_of(events: list[Event]) -> Iterator[Step]:
    """Yield the steps of a record as they are read."""
    reading = Reading(survey("s", lambda: iter(events)), lambda event: None)
    while (step := reading.next_step()) is not None:
        yield step


@pytest.mark.parametrize("late", [False, True])
def test_a_turn_is_handed_out_when_all_of_it_was_read(late: bool) -> None:
    events = story("one", "two", "three", late=late)

    for step in steps_of(events):
        assert isinstance(step, RecordedTurn)
        assert step.events == [event for event in events if event.turn_id == step.id]
        assert [len(call.changes) for call in step.calls] == [1]


def test_the_record_is_read_no_further_than_the_beginning_of_the_next_turn() -> None:
    events, read = story("one", "two", "three"), list[int]()
    reading = Reading(survey("s", lambda: iter(events)), lambda event: read.append(event.seq))

    reading.next_step()

    assert events[read[-1] - 1].turn_id == "two"
    assert events[read[-1] - 1].kind == "turn.started"
    assert list(reading.reader.calls) == ["cone"]
    reading.next_step()
    assert list(reading.reader.calls) == ["ctwo"]


@pytest.mark.parametrize("late", [False, True])
def test_the_digest_is_the_same_however_the_events_are_held(late: bool) -> None:
    events = story("one", "two", "three", late=late)

    assert digest_read(lambda: iter(events), "/r") == digest_of(events)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("place", [None, 3, 4, 9, 16])
def test_two_sessions_part_at_the_same_place_however_they_are_held(late: bool, place: int | None) -> None:
    one = story("one", "two", "three", late=late)
    other = [event if at != place else evolve(event, data={"x": 1}) for at, event in enumerate(one)]
    shorter = other[:-1]

    for pair in (one, other), (other, one), (one, shorter), (shorter, other):
        read = [partial(iter, events) for events in pair]
        assert compare_read(*read) == compare_sessions(*pair)
    assert (compare_read(partial(iter, one), partial(iter, other)) is None) == (place is None)


def test_comparing_holds_no_more_than_a_turn_of_each() -> None:
    held: list[int] = []

    def read() -> Iterator[Event]:
        for event in story(*map(str, range(40))):
            if event.seq % 50 == 0:
                held.append(sum(type(one) is Said for one in gc.get_objects()))
            yield event

    assert compare_read(read, read) is None
    assert 0 < max(held) < 30


def test_the_first_turns_end_before_the_next_prompt() -> None:
    events = story("one", "two")

    assert [*first_turns(events, 1)] == events[:7]
    assert [*first_turns(events, 0)] == events[:1]
    assert [*first_turns(events, None)] == [*first_turns(events, 2)] == events
    with pytest.raises(inarch.UsageError, match="the session has 2 turns, not 3"):
        [*first_turns(events, 3)]


def test_what_is_kept_of_a_run_is_read_back_and_can_end_earlier() -> None:
    events = story("one", "two")
    store = CopyStore(lambda ref: b"kept " + ref.encode())
    store.append("s", events)
    store.append("s", events[:3])
    ref = store.put_blob("s", b"bytes")

    earlier = store.as_it_was(5)
    store.append("s", [evolve(events[0], seq=6)])

    assert earlier.load("s") == events[:5]
    earlier.append("s", events[5:])
    assert earlier.load("s", 4) == events[4:]
    assert earlier.load("another") == []
    assert (earlier.get_blob("s", ref), earlier.get_blob("s", "ab")) == (b"bytes", b"kept ab")
    earlier.close()
