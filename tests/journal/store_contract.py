"""What every context store must do; inherited by the tests of each implementation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch import ContextStore, Event, StoreError, new_id


def event(
    seq: int, session: str = "s", kind: str = "note", time: str = "2026-01-01T00:00:00.000000Z", **data: Any
) -> Event:
    return Event(seq, time, session, "turn", kind, data)


def started(session: str, root: str, time: str = "2026-01-01T00:00:00.000000Z") -> Event:
    return event(1, session, "session.started", time, root=root)


def asked(seq: int, session: str, prompt: str) -> Event:
    return event(seq, session, "turn.started", turn={"type": "user", "content": prompt})


def lines(store: ContextStore, session: str = "s", after: int = 0) -> list[str]:
    return [item.line for item in store.load(session, after)]


class StoreContract:
    """Tests of one store: subclasses give the fixture `make`, which opens a new, empty one."""

    @pytest.fixture
    def store(self, make: Callable[[], ContextStore]) -> ContextStore:
        return make()

    def test_events_come_back_in_order(self, store: ContextStore) -> None:
        events = [event(seq, text=f"event {seq}") for seq in range(1, 8)]
        store.append("s", events[:3])
        store.append("s", events[3:4])
        store.append("s", events[4:])
        assert store.load("s") == events
        assert lines(store) == [item.line for item in events]

    def test_load_after_a_number_gives_the_rest(self, store: ContextStore) -> None:
        store.append("s", [event(seq) for seq in range(1, 6)])
        assert [item.seq for item in store.load("s", after=3)] == [4, 5]
        assert store.load("s", after=5) == []

    def test_appending_nothing_makes_no_session(self, store: ContextStore) -> None:
        store.append("s", [])
        assert store.sessions() == []

    def test_an_unknown_session_is_empty(self, store: ContextStore) -> None:
        assert store.load("nobody") == []
        store.delete("nobody")

    def test_what_is_here_already_is_passed_over(self, store: ContextStore) -> None:
        store.append("s", [event(1), event(2)])
        store.append("s", [event(2)])
        store.append("s", [event(1), event(2), event(3)])
        assert [item.seq for item in store.load("s")] == [1, 2, 3]

    def test_another_event_of_the_same_number_is_refused_with_its_whole_batch(self, store: ContextStore) -> None:
        store.append("s", [event(1), event(2, text="mine")])
        with pytest.raises(StoreError) as caught:
            store.append("s", [event(3), event(2, text="theirs")])
        assert caught.value.kind == "busy"
        assert [item.data for item in store.load("s")] == [{}, {"text": "mine"}]

    def test_sessions_are_listed_newest_first_and_by_root(self, store: ContextStore) -> None:
        store.append("old", [started("old", "/a", "2026-01-01T00:00:00.000000Z"), asked(2, "old", "  first\n prompt ")])
        store.append("new", [started("new", "/b", "2026-01-02T00:00:00.000000Z")])
        store.append("old", [asked(3, "old", "second"), event(4, "old", time="2026-01-03T00:00:00.000000Z")])
        newest, oldest = store.sessions()
        assert (newest.id, newest.root, newest.events, newest.title) == ("new", "/b", 1, "")
        assert (oldest.id, oldest.root, oldest.events, oldest.title) == ("old", "/a", 4, "first prompt")
        assert (oldest.started, oldest.updated) == ("2026-01-01T00:00:00.000000Z", "2026-01-03T00:00:00.000000Z")
        assert [info.id for info in store.sessions("/a")] == ["old"]
        assert store.sessions("/c") == []

    def test_a_long_title_is_cut(self, store: ContextStore) -> None:
        store.append("s", [asked(1, "s", "word " * 1000)])
        (info,) = store.sessions()
        assert len(info.title) == 100
        assert info.title.endswith("…")

    def test_deleting_removes_events_and_blobs_of_that_session_only(self, store: ContextStore) -> None:
        store.append("s", [event(1)])
        store.append("other", [event(1, "other")])
        mine, theirs = store.put_blob("s", b"mine"), store.put_blob("other", b"theirs")
        store.delete("s")
        assert store.load("s") == []
        assert [info.id for info in store.sessions()] == ["other"]
        with pytest.raises(StoreError) as caught:
            store.get_blob("s", mine)
        assert caught.value.kind == "missing"
        assert store.get_blob("other", theirs) == b"theirs"

    def test_a_deleted_session_can_begin_again(self, store: ContextStore) -> None:
        store.append("s", [event(1, text="before"), event(2)])
        store.delete("s")
        store.append("s", [event(1, text="after")])
        assert [item.data for item in store.load("s")] == [{"text": "after"}]

    def test_blobs_are_bytes_by_content(self, store: ContextStore) -> None:
        data = bytes(range(256)) * 100
        ref = store.put_blob("s", data)
        assert store.put_blob("s", data) == ref
        assert store.put_blob("s", b"") != ref
        assert store.get_blob("s", ref) == data

    def test_sync_returns_with_and_without_something_to_do(self, store: ContextStore) -> None:
        async def go() -> None:
            await store.sync()
            store.append("s", [event(1)])
            store.put_blob("s", b"bytes")
            await store.sync()
            await store.sync()
            store.append("s", [event(2)])
            await asyncio.gather(store.sync(), store.sync())

        asyncio.run(go())
        assert len(store.load("s")) == 2

    def test_threads_may_share_a_store(self, store: ContextStore) -> None:
        def write(session: str) -> None:
            for seq in range(1, 51):
                store.append(session, [event(seq, session)])

        threads = [threading.Thread(target=write, args=(f"s{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number in range(4):
            assert [item.seq for item in store.load(f"s{number}")] == list(range(1, 51))

    def test_closing_twice_is_fine(self, store: ContextStore) -> None:
        store.append("s", [event(1)])
        store.close()
        store.close()

    # The fixture may be shared because every example has a session of its own, the test because stores don't matter.
    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(text=st.text(st.characters(exclude_categories=())))
    def test_any_text_comes_back(self, store: ContextStore, text: str) -> None:
        session = new_id()
        kept = [started(session, text), event(2, session, text=text, inner={text: [text]})]
        store.append(session, kept)
        loaded = store.load(session)
        assert [item.data for item in loaded] == [item.data for item in kept]
        assert "\n" not in loaded[1].line
        assert session in [info.id for info in store.sessions(text)]
