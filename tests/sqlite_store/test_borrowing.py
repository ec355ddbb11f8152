"""Forks in the store: no event is copied, and none is lost whatever becomes of the session they are from."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, lines, seqs, started

from .test_blobs import change


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store in the test's folder."""
    opened = SqliteStore(str(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def forked(store: SqliteStore) -> tuple[SqliteStore, list[str]]:
    """A store with a session of 300 events and a fork of its first 250; the lines of the fork."""
    store.append("s", [started("s", "/root"), *(event(seq, text=f"event {seq}") for seq in range(2, 301))])
    store.fork("s", started("f", "/root"), 250)
    store.append("f", [event(251, "f", text="mine")])
    return store, lines(store, "f")


def rows(folder: Path) -> int:
    return int(change(folder, "SELECT count(*) FROM events")[0][0])


def test_a_fork_writes_one_row_whatever_it_begins_with(forked: tuple[SqliteStore, list[str]], tmp_path: Path) -> None:
    store, _ = forked
    before = rows(tmp_path)
    store.fork("s", started("g", "/root"), 300)
    store.fork("f", started("h", "/root"), 251)
    assert rows(tmp_path) == before + 2
    assert seqs(store, "g") == [*range(1, 301)]
    assert seqs(store, "h") == [*range(1, 252)]


def test_what_no_fork_has_goes_with_the_session_and_the_rest_with_the_last_fork(
    forked: tuple[SqliteStore, list[str]], tmp_path: Path
) -> None:
    store, whole = forked
    store.append("s", [event(301, text="very private " * 50)])
    store.append("s", [event(302, ref=store.put_blob("s", b"private bytes " * 50))])
    big = store.put_blob("s", b"private file" * 9000)
    assert (tmp_path / "blobs" / "s" / big).exists()
    store.delete("s")
    assert lines(store, "f") == whole
    assert not (tmp_path / "blobs" / "s").exists()
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"private" not in path.read_bytes(), path
    store.append("t", [event(1, "t")])
    store.delete("f")
    assert (rows(tmp_path), [info.id for info in store.sessions()]) == (1, ["t"])
    assert change(tmp_path, "SELECT count(*) FROM borrowed") == [(0,)]


def test_files_of_a_deleted_session_stay_as_long_as_a_fork_names_them(store: SqliteStore, tmp_path: Path) -> None:
    store.append("s", [started("s", "/root")])
    named, later = (store.put_blob("s", letter * 100_000) for letter in (b"a", b"b"))
    store.append("s", [event(2, ref=named), event(3, ref=later)])
    store.fork("s", started("f", "/root"), 2)
    store.delete("s")
    assert store.get_blob("f", named) == b"a" * 100_000
    assert [path.name for path in (tmp_path / "blobs" / "s").iterdir()] == [named]
    store.append("s", [started("s", "/root")])  # it was restored from its log
    again = store.put_blob("s", b"c" * 100_000)
    store.delete("f")
    assert store.get_blob("s", again) == b"c" * 100_000


def test_a_damaged_row_that_two_sessions_have_is_mended_for_both(
    forked: tuple[SqliteStore, list[str]], tmp_path: Path
) -> None:
    store, whole = forked
    its_own = lines(store)
    change(tmp_path, "UPDATE events SET sum = 1 WHERE id & 0xFFFFFFFF = 100")
    change(tmp_path, "DELETE FROM events WHERE id & 0xFFFFFFFF = 120")
    assert {*range(1, 252)} - {*seqs(store, "f")} == {100, 120}
    assert store.damage == ["event 100 of session f is damaged and was left out"]
    store.append("f", [event(seq, "f", text=f"event {seq}") for seq in (100, 101, 120)])
    assert (lines(store, "f"), lines(store)) == (whole, its_own)


@pytest.mark.parametrize("lost", ["nothing more", "the table of what is borrowed"])
@pytest.mark.parametrize("deleted", [False, True])
def test_a_fork_is_saved_from_a_broken_database_and_a_deleted_session_is_not(
    forked: tuple[SqliteStore, list[str]], tmp_path: Path, lost: str, deleted: bool
) -> None:
    store, whole = forked
    ref = store.put_blob("s", b"x" * 100_000)
    store.append("s", [event(301)])
    store.fork("f", started("g", "/root"), 251)
    if deleted:
        store.delete("s")
    store.append("f", [event(252, "f", refs=[ref])])
    store.close()
    if lost == "the table of what is borrowed":
        first = '{"forked_from":"s","forked_events":250,"root":"/root"}'
        change(
            tmp_path, "UPDATE events SET line = json_set(line, '$.data', json(?)) WHERE id & 0xFFFFFFFF = 1", (first,)
        )
        fix_sums(tmp_path)
        change(tmp_path, "DROP TABLE borrowed")
    change(tmp_path, "PRAGMA user_version")
    (tmp_path / "sessions.db-wal").unlink(missing_ok=True)
    change(tmp_path, "DROP TABLE sessions")  # which every use of it needs
    again = SqliteStore(str(tmp_path))
    assert {item.seq for item in again.load("f")} == {*range(1, 253)}
    assert lines(again, "f", 1)[:250] == whole[1:]
    assert len(again.load("g")) == 251 or lost == "the table of what is borrowed"
    assert bool(seqs(again)) is not deleted
    again.close()


def fix_sums(folder: Path) -> None:
    from zlib import crc32

    with sqlite3.connect(folder / "sessions.db") as connection:
        for row_id, line in connection.execute("SELECT id, line FROM events").fetchall():
            connection.execute("UPDATE events SET sum = ? WHERE id = ?", (crc32(line.encode()), row_id))
    connection.close()


FORKING = """
import sys
from inarch_testing.store_contract import started
from inarch_plugins.sqlite_store.store import SqliteStore

store, number = SqliteStore(sys.argv[1]), 0
while True:
    number += 1
    store.fork("s", started(f"f{number}", "/root"), 250)
    store.delete(f"f{number - 1}")
    print(number, flush=True)
"""


def test_kill_9_leaves_a_fork_whole_or_none(forked: tuple[SqliteStore, list[str]], tmp_path: Path) -> None:
    store, whole = forked
    for moment in (1, 4, 9):
        child = subprocess.Popen([sys.executable, "-c", FORKING, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        while int(child.stdout.readline()) < moment:
            pass
        child.send_signal(signal.SIGKILL)
        child.communicate()
        there = [info.id for info in store.sessions() if info.id not in "sf"]
        assert 1 <= len(there) <= 2
        for one in there:
            assert seqs(store, one) == [*range(1, 251)]
            store.delete(one)
    assert (lines(store, "f"), len(store.load("s"))) == (whole, 300)


@given(
    st.lists(
        st.tuples(st.sampled_from(["fork", "append", "delete"]), st.integers(0, 5), st.integers(1, 40)), max_size=12
    )
)
def test_whatever_is_forked_and_deleted_each_session_has_its_events(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """Against a model that copies."""
    folder = tmp_path_factory.mktemp("model")
    store, model = SqliteStore(str(folder)), {"s": [started("s", "/root"), *(event(seq) for seq in range(2, 20))]}
    store.append("s", model["s"])
    made = 0
    for what, which, number in steps:
        if not model:
            break
        name = sorted(model)[which % len(model)]
        events = model[name]
        if what == "fork":
            made, last = made + 1, min(number, len(events))
            first = started(f"f{made}", "/root")
            store.fork(name, first, last)
            model[first.session_id] = [first, *(one.moved(first.session_id) for one in events[1:last])]
        elif what == "append":
            new = [event(len(events) + step, name, text=f"{made}") for step in range(1, number % 4 + 1)]
            store.append(name, new)
            events += new
        else:
            store.delete(name)
            del model[name]
    assert {info.id: info.events for info in store.sessions()} == {name: len(events) for name, events in model.items()}
    for name, events in model.items():
        for after in (0, 1, 15, len(events) - 1):
            assert list(store.load(name, after)) == events[after:]
    used = change(folder, "SELECT count(*) FROM events WHERE id & 0xFFFFFFFF > 0")[0][0]
    assert used <= sum(map(len, model.values()))
    assert store.damage == []
    store.close()
