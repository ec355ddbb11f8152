"""What a session did to files is kept in segments: bringing it up to date costs the same however long it is."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import Event, StoreError
from inarch.contract.ids import new_id
from inarch.contract.stores import ContextStore
from inarch.journal.changes import Changes, kept_changes
from inarch.sessions.fork import fork_session
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_plugins.undo.checkpoints import Checkpoints, checkpoints_of
from inarch_plugins.undo.prompts import prompt_of
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.snapshots import folded

ROWS = 4


@pytest.fixture(autouse=True, scope="module")
def small_segments() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("inarch_sdk.snapshots.SEGMENT", ROWS)
        yield


def session(steps: Sequence[str]) -> list[Event]:
    """Return the events of a session: each step is one or two of them."""
    said: list[tuple[str | None, str, dict[str, Any]]] = [(None, "session.started", {"root": "/root", "version": "1"})]
    turn, open_calls, changed = "", list[str](), list[str]()
    for number, step in enumerate(steps):
        if step == "turn":
            asked, turn = f"p{number}", f"t{number}"
            agents = {"id": turn, "type": "agent", "parent_id": asked, "content": ""}
            said.append((asked, "turn.started", {"turn": {"id": asked, "type": "user", "content": f"do {number}"}}))
            said.append((turn, "turn.started", {"turn": agents}))
        elif step == "call":
            open_calls.append(f"c{number}")
            said.append((turn, "call.state", {"call_id": f"c{number}", "name": f"n{number}", "status": "executing"}))
        elif step == "change":
            changed.append(open_calls[-1] if open_calls else f"own{number}")
            change = {"call_id": changed[-1], "path": f"f{number % 3}", "before": None, "after": "a"}
            said.append((turn if open_calls else None, "file.changed", change))
        elif step == "result" and open_calls:
            said.append((turn, "call.result", {"call_id": open_calls.pop(), "result": {"success": True}}))
        elif step in ("undo", "redo") and changed:
            data = {"id": f"u{number}", "action": step, "calls": changed[-1:], "turns": []}
            said.append((None, "changes.undone", data))
    return [
        Event(seq, f"2026-01-01T00:00:{seq % 60:02}Z", "s", turn_id or None, kind, data)
        for seq, (turn_id, kind, data) in enumerate(said, 1)
    ]


def described(found: Checkpoints) -> Any:
    turns = [(one.id, one.number, one.prompt, one.calls, one.names, one.cut_off) for one in found.turns]
    return turns, [list(calls) for calls in found.undone]


def keep(store: ContextStore, session_id: str = "s", *, looks_back: bool = False) -> Changes:
    """Bring what is kept up to date, as between two turns, or as whoever looks at all of it does."""

    def made() -> Changes:
        changes = Changes()
        changes.rows.looks_back = looks_back
        return changes

    return folded(store, session_id, made, keep_after=1)


def told(store: ContextStore, session_id: str = "s") -> Any:
    return shape(kept_changes(store, session_id), store.load(session_id))


def read_anew(store: ContextStore, session_id: str = "s") -> Any:
    """Return what all events say."""
    events, changes = store.load(session_id), Changes()
    for event in events:
        changes.take(event)
    return shape(changes, events)


def shape(changes: Changes, events: Sequence[Event]) -> Any:
    prompts = {event.seq: prompt_of(event) for event in events}
    return described(checkpoints_of(changes, prompts.__getitem__)), changes.changes, changes.undos, changes.seq


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(str(tmp_path / "state"))) as with_segments:
        yield with_segments


ONE = ("turn", "call", "change", "result", "call", "change", "change", "result")
"""A turn with four rows; its events are nine."""


def named(number: int) -> str:
    return f"changes.{number}"


def signed(version: int, content: bytes) -> bytes:
    text = b"[%d,%s]" % (version, content)
    return b"%08x%s" % (zlib.crc32(text), text)


def another(whole: bytes) -> bytes:
    """Return what tells of another file than it should, and can be read."""
    if b"," not in whole:  # broken before
        return whole
    content = whole[whole.index(b",") + 1 : -1]
    return content.replace(b'"f', b'"g')


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda whole: b"",
    "noise": lambda whole: b"f" * 40,
    "sum": lambda whole: whole[:8] + signed(Changes.VERSION, another(whole))[8:],
    "version": lambda whole: signed(Changes.VERSION - 1, another(whole)),
    "shape": lambda whole: signed(Changes.VERSION, b"[[1]]"),
    "number": lambda whole: signed(Changes.VERSION, b"7"),
    "size": lambda whole: signed(Changes.VERSION, b"[]"),
}


def spoil(store: SqliteStore, session_id: str, name: str, kind: str) -> None:
    if (kept := store.get_snapshot(session_id, name)) is not None:
        store.put_snapshot(session_id, name, kept[0], BROKEN[kind](kept[1]))


def test_a_store_that_keeps_nothing_or_has_no_room_is_read_whole(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = MemoryStore()
    for one in (plain, store):
        one.append("s", session(ONE * 8))
        put, kept = store.put_snapshot, list[str]()

    def full(session_id: str, name: str, seq: int, data: bytes) -> None:
        if len(kept) == 2:
            raise StoreError("full", "no room")
        kept.append(name)
        put(session_id, name, seq, data)

    monkeypatch.setattr(store, "put_snapshot", full)
    for one in (plain, store):
        keep(one, looks_back=True)
        keep(one)
        assert told(one) == read_anew(one)
    assert kept == [named(1), named(2)]


STEPS = st.lists(st.sampled_from([*ONE, "undo", "redo"]), min_size=1, max_size=25)
DOING = st.one_of(
    st.sampled_from(["keep", "look back", "fork"]),
    st.tuples(st.sampled_from(["changes", *map(named, range(1, 5))]), st.sampled_from([*BROKEN])),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    with closing(SqliteStore(str(tmp_path_factory.mktemp("shared")))) as store:
        yield store


@settings(max_examples=3 * settings().max_examples)
@given(st.lists(st.tuples(STEPS, st.lists(DOING, max_size=3)), min_size=1, max_size=5))
def test_what_is_kept_is_what_all_events_say(shared: SqliteStore, parts: list[tuple[list[str], list[Any]]]) -> None:
    """Whenever it was kept and by whom, whatever was spoilt, in a fork and in its fork."""
    session_id, so_far, begun = new_id(), list[str](), 0
    for steps, doings in parts:
        so_far += steps
        events = session(so_far)
        shared.append(session_id, [one.moved(session_id) for one in events[begun:]])
        begun = len(events)
        for doing in doings:
            if doing == "fork" and "turn" in so_far:
                session_id = fork_session(shared, session_id)
            elif doing in ("keep", "look back"):
                found = keep(shared, session_id, looks_back=doing == "look back")
                assert doing == "keep" or found.changes == kept_changes(shared, session_id).changes
            elif isinstance(doing, tuple):
                spoil(shared, session_id, *doing)
        assert told(shared, session_id) == read_anew(shared, session_id)
