"""A long session goes on as if it had never stopped, holding only what the model still sees."""

from __future__ import annotations

import asyncio
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ContextStore, Limits, StoreError
from inarch.contract.compaction import EarlierTurn
from inarch.contract.events import Event
from inarch.journal.fold import fold
from inarch.journal.history import History
from inarch.journal.redactor import Redactor
from inarch.journal.resume_state import Going, resume_kept
from inarch.sessions.app import App
from inarch.sessions.session_start import Heard
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch.turns.compaction import restored
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.snapshots import folded
from inarch_testing.scripted import Step

CONFIG = {"profiles": {"default": {"context_turns": 2, "approve": "all"}}}


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "root").mkdir()
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return {"root": tmp_path / "root", "journal": True, "environ": environ, "config": CONFIG}


class Small(ScriptedModel):
    """A scripted model with a window that a few turns fill."""

    def limits(self, model: str) -> Limits:
        return Limits(8_000)


def script(turns: int) -> list[Step]:
    steps: list[Step] = []
    for number in range(turns):
        write = ("write_file", {"file_path": f"{number % 5}.txt", "content": f"{number} {'word ' * 300}\n"})
        steps += [calls(write), says(f"answer {number}")]
    return steps


async def talk(app: App, session_id: str | None, turns: int) -> str:
    session = app.session(session_id)
    for number in range(turns):
        await session.run(f"prompt {number}")
    return session.id


def test_a_resumed_session_sees_what_the_live_one_saw(options: dict[str, Any]) -> None:
    app, _ = scripted_app(Small(script(20)), **options)
    live = app.session()

    async def go() -> None:
        for number in range(20):
            await live.run(f"prompt {number}")

    asyncio.run(go())
    again, _ = scripted_app(Small(script(1)), **options)
    resumed = again.session(live.id)
    assert resumed.state.earlier_messages() == live.state.earlier_messages()
    assert [said.form for said in resumed.state.history] == [said.form for said in live.state.history]
    assert resumed.state.seen == live.state.seen
    assert resumed.state.ledger.total() == live.state.ledger.total()
    assert resumed.state.journal.seq == live.state.journal.seq
    # Only what is still seen is held; the whole is there for whoever asks.
    assert len(resumed.state.turns) < 15
    assert len(live.state.turns) < 15
    for session in (live, resumed):
        assert [turn.content for turn in session.turns] == [f"answer {number}" for number in range(20)]
        assert all(len(turn.calls) == 1 for turn in session.turns)
    asyncio.run(resumed.run("one more"))
    assert len(resumed.turns) == 21
    asyncio.run(app.aclose())
    asyncio.run(again.aclose())


def resumed(store: ContextStore, session_id: str) -> tuple[History, dict[str, Any]]:
    history, heard = resume_kept(store, session_id, lambda: Heard(Redactor()))
    return evolve(history, left_out=()), heard.to_data() | {"forms": [said.form for said in _seen(history)]}


def _seen(history: History) -> list[EarlierTurn]:
    return restored([EarlierTurn(*said) for said in history.said], history.left_out)


@settings(max_examples=settings().max_examples // 3, deadline=None)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=3))
def test_what_is_resumed_through_snapshots_is_what_all_events_say(places: list[int]) -> None:
    """Wherever they were made, one upon the other, with turns dropped since."""
    events = _long()
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(folder)
        begun = 0
        for end in sorted(min(place, len(events)) for place in places):
            store.append("s", events[begun:end])
            begun = end
            folded(store, "s", lambda: Going(Heard(Redactor())), keep_after=1)
            kept = store.get_snapshot("s", "resume")
            assert kept is not None
            assert kept[0] == end
            plain = MemoryStore()
            plain.append("s", events[:end])
            assert resumed(store, "s") == resumed(plain, "s")
        store.append("s", events[begun:])
        plain.append("s", events)
        assert resumed(store, "s") == resumed(plain, "s")
        store.close()


@cache
def _long() -> list[Event]:
    """Return the events of a session of 14 turns, of which the model sees the last ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "root").mkdir()
        app, _ = scripted_app(Small(script(14)), root=folder / "root", config=CONFIG)
        session_id = asyncio.run(talk(app, None, 14))
        events = [evolve(event, session_id="s", line="") for event in app.store.load(session_id)]
        app.close()
        return events


@pytest.mark.parametrize("damage", [b"", b"00000000[1,null]", b"{", b"f" * 40], ids=["empty", "sum", "short", "noise"])
def test_a_snapshot_that_is_damaged_or_of_another_version_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    events = _long()
    store, plain = SqliteStore(str(tmp_path)), MemoryStore()
    for one in (store, plain):
        one.append("s", events)
    right = resumed(plain, "s")
    folded(store, "s", lambda: Going(Heard(Redactor())), keep_after=1)
    store.put_snapshot("s", "resume", 60, damage)
    assert resumed(store, "s") == right
    for content in (b"[0,[]]", b"[1,[{}]]", b'[1,[[],"x"]]', b"[1]"):
        store.put_snapshot("s", "resume", 60, b"%08x%s" % (zlib.crc32(content), content))
        assert resumed(store, "s") == right
    store.close()


def test_of_two_who_go_on_with_one_session_the_second_to_write_is_told(options: dict[str, Any]) -> None:
    app, _ = scripted_app(script(4), **options)
    session_id = asyncio.run(talk(app, None, 1))
    one, other = app.session(session_id), scripted_app(script(2), **options)[0]
    two = other.session(session_id)
    asyncio.run(one.run("from one"))
    with pytest.raises(StoreError, match="another process writes to it") as caught:
        asyncio.run(two.run("from two"))
    assert caught.value.kind == "busy"
    prompts = [turn.content for turn in fold(app.store.load(session_id)).turns if turn.type == "user"]
    assert prompts == ["prompt 0", "from one"]
    app.close()
    other.close()
