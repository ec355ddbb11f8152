"""Faults that need a process of their own: killed, without room, without rights, two at once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from inarch import StoreError
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_testing.store_contract import seqs

PRELUDE = """
import asyncio, os, resource, signal, sys
from inarch import Event, StoreError
from inarch_plugins.sqlite_store.store import SqliteStore

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


def test_a_full_disk_is_reported_and_recording_resumes_when_there_is_room(tmp_path: Path) -> None:
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


def test_no_room_to_begin_is_reported(tmp_path: Path) -> None:
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


def test_a_folder_without_rights_is_reported(tmp_path: Path) -> None:
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


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for path in ("file", "file/below"):
        with pytest.raises(StoreError) as caught:
            SqliteStore(str(tmp_path / path))
        assert caught.value.kind == "permission"
