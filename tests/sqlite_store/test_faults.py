"""Faults that need a process of their own: killed, without room, without rights, two at once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import StoreError
from inarch_sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, seqs

PRELUDE = """
import asyncio, os, resource, signal, sys
from inarch import Event, StoreError
from inarch_sqlite_store.store import SqliteStore

def event(seq, session="s", **data):
    return Event(seq, "2026-01-01T00:00:00.000000Z", session, "turn", "note", data)

folder = sys.argv[1]
"""


def child(code: str, folder: Path, **options: object) -> subprocess.Popen[str]:
    program = PRELUDE + textwrap.dedent(code)
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True, **options
    )


def output(code: str, folder: Path) -> str:
    process = child(code, folder)
    said, _ = process.communicate()
    assert process.returncode == 0
    return said


def test_a_full_disk_is_told_and_recording_resumes_when_there_is_room(tmp_path: Path) -> None:
    said = output(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = SqliteStore(folder)
        store.append("s", [event(1)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
        seq = 1
        while True:
            try:
                store.append("s", [event(seq + 1, text="x" * 5000)])
                seq += 1
            except StoreError as error:
                print(error.kind, "--no-journal" in error.remedy)
                break
        print(seq == len(store.load("s")))
        try:
            store.put_blob("s", b"x" * 400_000)
        except StoreError as error:
            print(error.kind)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        store.append("s", [event(seq + 1, text="x" * 5000)])
        asyncio.run(store.sync())
        print([item.seq for item in store.load("s")] == list(range(1, seq + 2)), store.damage)
        """,
        tmp_path,
    )
    assert said.splitlines() == ["full True", "True", "full", "True []"]
    store = SqliteStore(str(tmp_path))
    assert len(seqs(store)) > 10
    assert not list((tmp_path / "blobs").rglob(".*"))
    store.close()


def test_no_room_to_begin_is_told(tmp_path: Path) -> None:
    said = output(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            SqliteStore(folder)
        except StoreError as error:
            print(error.kind, "--no-journal" in error.remedy)
        """,
        tmp_path,
    )
    assert said.split() == ["full", "True"]


def test_a_folder_without_rights_is_told(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    said = output(
        """
        if os.geteuid() == 0:  # root may write anywhere
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            SqliteStore(folder + "/state")
        except StoreError as error:
            print(error.kind, "--no-journal" in error.remedy)
        """,
        closed,
    )
    assert said.split() == ["permission", "True"]


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for path in ("file", "file/below"):
        with pytest.raises(StoreError) as caught:
            SqliteStore(str(tmp_path / path))
        assert caught.value.kind == "permission"


def test_the_second_process_on_a_session_is_told(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    store.append("s", [event(1)])
    said = output(
        """
        store = SqliteStore(folder)
        store.append("s", [event(2, by="the other")])
        print("kept")
        """,
        tmp_path,
    )
    assert said == "kept\n"
    with pytest.raises(StoreError, match="another process") as caught:
        store.append("s", [event(2, by="me")])
    assert caught.value.kind == "busy"
    assert [item.data for item in store.load("s")] == [{}, {"by": "the other"}]
    store.close()


class Whole:
    """A database with forty events, to be opened in broken copies."""

    def __init__(self, make_folder: Callable[[str], Path]) -> None:
        self.make_folder = make_folder
        folder = make_folder("whole")
        store = SqliteStore(str(folder))
        events = [event(seq, text=f"{seq} " * 150) for seq in range(1, 41)]
        store.append("s", events)
        store.close()
        self.data = (folder / "sessions.db").read_bytes()
        self.lines = {item.seq: item.line for item in events}

    def opened(self, data: bytes) -> SqliteStore:
        folder = self.make_folder("copy")
        (folder / "sessions.db").write_bytes(data)
        return SqliteStore(str(folder))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return Whole(tmp_path_factory.mktemp)


@given(place=st.integers(0, 1_000_000), junk=st.binary(min_size=1, max_size=300))
def test_no_damage_brings_back_a_changed_event_or_stops_the_work(whole: Whole, place: int, junk: bytes) -> None:
    broken = bytearray(whole.data)
    where = place % len(broken)
    broken[where : where + len(junk)] = junk
    try:
        store = whole.opened(bytes(broken[: len(whole.data)]))
    except StoreError as error:
        assert error.kind == "read_only"  # the version is what was hit
        return
    try:
        for item in store.load("s"):
            assert item.line == whole.lines[item.seq]
        store.append("s", [event(1000)])
        store.append("new", [event(1, "new")])
        assert seqs(store)[-1] == 1000
        assert seqs(store) == sorted(seqs(store))
    finally:
        store.close()
