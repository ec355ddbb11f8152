from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import inarch_plugins.sqlite_store
from inarch import PluginContext, StoreError
from inarch.testing import KeptStoreContract
from inarch_plugins.sqlite_store.database import connect
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, seqs, started


class TestSqliteStore(KeptStoreContract):
    opener = "inarch_plugins.sqlite_store.store:SqliteStore"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[[], SqliteStore]]:
    stores: list[SqliteStore] = []

    def open_store() -> SqliteStore:
        stores.append(SqliteStore(str(folder)))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "sessions.db")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def test_the_hook_gives_a_store_that_opens_a_folder(folder: Path) -> None:
    (spec,) = inarch_plugins.sqlite_store.inarch_stores(PluginContext("sqlite-store", "."))
    assert spec.name == "sqlite-store"
    store = spec.open(str(folder))
    store.append("s", [event(1)])
    store.close()
    assert (folder / "sessions.db").exists()


def test_a_closed_store_says_so(opened: Callable[[], SqliteStore]) -> None:
    store = opened()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append("s", [event(1)])


def test_a_readable_database_is_made_private(opened: Callable[[], SqliteStore], folder: Path) -> None:
    opened().close()
    (folder / "sessions.db").chmod(0o644)
    opened()
    assert stat.S_IMODE((folder / "sessions.db").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET line = replace(line, 'event 2', 'event 9') WHERE id & 0xFFFFFFFF = 2",
        "UPDATE events SET sum = sum + 1 WHERE id & 0xFFFFFFFF = 2",
        "UPDATE events SET line = x'FFFE00' WHERE id & 0xFFFFFFFF = 2",
        "UPDATE events SET line = '' WHERE id & 0xFFFFFFFF = 2",
        "UPDATE events SET line = 7 WHERE id & 0xFFFFFFFF = 2",
    ],
)
def test_a_damaged_row_costs_that_row_and_is_reported(
    opened: Callable[[], SqliteStore], folder: Path, damage: str
) -> None:
    opened().append("s", [event(seq, text=f"event {seq}") for seq in (1, 2, 3)])
    change(folder, damage)
    store = opened()
    assert seqs(store) == [1, 3]
    assert store.damage == ["event 2 of session s is damaged and was left out"]


def test_a_row_that_says_it_is_another_event_is_left_out(opened: Callable[[], SqliteStore], folder: Path) -> None:
    opened().append("s", [event(1), event(2)])
    change(folder, "UPDATE events SET id = id + 5 WHERE id & 0xFFFFFFFF = 2")
    store = opened()
    assert seqs(store) == [1]
    assert store.damage


def test_a_damaged_last_row_does_not_stop_the_session(opened: Callable[[], SqliteStore], folder: Path) -> None:
    opened().append("s", [event(1), event(2)])
    change(folder, "UPDATE events SET sum = 0 WHERE id & 0xFFFFFFFF = 2")
    store = opened()
    assert seqs(store) == [1]
    store.append("s", [event(2, text="again")])
    assert [item.data for item in store.load("s")] == [{}, {"text": "again"}]


def test_deleted_text_is_gone_from_the_files(opened: Callable[[], SqliteStore], folder: Path) -> None:
    store = opened()
    store.append("s", [event(seq, text=f"very private {seq} " * 50) for seq in range(1, 200)])
    store.append("t", [event(1, "t", text="kept")])
    store.delete("s")
    store.close()
    assert seqs(opened(), "t") == [1]
    for path in folder.rglob("*"):
        assert path.is_dir() or b"very private" not in path.read_bytes(), path


def test_a_file_of_a_newer_version_is_refused_untouched(opened: Callable[[], SqliteStore], folder: Path) -> None:
    opened().append("s", [event(1)])
    change(folder, "PRAGMA user_version=99")
    with pytest.raises(StoreError, match="newer Inarch") as caught:
        opened()
    assert caught.value.kind == "read_only"
    change(folder, "PRAGMA user_version=3")
    assert seqs(opened()) == [1]


def test_a_file_that_is_no_database_is_set_aside(opened: Callable[[], SqliteStore], folder: Path) -> None:
    folder.mkdir()
    (folder / "sessions.db").write_bytes(b"this was never a database\n" * 500)
    store = opened()
    store.append("s", [event(1)])
    assert seqs(store) == [1]
    assert (folder / "sessions.db.damaged-1").read_bytes().startswith(b"this was never")
    assert "0 events were saved" in store.damage[0] and "inarch sessions restore" in store.damage[0]


def test_a_truncated_database_is_set_aside_and_what_can_be_read_is_saved(
    opened: Callable[[], SqliteStore], folder: Path
) -> None:
    store = opened()
    store.append("early", [started("early", "/root"), *(event(seq, "early", text="x" * 500) for seq in range(2, 100))])
    store.append("late", [event(seq, "late", text="x" * 500) for seq in range(1, 400)])
    store.close()
    file = folder / "sessions.db"
    with file.open("r+b") as data:
        data.truncate(file.stat().st_size // 2 // 4096 * 4096)
    again = opened()
    saved = seqs(again, "early")
    assert saved == list(range(1, 100))
    assert [info.root for info in again.sessions() if info.id == "early"] == ["/root"]
    late = seqs(again, "late")
    assert 0 < len(late) < 399
    assert late == list(range(1, len(late) + 1))
    assert (folder / "sessions.db.damaged-1").exists()
    assert "set aside" in again.damage[0] or "damaged" in again.damage[0]
    again.append("late", [event(500, "late")])
    assert seqs(opened(), "late")[-1] == 500


def test_a_broken_page_costs_what_is_on_it(opened: Callable[[], SqliteStore], folder: Path) -> None:
    store = opened()
    store.append("s", [event(seq, text="x" * 700) for seq in range(1, 400)])
    store.close()
    file = folder / "sessions.db"
    with file.open("r+b") as data:
        data.seek(file.stat().st_size // 4096 // 2 * 4096)
        data.write(b"\xff" * 4096)
    again = opened()
    saved = seqs(again)
    assert 300 < len(saved) < 399
    assert saved[0] == 1
    assert saved[-1] == 399
    again.append("s", [event(400)])
    assert seqs(again)[-1] == 400


def test_a_store_opened_twice_notices_that_the_other_one_began_anew(
    opened: Callable[[], SqliteStore], folder: Path
) -> None:
    first = opened()
    first.append("s", [event(seq, text="x" * 700) for seq in range(1, 100)])
    first.close()
    one, two = opened(), opened()
    file = folder / "sessions.db"
    with file.open("r+b") as data:
        data.seek(2 * 4096)
        data.write(b"\xff" * (file.stat().st_size - 2 * 4096))
    one.load("s")
    two.load("s")
    assert len(list(folder.glob("sessions.db.damaged-?"))) == 1
    one.append("t", [event(1, "t")])
    assert seqs(two, "t") == [1]


@pytest.mark.parametrize("session", ["../../outside", "a/b", "..", "", "x" * 300, "naïve"])
def test_no_session_name_leads_out_of_the_folder(opened: Callable[[], SqliteStore], folder: Path, session: str) -> None:
    store = opened()
    ref = store.put_blob(session, b"data")
    assert store.get_blob(session, ref) == b"data"
    assert [path.name for path in folder.rglob(ref)] == [ref]
    store.delete(session)
    assert list(folder.rglob(ref)) == []


def test_the_log_can_be_read_with_any_sqlite(opened: Callable[[], SqliteStore], folder: Path) -> None:
    opened().append("s", [event(1, text="hello")])
    connection = sqlite3.connect(folder / "sessions.db")
    rows = connection.execute("SELECT session_id, seq, json_extract(line, '$.data.text') FROM log").fetchall()
    connection.close()
    assert rows == [("s", 1, "hello")]


def test_a_locked_database_is_busy_not_waited_for(opened: Callable[[], SqliteStore], folder: Path) -> None:
    store = opened()
    store.append("s", [event(1)])
    holder = sqlite3.connect(folder / "sessions.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        store.append("s", [event(2)])
    assert caught.value.kind == "busy"
    assert seqs(store) == [1]
    holder.execute("ROLLBACK")
    holder.close()
    store.append("s", [event(2)])
    assert seqs(store) == [1, 2]


def test_threads_that_make_the_same_database_all_open_it(folder: Path) -> None:
    for number in range(30):
        start = threading.Barrier(6)

        def make(place: Path = folder / str(number), start: threading.Barrier = start) -> None:
            start.wait()
            connect(place).close()

        with ThreadPoolExecutor(6) as threads:
            for made in [threads.submit(make) for _ in range(6)]:
                made.result()
