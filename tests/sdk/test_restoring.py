"""A log that was cut, written over or mixed up gives its sessions back to a store that lost them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from inarch import Event
from inarch.contract.call_events import FileChanged
from inarch.journal.fold import fold
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch.testing import calls, says, scripted_app
from inarch_plugins.jsonl_logger.logger import JsonlLogger
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_sdk.log_restore import Restored, restore_log
from inarch_sdk.memory_store import MemoryStore


def lines(events: Sequence[Event]) -> list[str]:
    return [event.line for event in events]


class Talked(list[Event]):
    """Events that are not shown where a test fails."""

    def __repr__(self) -> str:
        return f"{len(self)} events"


def logged(folder: Path, *sessions: Sequence[Event], max_bytes: int = 0) -> Path:
    """Write events as the plugin does, all sessions to one file, and return it."""
    logger = JsonlLogger(str(folder), max_bytes)
    for events in sessions:
        for event in events:
            logger.saw(event)
    logger.close()
    files = [logger.path(events[0].session_id) for events in sessions]
    for other in files[1:]:
        files[0].write_bytes(files[0].read_bytes() + other.read_bytes())
        other.unlink()
    return files[0]


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Talked:
    """The events of a session with two turns and three calls."""
    root = tmp_path_factory.mktemp("root")
    script = [
        calls(("write_file", {"file_path": "zwölf.txt", "content": "1\n"}), ("read_file", {"file_path": "no.txt"})),
        says("first"),
        calls(("read_file", {"file_path": "zwölf.txt"})),
        says("second"),
    ]
    app, _ = scripted_app(script, root, flags={"approve": "all"})
    session = app.session()
    asyncio.run(session.run("prompt 1"))
    asyncio.run(session.run("prompt 2"))
    events = Talked(app.store.load(session.id))
    app.close()
    return events


def restored(store: MemoryStore | SqliteStore, file: Path) -> Restored:
    (session,) = restore_log(store, file, "/here").sessions
    return session


def test_a_whole_log_is_the_whole_session(talked: Talked, tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "state"))
    file = logged(tmp_path, talked)
    done = restore_log(store, file, "/here")
    assert done.problems == ()
    (session,) = done.sessions
    assert (session.events, session.present, session.left_out, session.missing) == (len(talked), 0, 0, ())
    assert (session.turns, session.title, session.placed) == (2, "prompt 1", False)
    assert lines(store.load(session.session_id)) == lines(talked)
    (info,) = store.sessions()
    assert info.root == talked[0].data["root"]
    again = restored(store, file)
    assert (again.events, again.present) == (0, len(talked))
    store.close()


def test_a_log_cut_around_any_line_comes_to_a_session_that_can_go_on(talked: Talked, tmp_path: Path) -> None:
    file = logged(tmp_path, talked)
    data = file.read_bytes()
    for end in [place for place in range(len(data)) if data[place : place + 1] == b"\n"]:
        for cut in (end - 1, end, end + 1):
            history = fold(check_cut(file, data[:cut], talked))
            assert all(call.result is not None for turn in history.turns for call in turn.calls)
            assert all(turn.status != "running" for turn in history.turns)


def check_cut(file: Path, data: bytes, events: Sequence[Event]) -> Sequence[Event]:
    file.write_bytes(data)
    store = MemoryStore()
    done = restore_log(store, file, "/here")
    ends = accumulate(len(f'{{"schema":1,{event.line[1:]}\n'.encode()) for event in events)
    whole = sum(end - 1 <= len(data) for end in ends)  # the last line is whole without its line end
    kept = [event for event in store.load(events[0].session_id) if event.kind != "session.started"]
    known = [event for event in events[:whole] if event.kind != "session.started"]
    assert lines(kept) == lines(known)
    assert len(done.sessions) == bool(whole)
    return kept


def test_a_session_with_parts_in_the_store_is_merged(talked: Talked, tmp_path: Path) -> None:
    file = logged(tmp_path, talked)
    store = SqliteStore(str(tmp_path / "state"))
    store.append(talked[0].session_id, talked[:5])
    store.append(talked[0].session_id, talked[9:12])
    session = restored(store, file)
    assert (session.events, session.present, session.missing) == (len(talked) - 8, 8, ())
    assert lines(store.load(session.session_id)) == lines(talked)
    assert store.sessions()[0].title == "prompt 1"
    store.close()


def test_where_the_session_went_on_without_the_lost_events_the_store_holds(talked: Talked, tmp_path: Path) -> None:
    file = logged(tmp_path, talked)
    store = MemoryStore()
    journal = Journal(store, talked[0].session_id, redactor=Redactor(), seq=10)
    store.append(talked[0].session_id, [event for event in talked[:10] if event.seq != 4])
    journal.record(FileChanged("c", "another.txt", None, "0" * 64), "another")
    journal.flush()
    session = restored(store, file)
    kept = store.load(session.session_id)
    assert [event.seq for event in kept] == list(range(1, 12))
    assert kept[10].data["path"] == "another.txt"
    assert (session.events, session.present, session.left_out) == (1, 9, len(talked) - 10)
    assert session.not_undoable >= 1


def test_a_session_without_its_beginning_belongs_to_where_it_is_restored(talked: Talked, tmp_path: Path) -> None:
    file = logged(tmp_path, talked[3:])
    store = MemoryStore()
    session = restored(store, file)
    assert session.placed
    assert session.missing == ((2, 3),)
    assert [info.id for info in store.sessions("/here")] == [session.session_id]


def test_a_restored_session_resumes_and_forks(talked: Talked, tmp_path: Path) -> None:
    for cut in (len(talked), len(talked) // 2, 9):
        file = logged(tmp_path / f"log-{cut}", talked[:cut])
        app, model = scripted_app([says("on"), says("in the fork")], talked[0].data["root"])
        session = restored(app.store, file)  # type: ignore[arg-type]
        turn = asyncio.run(app.session(session.session_id).run("go on"))
        assert turn.content == "on"
        assert "prompt 1" in model.requests[0].messages[0].text
        assert asyncio.run(app.fork(session.session_id, 1).run("another way")).content == "in the fork"
        app.close()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=None, phases=[Phase.explicit, Phase.generate])
@given(place=st.integers(0, 1000), key=st.integers(0, 20), value=ANYTHING)
def test_whatever_an_event_holds_the_session_opens(
    talked: Talked, tmp_path_factory: pytest.TempPathFactory, place: int, key: int, value: object
) -> None:
    events = Talked(talked)
    old = events[place % len(events)]
    name = [*old.data][key % len(old.data)]
    changed = {**old.data, name: value}
    events[place % len(events)] = Event(old.seq, old.time, old.session_id, old.turn_id, old.kind, changed)
    file = logged(tmp_path_factory.mktemp("log"), events)
    app, _ = scripted_app([says("on")], talked[0].data["root"])
    session = restored(app.store, file)  # type: ignore[arg-type]
    assert asyncio.run(app.session(session.session_id).run("go on")).content == "on"
    app.close()
