from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from inarch import Event, StoreError, Turn, UsageError
from inarch.contract.events import Note, SessionStarted, TurnEnded, TurnStarted
from inarch.contract.stores import ContextStore
from inarch.journal.fold import fold
from inarch.journal.journal import Journal
from inarch.sessions.app import App
from inarch.sessions.fork import fork_session
from inarch.sessions.session import Session
from inarch.testing import calls, says, scripted_app
from inarch_sdk.memory_store import MemoryStore

SCRIPT = [
    calls(("write_file", {"file_path": "one.txt", "content": "1"})), says("first"),
    calls(("read_file", {"file_path": "one.txt"})), says("second"), says("third"), says("in the fork"),
]  # fmt: skip


def talked(root: Path, turns: int = 3, **options: object) -> tuple[App, Session]:
    app, _ = scripted_app(SCRIPT, root, flags={"approve": "all"}, **options)
    session = app.session()
    for number in range(turns):
        asyncio.run(session.run(f"prompt {number + 1}"))
    return app, session


def prompts(store: ContextStore, session_id: str) -> list[str]:
    return [turn.content for turn in fold(store.load(session_id)).turns if turn.type == "user"]


@pytest.mark.parametrize("journal", [False, True])
def test_a_fork_begins_with_the_first_turns_and_goes_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()
    app, session = talked(tmp_path / "root", journal=journal)
    before = [event.line for event in app.store.load(session.id)]
    fork = app.fork(session.id, 2)
    assert fork.id != session.id
    assert [turn.content for turn in fork.turns] == ["first", "second"]
    assert [turn.session_id for turn in fork.turns] == [fork.id] * 2
    assert [call.name for turn in fork.turns for call in turn.calls] == ["write_file", "read_file"]
    assert fork.state.seen == session.state.seen
    assert fork.state.ledger.total().requests == 4
    asyncio.run(fork.run("another way"))
    assert prompts(app.store, fork.id) == ["prompt 1", "prompt 2", "another way"]
    assert prompts(app.store, session.id) == ["prompt 1", "prompt 2", "prompt 3"]
    assert [event.line for event in app.store.load(session.id)] == before
    events = app.store.load(fork.id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.session_id for event in events} == {fork.id}
    assert session.id not in "".join(event.line for event in events[1:])
    assert (events[0].data["forked_from"], events[0].data["forked_at"]) == (session.id, 2)
    assert events[0].data["root"] == str(tmp_path / "root")
    app.close()


def test_what_cannot_be_forked_is_told(tmp_path: Path) -> None:
    app, session = talked(tmp_path, turns=2)
    for at, words in ((3, "2 turns, not 3"), (0, "no turn 0"), (-1, "no turn -1")):
        with pytest.raises(UsageError, match=words):
            app.fork(session.id, at)
    with pytest.raises(UsageError, match="no session nothing"):
        app.fork("nothing")
    assert len(app.store.sessions()) == 1
    app.close()


def test_a_session_with_holes_is_forked_without_them(tmp_path: Path) -> None:
    app, session = talked(tmp_path)
    holed = MemoryStore()
    events = app.store.load(session.id)
    holed.append(session.id, [event for event in events if event.seq % 5 != 1])
    fork_id = fork_session(holed, session.id)
    forked = holed.load(fork_id)
    assert [event.seq for event in forked] == list(range(1, len(forked) + 1))
    assert [event.kind for event in forked[1:]] == [event.kind for event in events if event.seq % 5 != 1]
    assert forked[0].kind == "session.started"
    app.close()


def test_a_store_without_room_keeps_nothing_of_the_fork(tmp_path: Path) -> None:
    class Narrow(MemoryStore):
        full = False

        def append(self, session_id: str, events: Sequence[Event]) -> None:
            super().append(session_id, events)
            if self.full:
                raise StoreError("full", "no room")

    app, session = talked(tmp_path)
    store = Narrow()
    store.append(session.id, app.store.load(session.id))
    store.full = True
    with pytest.raises(StoreError, match="no room"):
        fork_session(store, session.id)
    assert [info.id for info in store.sessions()] == [session.id]
    app.close()


@pytest.mark.parametrize("at", [*range(1, 4)])
def test_prompts_without_an_answer_count_as_no_turn(at: int) -> None:
    store = MemoryStore()
    journal = Journal(store, "s")
    journal.record(SessionStarted("/root", "1"))
    for number, (kind, parent) in enumerate(
        [("user", None), ("agent", 0), ("user", None), ("user", None), ("agent", 3), ("user", None), ("agent", 5)]
    ):
        asked = None if parent is None else f"t{parent}"
        turn = Turn(f"t{number}", kind, asked, "s", "2026-01-01T00:00:00Z", status="done")  # type: ignore[arg-type]
        journal.record_all([(TurnStarted(turn), turn.id), (TurnEnded(turn), turn.id)])
        journal.record(Note("between"))
    journal.flush()
    events = store.load(fork_session(store, "s", at))
    assert len({event.turn_id for event in events if event.turn_id}) == (2, 5, 7)[at - 1]
    assert events[-1].kind == "note"
