"""What a broken write-ahead log loses is told; a store that can't be written can still be read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import StoreError
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, seqs

HEADER, FRAME = 32, 24 + 4096
EVENTS = 30


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store as a process leaves it that is killed after thirty events: all of them are only in the log."""
    folder = tmp_path_factory.mktemp("killed")
    program = (
        "import os, signal, sys\n"
        "from inarch_testing.store_contract import event\n"
        "from inarch_plugins.sqlite_store.store import SqliteStore\n"
        "store = SqliteStore(sys.argv[1])\n"
        f"for seq in range(1, {EVENTS + 1}):\n"
        "    store.append('s', [event(seq, text='x' * 500)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder)], check=False)
    assert (folder / "sessions.db-wal").stat().st_size > EVENTS * 4096
    return folder


def copy(folder: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    return place


def test_a_log_that_is_whole_says_nothing(killed: Path, tmp_path: Path) -> None:
    store = SqliteStore(str(copy(killed, tmp_path / "a")))
    assert seqs(store) == [*range(1, EVENTS + 1)]
    assert store.damage == [] and store.set_aside == ()
    store.close()


@settings(max_examples=25)
@given(frame=st.integers(0, EVENTS - 1), place=st.integers(0, FRAME - 1), bit=st.integers(0, 7))
def test_whatever_page_is_broken_no_event_is_lost_in_silence(
    killed: Path, tmp_path_factory: pytest.TempPathFactory, frame: int, place: int, bit: int
) -> None:
    folder = copy(killed, tmp_path_factory.getbasetemp() / "broken")
    wal = folder / "sessions.db-wal"
    data = bytearray(wal.read_bytes())
    data[HEADER + frame * FRAME + place] ^= 1 << bit
    wal.write_bytes(data)
    store = SqliteStore(str(folder))
    found = seqs(store)
    store.close()
    if found != [*range(1, EVENTS + 1)] and data[HEADER + (frame + 1) * FRAME :]:
        (sentence, *_) = store.damage
        assert "behind a broken page of its log" in sentence and "inarch sessions restore" in sentence
        assert (folder / "sessions.db-wal.damaged-1").read_bytes() == data
        again = SqliteStore(str(folder))
        assert again.damage == [], "it is told once"
        assert again.set_aside == (folder / "sessions.db-wal.damaged-1",)
        again.close()


def test_a_broken_head_of_the_log_is_reported(killed: Path, tmp_path: Path) -> None:
    folder = copy(killed, tmp_path / "a")
    wal = folder / "sessions.db-wal"
    wal.write_bytes(b"\0" * HEADER + wal.read_bytes()[HEADER:])
    store = SqliteStore(str(folder))
    assert "behind a broken page of its log" in store.damage[0]
    store.close()


@pytest.mark.parametrize("bytes_left", [FRAME - 1, FRAME // 2, 24, 1])
def test_a_write_that_a_kill_cut_is_not_a_loss(killed: Path, tmp_path: Path, bytes_left: int) -> None:
    folder = copy(killed, tmp_path / "a")
    wal = folder / "sessions.db-wal"
    data = wal.read_bytes()
    wal.write_bytes(data + data[HEADER : HEADER + bytes_left])
    store = SqliteStore(str(folder))
    assert len(seqs(store)) == EVENTS and store.damage == []
    store.close()


def test_a_second_process_that_writes_is_not_a_loss(tmp_path: Path) -> None:
    one = SqliteStore(str(tmp_path))
    for seq in range(1, 60):
        one.append("s", [event(seq)])
        two = SqliteStore(str(tmp_path))
        assert two.damage == []
        two.close()
    one.close()


@pytest.fixture
def unwritable(killed: Path, tmp_path: Path, permissions_count: None) -> Iterator[Path]:
    folder = copy(killed, tmp_path / "state")
    (folder / "sessions.db-shm").unlink(missing_ok=True)
    folder.chmod(0o500)
    for file in folder.iterdir():
        file.chmod(0o400)
    yield folder
    folder.chmod(0o700)


def test_a_store_that_can_not_be_written_is_read_with_what_is_only_in_its_log(unwritable: Path) -> None:
    before = sorted((file.name, file.read_bytes()) for file in unwritable.iterdir())
    store = SqliteStore(str(unwritable))
    assert seqs(store) == [*range(1, EVENTS + 1)]
    assert [info.id for info in store.sessions()] == ["s"]
    assert "sessions can only be read" in store.damage[0]
    for write in (
        lambda: store.append("s", [event(EVENTS + 1)]),
        lambda: store.delete("s"),
        lambda: store.put_blob("s", b"bytes"),
    ):
        with pytest.raises(StoreError):
            write()
    store.close()
    assert sorted((file.name, file.read_bytes()) for file in unwritable.iterdir()) == before


def test_a_store_on_a_full_disk_is_listed(killed: Path, tmp_path: Path) -> None:
    """Where nothing can be written any more: a file that SQLite needs beside the database can't even be made."""
    folder = copy(killed, tmp_path / "a")
    SqliteStore(str(folder)).close()
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from inarch_plugins.sqlite_store.store import SqliteStore\n"
        "store = SqliteStore(sys.argv[1])\n"
        "print(len(store.sessions()), len(store.load('s')), store.only_read.kind)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True)
    assert done.stdout.split() == ["1", str(EVENTS), "full"], done.stderr


def test_a_database_of_another_version_is_not_read_where_it_can_not_be_brought_up(
    killed: Path, tmp_path: Path, permissions_count: None
) -> None:
    folder = copy(killed, tmp_path / "a")
    SqliteStore(str(folder)).close()
    with sqlite3.connect(folder / "sessions.db") as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    for name in os.listdir(folder):
        (folder / name).chmod(0o400)
    folder.chmod(0o500)
    with pytest.raises(StoreError):
        SqliteStore(str(folder))
    folder.chmod(0o700)
