"""Contract tests for persistent context stores: reopening, sharing, kills and damage."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from inarch.contract.errors import StoreError
from inarch.contract.stores import ContextStore
from inarch_testing.store_contract import StoreContract, asked, event, lines, refused, seqs, started

_CHILD = """
import sys
from importlib import import_module
from inarch import Event, StoreError

module, _, name = sys.argv[1].partition(":")
store = getattr(import_module(module), name)(sys.argv[2])

def event(seq, session="s", **data):
    return Event(seq, "2026-01-01T00:00:00.000000Z", session, "turn", "note", data)

def append(session, events):
    while True:
        try:
            return store.append(session, events)
        except StoreError as error:
            if error.kind != "busy":
                raise
"""
_WRITE_UNTIL_KILLED = """
seq = 0
while True:
    append("s", [event(seq + step, text="x" * 300) for step in (1, 2, 3)])
    seq += 3
    print(seq, flush=True)
"""
_WRITE_A_SESSION = """
name = sys.argv[3]
sys.stdin.readline()
for seq in range(1, 101):
    append(name, [event(seq, name)])
print("done")
"""


class KeptStoreContract(StoreContract):
    """Tests of a store on disk. `opener` is `MODULE:NAME` of a callable that opens it at a folder's path."""

    opener: ClassVar[str]

    def make(self, path: str) -> ContextStore:
        """Open the store like the child processes of these tests."""
        from importlib import import_module

        module, _, name = self.opener.partition(":")
        store: ContextStore = getattr(import_module(module), name)(path)
        return store

    def child(self, code: str, folder: Path, *words: str) -> subprocess.Popen[str]:
        """Start a separate process with the store open in `folder`."""
        argv = [sys.executable, "-c", _CHILD + code, self.opener, str(folder), *words]
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.Popen(argv, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def test_a_session_goes_on_where_another_store_left_it(self, tmp_path: Path) -> None:
        """Events, list and blobs outlive the store. Known events are skipped, and different ones are rejected."""
        first = self.make(str(tmp_path))
        first.append("s", [started("s", "/root"), asked(2, "s", "the prompt")])
        ref = first.put_blob("s", b"before")
        first.append("gone", [event(1, "gone")])
        first.delete("gone")
        first.close()
        second = self.make(str(tmp_path))
        assert [(info.id, info.root, info.title, info.events) for info in second.sessions()] == [
            ("s", "/root", "the prompt", 2)
        ]
        second.append("s", [asked(2, "s", "the prompt"), event(3)])
        with refused("busy"):
            second.append("s", [event(3, text="another")])
        assert seqs(second) == [1, 2, 3]
        assert second.get_blob("s", ref) == b"before"
        second.close()

    def test_two_stores_in_one_folder_see_each_other(self, tmp_path: Path) -> None:
        """Changes by one store are visible to the other at once."""
        here, there = self.make(str(tmp_path)), self.make(str(tmp_path))
        here.append("s", [event(1)])
        there.append("s", [event(2)])
        here.append("s", [event(3)])
        assert seqs(here) == seqs(there) == [1, 2, 3]
        with refused("busy"):
            there.append("s", [event(3, text="another")])
        assert there.get_blob("s", here.put_blob("s", b"bytes")) == b"bytes"
        there.delete("s")
        assert seqs(here) == []
        assert list(here.sessions()) == []
        here.close()
        there.close()

    def test_only_the_owner_may_read_anything(self, tmp_path: Path) -> None:
        """A session contains what the user's files contain."""
        with self.opened(tmp_path) as store:
            store.append("s", [event(1)])
            store.put_blob("s", b"before")
            for path in (tmp_path / "state" / "inarch", *(tmp_path / "state" / "inarch").rglob("*")):
                assert os.name != "posix" or path.stat().st_mode & 0o077 == 0, path

    def test_after_kill_9_everything_appended_is_there_and_appending_goes_on(self, tmp_path: Path) -> None:
        """Once `append` has returned, the system has the events; a batch is stored whole or not at all."""
        for number, moment in enumerate((1, 20, 100)):
            folder = tmp_path / str(number)
            process = self.child(_WRITE_UNTIL_KILLED, folder)
            assert process.stdout is not None
            acknowledged = 0
            while acknowledged < 3 * moment:
                acknowledged = int(process.stdout.readline())
            process.kill()
            process.communicate()
            store = self.make(str(folder))
            kept = seqs(store)
            assert len(kept) >= acknowledged
            assert kept == list(range(1, len(kept) + 1))
            assert len(kept) % 3 == 0
            store.append("s", [event(len(kept) + 1)])
            assert seqs(store)[-1] == len(kept) + 1
            store.close()

    def test_processes_may_write_at_once(self, tmp_path: Path) -> None:
        """Each writes its own session in one folder; on `busy` it retries."""
        processes = [self.child(_WRITE_A_SESSION, tmp_path, f"s{number}") for number in range(3)]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.communicate()[0] for process in processes] == ["done\n"] * 3
        store = self.make(str(tmp_path))
        assert all(seqs(store, f"s{number}") == list(range(1, 101)) for number in range(3))
        store.close()

    def test_a_cut_end_costs_the_end_and_appending_goes_on(self, tmp_path: Path) -> None:
        """The tests cut the newest file at any byte."""
        whole = self._whole(tmp_path / "whole")
        for number, cut in enumerate((1, 2, 3, 7, 20, 100, 400, 1000)):
            folder = _copy(tmp_path / "whole", tmp_path / str(number))
            for file in _files(folder):
                with file.open("r+b") as data:
                    data.truncate(max(0, file.stat().st_size - cut))
            self._check(folder, whole)

    def test_damage_never_brings_back_a_changed_event_or_stops_the_work(self, tmp_path: Path) -> None:
        """With zeros and noise anywhere, an event comes back unchanged or not at all, and new ones are stored."""
        whole = self._whole(tmp_path / "whole")
        chance = random.Random(7)
        for number in range(60):
            folder = _copy(tmp_path / "whole", tmp_path / str(number))
            file = chance.choice(_files(folder))
            broken = bytearray(file.read_bytes())
            size = chance.choice((1, 4, 64, 512))
            where = chance.randrange(max(1, len(broken)))
            hole = bytes(size) if number % 2 else chance.randbytes(size)
            broken[where : where + size] = hole
            file.write_bytes(broken[: file.stat().st_size])
            self._check(folder, whole)

    def test_what_another_process_deleted_takes_nothing_more(self, tmp_path: Path) -> None:
        """Processes that continue it, after writing or only reading, are rejected at each try."""
        for number, goes_on in enumerate((True, False)):
            with self.opened(tmp_path) as other, self.opened(tmp_path) as store:
                name = f"s{number}"
                other.append(name, [event(1, name), event(2, name)])
                assert seqs(store, name) == [1, 2]
                if goes_on:
                    store.append(name, [event(3, name)])
                other.delete(name)
                for _ in range(2):
                    with refused("missing"):
                        store.append(name, [event(4, name)])
                    with refused("missing"):
                        store.put_blob(name, b"bytes")
                assert (list(other.sessions()), list(store.sessions())) == ([], [])

    def _whole(self, folder: Path) -> dict[int, str]:
        store = self.make(str(folder))
        events = [event(seq, text=f"{seq} " * 50) for seq in range(1, 31)]
        for item in events:
            store.append("s", [item])
        store.close()
        return {item.seq: item.line for item in events}

    def _check(self, folder: Path, whole: dict[int, str]) -> None:
        try:
            store = self.make(str(folder))
        except StoreError as error:
            assert error.kind in ("damaged", "read_only"), error
            return
        try:
            for item in store.load("s"):
                assert item.line == whole[item.seq]
            store.append("s", [event(1000)])
            store.append("new", [event(1, "new")])
            assert lines(store)[-1] == event(1000).line
            assert seqs(store) == sorted(set(seqs(store)))
            assert seqs(store, "new") == [1]
        finally:
            store.close()


def _copy(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
