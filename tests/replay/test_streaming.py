"""A replay reads the record as it goes: it holds no more of it, and of what comes, than a turn or two."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

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


def test_what_is_kept_of_a_run_is_read_back() -> None:
    events = [Event(seq, f"t{seq:03}", "s", None, "note", {"text": str(seq)}) for seq in range(1, 13)]
    store = CopyStore(lambda ref: b"kept " + ref.encode())
    store.append("s", events)
    store.append("s", events[:3])
    ref = store.put_blob("s", b"bytes")

    assert (store.load("s"), store.load("s", 4), store.load("another")) == (events, events[4:], [])
    assert (store.get_blob("s", ref), store.get_blob("s", "ab")) == (b"bytes", b"kept ab")
    store.close()
