"""A replay reads the record as it goes: it holds no more of it, and of what comes, than a turn or two."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

from attrs import evolve

from inarch import Event
from inarch.testing import calls, says
from inarch_plugins.replay import ReplayReport, replay
from inarch_plugins.replay.store import CopyStore

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
