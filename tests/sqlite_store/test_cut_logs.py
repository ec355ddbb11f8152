"""The write-ahead log cut anywhere, rows damaged anywhere, and a database without its head: what is whole is there."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from attrs import define

from inarch import Event
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, seqs, started

HEADER, FRAME_HEADER = 32, 24


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@define
class Written:
    """A state folder as it stood while a process wrote, with the length of the log after each append."""

    folder: Path
    events: list[Event]
    lengths: list[int]

    @property
    def log(self) -> bytes:
        return Path(self.folder, "sessions.db-wal").read_bytes()

    def whole(self, cut: int) -> int:
        """Return how many appends had been committed when the log was `cut` bytes long."""
        return sum(length <= cut for length in self.lengths)

    def check(self, folder: Path, log: bytes) -> None:
        """Open a copy with this log: exactly the appends that are whole in it are there, and more can follow."""
        folder.mkdir()
        shutil.copy(self.folder / "sessions.db", folder)
        (folder / "sessions.db-wal").write_bytes(log)
        store = SqliteStore(str(folder))
        try:
            count = self.whole(len(log))
            assert [item.line for item in store.load("s")] == [item.line for item in self.events[:count]]
            store.append("s", [event(count + 1, text="more")])
            assert seqs(store) == list(range(1, count + 2))
            assert store.damage == []
        finally:
            store.close()
        if len(log) in self.lengths:
            again = SqliteStore(str(folder))
            assert seqs(again) == list(range(1, count + 2))
            again.close()
        shutil.rmtree(folder)


def written(folder: Path, events: list[Event]) -> Written:
    """Append events one by one and copy the files while the database is open, as kill -9 and power loss leave them."""
    live, copy = folder / "live", folder / "copy"
    store = SqliteStore(str(live))
    store.append("s", events[:1])
    connection = sqlite3.connect(live / "sessions.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    log = live / "sessions.db-wal"
    lengths = [0]
    for item in events[1:]:
        store.append("s", [item])
        lengths.append(log.stat().st_size)
    copy.mkdir()
    for name in ("sessions.db", "sessions.db-wal"):
        shutil.copy(live / name, copy)
    store.close()
    return Written(copy, events, lengths)


def test_a_small_log_cut_at_every_byte(tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    connection = sqlite3.connect(tmp_path / "live" / "sessions.db")
    connection.executescript("PRAGMA page_size=512; VACUUM")
    connection.close()
    small = written(tmp_path, [started("s", "/root"), event(2, text="two"), event(3, text="three")])
    log = small.log
    assert HEADER + 2 * FRAME_HEADER < len(log) < 5000
    for cut in range(len(log) + 1):
        small.check(tmp_path / f"cut-{cut}", log[:cut])
