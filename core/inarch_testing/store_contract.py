"""Contract tests for context stores, to inherit. Running them requires pytest, importing does not.

    from inarch.testing import KeptStoreContract

    class TestMyStore(KeptStoreContract):
        opener = "my_store:MyStore"  # a callable that takes a folder's path

A store without persistence inherits `StoreContract` and opens it in `make`.
"""

from __future__ import annotations

import asyncio
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inarch.contract.capabilities import Forks, KeepsSnapshots, Scans, ScansKinds, able
from inarch.contract.errors import StoreError
from inarch.contract.events import Event
from inarch.contract.stores import ContextStore
from inarch_testing.scripted import NASTY_TEXTS

TIME = "2026-01-01T00:00:00.000000Z"


def event(seq: int, session: str = "s", kind: str = "note", time: str = TIME, **data: Any) -> Event:
    """Create an event."""
    return Event(seq, time, session, "turn", kind, data)


def started(session: str, root: str, time: str = TIME) -> Event:
    """Create the first event of a session in a workspace."""
    return event(1, session, "session.started", time, root=root)


def asked(seq: int, session: str, prompt: str) -> Event:
    """Create the event of a prompt."""
    return event(seq, session, "turn.started", turn={"type": "user", "content": prompt})


def seqs(store: ContextStore, session: str = "s", after: int = 0) -> list[int]:
    """Return the numbers of a session's events."""
    return [item.seq for item in store.load(session, after)]


def lines(store: ContextStore, session: str = "s", after: int = 0) -> list[str]:
    """Return a session's events as their lines."""
    return [item.line for item in store.load(session, after)]


def random_texts(count: int, seed: int = 1) -> list[str]:
    """Return texts of arbitrary characters, lone surrogates included; the same ones every time."""
    chance = random.Random(seed)
    ranges = ((0, 0x20), (0x20, 0x7F), (0x80, 0x2FFF), (0xD800, 0xDFFF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))
    texts = (
        "".join(chr(chance.randint(*chance.choice(ranges))) for _ in range(chance.randint(0, 30))) for _ in range(count)
    )
    return [json.loads(json.dumps(text)) for text in texts]  # JSON joins surrogate pairs


@contextmanager
def refused(*kinds: str) -> Iterator[None]:
    """Expect a `StoreError` of one of these kinds."""
    try:
        yield
    except StoreError as error:
        assert error.kind in kinds, f"{error.kind} is not one of {kinds}: {error}"
        assert error.message
    else:
        raise AssertionError(f"no StoreError of kind {' or '.join(kinds)} was raised")


def at_once(*works: Callable[[], None]) -> None:
    """Run functions in separate threads, and raise the first function's exception."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work) for work in works]:
            running.result()


class StoreContract(ABC):
    """Tests of any store, each with a new, empty one in pytest's `tmp_path`."""

    @abstractmethod
    def make(self, path: str) -> ContextStore:
        """Open the store in a folder that may not exist yet."""

    @contextmanager
    def opened(self, folder: Path) -> Iterator[ContextStore]:
        """Open the store for a while."""
        store = self.make(str(folder / "state" / "inarch"))
        try:
            yield store
        finally:
            store.close()

    def test_events_come_back_in_order_as_they_were(self, tmp_path: Path) -> None:
        """Events appended one by one or in batches are all loaded."""
        events = [
            event(seq, text=f"event {seq}", n=seq / 3, none=None, deep={"a": [1, {"b": True}]}) for seq in range(1, 8)
        ]
        with self.opened(tmp_path) as store:
            store.append("s", events[:3])
            store.append("s", events[3:4])
            store.append("s", events[4:])
            assert list(store.load("s")) == events
            assert lines(store) == [item.line for item in events]

    def test_numbers_rule_the_order(self, tmp_path: Path) -> None:
        """The clock may go back, and a batch may come late."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(3, time="2026-01-01T00:00:00.000000Z"), event(4)])
            store.append("s", [event(1, time="2026-01-02T00:00:00.000000Z"), event(2)])
            assert seqs(store) == [1, 2, 3, 4]

    def test_load_after_a_number_gives_the_rest(self, tmp_path: Path) -> None:
        """`after` is a number, not a count."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(seq) for seq in (1, 2, 3, 7, 8)])
            assert seqs(store, after=0) == seqs(store, after=-1) == [1, 2, 3, 7, 8]
            assert seqs(store, after=3) == seqs(store, after=5) == [7, 8]
            assert seqs(store, after=8) == seqs(store, after=99) == []

    def test_a_store_that_scans_yields_what_it_loads(self, tmp_path: Path) -> None:
        """It starts at any number, and stopping early leaves nothing open."""
        with self.opened(tmp_path) as store:
            scanning = able(store, Scans)
            if scanning is None:
                return
            store.append("s", [event(seq) for seq in range(1, 701) if seq % 50])
            for after in (0, 15, 16, 17, 100, 555, 700):
                assert list(scanning.scan("s", after)) == list(store.load("s", after))
            assert next(iter(scanning.scan("s", 300))).seq == 301
            store.append("s", [event(701)])

    def test_a_store_that_scans_kinds_yields_those_of_what_it_loads(self, tmp_path: Path) -> None:
        """It starts at any number, with any number of other events between; mentions of a kind do not count."""
        with self.opened(tmp_path) as store:
            picking = able(store, ScansKinds)
            if picking is None:
                return
            kinds = ("note", "turn.started", "model.replied")
            store.append("s", [event(seq, kind=kinds[seq % 7 % 3], text='"kind":"note"') for seq in range(1, 901)])
            for wanted in (("note",), ("turn.started", "model.replied"), ("absent",), ()):
                for after in (0, 7, 899, 900):
                    expected = [one for one in store.load("s", after) if one.kind in wanted]
                    assert wanted == () or list(picking.scan_kinds("s", wanted, after)) == expected
            assert list(picking.scan_kinds("absent", ("note",))) == []

    def test_a_store_that_forks_lends_events_and_bytes_for_good(self, tmp_path: Path) -> None:
        """A fork has them as its own, diverges, and keeps them whatever happens to the other session."""
        with self.opened(tmp_path) as store:
            forking = able(store, Forks)
            if forking is None:
                return
            turn = {"type": "user", "content": "the prompt", "session_id": "s"}
            store.append("s", [started("s", "/root"), event(2, kind="turn.started", turn=turn)])
            store.append("s", [event(seq) for seq in range(3, 401)])
            blobs = [store.put_blob("s", b"small"), store.put_blob("s", b"large" * 50_000)]
            store.append("s", [event(401, refs=blobs), event(402, text="later")])
            whole = [started("f", "/root"), *(item.moved("f") for item in store.load("s")[1:401])]
            for source, last in (("nobody", 2), ("s", 403)):
                with refused("missing"):
                    forking.fork(source, started("f", "/root"), last)
            assert [info.id for info in store.sessions()] == ["s"]
            forking.fork("s", whole[0], 401)
            for after in (0, 1, 2, 399, 400, 401):
                assert list(store.load("f", after)) == whole[after:]
            assert {(info.root, info.title, info.events) for info in store.sessions() if info.id == "f"} == {
                ("/root", "the prompt", 401)
            }
            store.append("f", [whole[7], event(402, "f", text="mine")])  # the first one is stored already
            with refused("busy"):
                store.append("f", [event(7, "f", text="another")])
            forking.fork("f", started("g", "/root"), 402)
            store.delete("s")
            store.delete("f")
            assert [item.line for item in store.load("g")][1:] == [
                item.moved("g").line for item in (*whole[1:], event(402, text="mine"))
            ]
            assert [store.get_blob("g", ref) for ref in blobs] == [b"small", b"large" * 50_000]
            assert (seqs(store), seqs(store, "f"), [info.id for info in store.sessions()]) == ([], [], ["g"])
            store.delete("g")
            assert list(store.sessions()) == []

    def test_a_store_that_keeps_snapshots_keeps_them_as_long_as_they_are_true(self, tmp_path: Path) -> None:
        """The last one of a name counts; it is deleted with the session, or by an unknown event."""
        with self.opened(tmp_path) as store:
            keeping = able(store, KeepsSnapshots)
            if keeping is None:
                return
            put, get = keeping.put_snapshot, keeping.get_snapshot
            put("nobody", "state", 1, b"of nothing")
            assert get("nobody", "state") is None
            store.append("s", [event(seq) for seq in (1, 2, 3, 5, 6)])
            put("s", "state", 3, b"three")
            put("s", "state", 6, b"six\0\xff")
            put("s", "other", 3, b"three")
            assert (get("s", "state"), get("s", "other"), get("s", "none")) == ((6, b"six\0\xff"), (3, b"three"), None)
            store.append("s", [event(7), event(8)])
            assert get("s", "state") == (6, b"six\0\xff")
            store.append("s", [event(4), event(9)])  # as restoring does
            assert (get("s", "state"), get("s", "other")) == (None, (3, b"three"))
            store.delete("s")
            store.append("s", [event(1)])
            assert get("s", "other") is None

    def test_appending_nothing_makes_no_session(self, tmp_path: Path) -> None:
        """A session starts with its first event."""
        with self.opened(tmp_path) as store:
            store.append("s", [])
            assert list(store.sessions()) == []

    def test_what_is_here_already_is_passed_over(self, tmp_path: Path) -> None:
        """The journal repeats a batch after an interruption."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1), event(2)])
            store.append("s", [event(2)])
            store.append("s", [event(1), event(2), event(3)])
            assert seqs(store) == [1, 2, 3]

    def test_another_event_of_the_same_number_is_refused_with_its_whole_batch(self, tmp_path: Path) -> None:
        """The batch is stored whole or not at all, and nothing is overwritten."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1), event(2, text="mine")])
            with refused("busy"):
                store.append("s", [event(3), event(2, text="theirs"), event(4)])
            assert [item.data for item in store.load("s")] == [{}, {"text": "mine"}]
            store.append("s", [event(3)])
            assert seqs(store) == [1, 2, 3]

    def test_sessions_are_listed_newest_first_and_by_root(self, tmp_path: Path) -> None:
        """The list has root, times, count of events and the first prompt."""
        with self.opened(tmp_path) as store:
            store.append(
                "old", [started("old", "/a", "2026-01-01T00:00:00.000000Z"), asked(2, "old", "  first\n prompt ")]
            )
            store.append("new", [started("new", "/b", "2026-01-02T00:00:00.000000Z")])
            store.append("old", [asked(3, "old", "second"), event(4, "old", time="2026-01-03T00:00:00.000000Z")])
            newest, oldest = store.sessions()
            assert (newest.id, newest.root, newest.events, newest.title) == ("new", "/b", 1, "")
            assert (oldest.id, oldest.root, oldest.events, oldest.title) == ("old", "/a", 4, "first prompt")
            assert (oldest.started, oldest.updated) == ("2026-01-01T00:00:00.000000Z", "2026-01-03T00:00:00.000000Z")
            assert [info.id for info in store.sessions("/a")] == ["old"]
            assert list(store.sessions("/c")) == []

    def test_deleting_removes_events_and_blobs_of_that_session_only(self, tmp_path: Path) -> None:
        """Other sessions stay."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1)])
            store.append("other", [event(1, "other")])
            mine, theirs = store.put_blob("s", b"same"), store.put_blob("other", b"same")
            store.delete("s")
            assert list(store.load("s")) == []
            assert [info.id for info in store.sessions()] == ["other"]
            with refused("missing"):
                store.get_blob("s", mine)
            assert store.get_blob("other", theirs) == b"same"

    def test_a_deleted_session_can_begin_again(self, tmp_path: Path) -> None:
        """Nothing of the old session comes back."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1, text="before"), event(2)])
            store.delete("s")
            store.append("s", [event(1, text="after")])
            assert [item.data for item in store.load("s")] == [{"text": "after"}]

    def test_a_deleted_session_takes_nothing_more(self, tmp_path: Path) -> None:
        """Otherwise a running turn would restore part of it, and bytes that stay forever."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1), event(2)])
            store.append("s", [event(3)])
            store.delete("s")
            for _ in range(2):
                for events in ([event(4)], [event(4), event(5)]):
                    with refused("missing"):
                        store.append("s", events)
                for data in (b"small", b"large" * 50_000):
                    with refused("missing"):
                        store.put_blob("s", data)
            assert (list(store.sessions()), list(store.load("s"))) == ([], [])

    def test_blobs_are_bytes_by_content(self, tmp_path: Path) -> None:
        """The same bytes have the same reference; empty and large ones are fine."""
        with self.opened(tmp_path) as store:
            for data in (bytes(range(256)) * 100, b"", b"\n", b"x" * 5_000_000):
                ref = store.put_blob("s", data)
                assert store.put_blob("s", data) == ref
                is_same = store.get_blob("s", ref) == data  # a diff of millions of bytes would take minutes
                assert is_same, f"{len(data)} bytes did not come back unchanged"
            assert store.put_blob("s", b"a") != store.put_blob("s", b"b")

    def test_a_blob_that_is_not_there_is_missing(self, tmp_path: Path) -> None:
        """A reference is not a path, and belongs to its session."""
        with self.opened(tmp_path) as store:
            ref = store.put_blob("s", b"data")
            for session, wrong in (("t", ref), ("s", "0" * len(ref)), ("s", "../s"), ("s", ""), ("s", ".")):
                with refused("missing"):
                    store.get_blob(session, wrong)

    def test_any_text_comes_back(self, tmp_path: Path) -> None:
        """Data, keys, roots and prompts contain every character, lone surrogates included."""
        with self.opened(tmp_path) as store:
            for number, text in enumerate([*NASTY_TEXTS, *random_texts(100)]):
                session = f"s{number}"
                kept = [
                    started(session, text),
                    asked(2, session, text),
                    event(3, session, text=text, inner={text: [text]}),
                ]
                store.append(session, kept)
                loaded = store.load(session)
                assert [item.data for item in loaded] == [item.data for item in kept]
                assert "\n" not in loaded[2].line
                assert session in [info.id for info in store.sessions(text)]

    def test_any_session_id_is_a_name_and_no_path(self, tmp_path: Path) -> None:
        """Events and blobs of any id are separate and stay in the folder."""
        ids = [
            "../../outside",
            "/outside",
            "a/b",
            "a\\b",
            "..",
            ".",
            "",
            "x" * 300,
            "naïve",
            "A",
            "a",
            "con",
            "s.jsonl",
            "\0",
        ]
        with self.opened(tmp_path) as store:
            refs = {}
            for session in ids:
                store.append(session, [event(1, session, mine=session)])
                refs[session] = store.put_blob(session, session.encode())
            for session in ids:
                assert [item.data for item in store.load(session)] == [{"mine": session}]
                assert store.get_blob(session, refs[session]) == session.encode()
            assert sorted(info.id for info in store.sessions()) == sorted(ids)
            assert [path.name for path in tmp_path.iterdir()] in (["state"], [])

    def test_sync_returns_with_and_without_something_to_do(self, tmp_path: Path) -> None:
        """Also twice, and several times at once."""
        with self.opened(tmp_path) as store:

            async def go() -> None:
                await store.sync()
                store.append("s", [event(1)])
                store.put_blob("s", b"bytes")
                await store.sync()
                await store.sync()
                store.append("s", [event(2)])
                await asyncio.gather(store.sync(), store.sync())

            asyncio.run(go())
            assert seqs(store) == [1, 2]

    def test_threads_may_share_a_store(self, tmp_path: Path) -> None:
        """Threads write separate sessions and a shared one; readers see whole batches."""
        with self.opened(tmp_path) as store:

            def write(session: str, numbers: Sequence[int]) -> None:
                for seq in numbers:
                    store.append(session, [event(seq, session), event(seq + 1, session)])
                    store.put_blob(session, b"%d" % seq)

            def read() -> None:
                for _ in range(30):
                    assert len(store.load("a")) % 2 == 0
                    store.sessions()

            at_once(
                lambda: write("a", range(1, 60, 2)),
                lambda: write("b", range(1, 60, 2)),
                lambda: write("both", range(1, 60, 4)),
                lambda: write("both", range(3, 60, 4)),
                read,
            )
            assert all(seqs(store, session) == list(range(1, 61)) for session in ("a", "b", "both"))

    def test_closing_twice_is_fine(self, tmp_path: Path) -> None:
        """An application always closes it."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1)])
            store.close()
            store.close()
