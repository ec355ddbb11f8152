"""Blobs: small ones as rows that the log's sync brings to disk, big ones as files, and both as they were or told."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inarch import StoreError
from inarch_plugins.sqlite_store.store import SMALL_BLOB, SqliteStore
from inarch_testing.store_contract import event, seqs, started

BIG = b"b" * (SMALL_BLOB + 1)
Opened = Callable[[], SqliteStore]


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    stores: list[SqliteStore] = []

    def open_store() -> SqliteStore:
        stores.append(SqliteStore(str(folder)))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def change(folder: Path, *statement: Any) -> list[Any]:
    with closing(sqlite3.connect(folder / "sessions.db")) as connection, connection:
        return connection.execute(*statement).fetchall()


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / "blobs").rglob("*") if path.is_file()]


def test_small_ones_are_rows_and_big_ones_files(opened: Opened, folder: Path) -> None:
    store = opened()
    store.append("s", [event(1)])
    refs = [store.put_blob("s", data) for data in (b"", b"small", b"x" * SMALL_BLOB, BIG, b"small", BIG)]
    assert change(folder, "SELECT count(*) FROM blobs") == [(3,)]
    assert [path.name for path in files(folder)] == [refs[3]]
    again = opened()
    assert [again.get_blob("s", ref) for ref in refs[:4]] == [b"", b"small", b"x" * SMALL_BLOB, BIG]
    store.delete("s")
    assert change(folder, "SELECT count(*) FROM blobs") == [(0,)]
    assert files(folder) == []
    for ref in refs:
        with pytest.raises(StoreError) as caught:
            again.get_blob("s", ref)
        assert caught.value.kind == "missing"


def test_before_the_first_event_and_while_the_database_is_locked_they_are_files(opened: Opened, folder: Path) -> None:
    store = opened()
    early = store.put_blob("s", b"early")
    store.append("s", [event(1)])
    with closing(sqlite3.connect(folder / "sessions.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        late = store.put_blob("s", b"late")
    assert {path.name for path in files(folder)} == {early, late}
    again = opened()
    assert (again.get_blob("s", early), again.get_blob("s", late)) == (b"early", b"late")


def test_a_damaged_file_is_reported(opened: Opened, folder: Path) -> None:
    store = opened()
    ref = store.put_blob("s", BIG)
    (folder / "blobs" / "s" / ref).write_bytes(b"after")
    with pytest.raises(StoreError) as caught:
        store.get_blob("s", ref)
    assert caught.value.kind == "damaged"


@pytest.mark.parametrize("damage", ["x'00'", "'text'", "7", "zeroblob(5)"])
def test_a_damaged_row_is_reported_and_mended_by_the_same_bytes(opened: Opened, folder: Path, damage: str) -> None:
    store = opened()
    store.append("s", [event(1)])
    ref, other = store.put_blob("s", b"bytes"), store.put_blob("s", b"other")
    change(folder, f"UPDATE blobs SET data = {damage} WHERE data = ?", (b"bytes",))
    with pytest.raises(StoreError) as caught:
        store.get_blob("s", ref)
    assert caught.value.kind == "damaged"
    assert store.get_blob("s", other) == b"other"
    assert store.put_blob("s", b"bytes") == ref
    assert store.get_blob("s", ref) == b"bytes"


def old_schema(folder: Path) -> None:
    """Make a database what version 1 made: without the table of blobs."""
    change(folder, "DROP TABLE blobs")
    change(folder, "DROP TABLE borrowed")
    change(folder, "DROP VIEW log")
    change(folder, "PRAGMA user_version=1")


def test_a_database_of_the_first_version_is_taken_over_with_its_files(opened: Opened, folder: Path) -> None:
    store = opened()
    old = store.put_blob("s", b"old")  # a file, for there is no session yet
    store.append("s", [started("s", "/root"), event(2)])
    store.close()
    old_schema(folder)
    one, two = opened(), opened()
    assert change(folder, "PRAGMA user_version") == [(3,)]
    assert seqs(one) == [1, 2]
    new = two.put_blob("s", b"new")
    assert two.put_blob("s", b"old") == old
    for store in (one, two):
        assert (store.get_blob("s", old), store.get_blob("s", new)) == (b"old", b"new")
    one.delete("s")
    assert files(folder) == []
    assert one.damage == two.damage == []


def test_what_can_be_read_of_a_broken_database_is_saved(opened: Opened, folder: Path) -> None:
    store = opened()
    store.append("gone", [event(1, "gone")])
    store.append("s", [started("s", "/root"), *(event(seq, text="x" * 700) for seq in range(2, 100))])
    store.delete("gone")
    kept = {store.put_blob("s", data): data for data in (b"%d" % number * 300 for number in range(100))}
    store.close()
    file = folder / "sessions.db"
    size = file.stat().st_size
    with file.open("r+b") as data:
        data.seek(size // 4096 // 4 * 4096)  # among the events, which come first
        data.write(b"\xff" * 4096)
    again = opened()
    assert len(seqs(again)) > 60
    assert again.damage
    assert {ref: again.get_blob("s", ref) for ref in kept} == kept
