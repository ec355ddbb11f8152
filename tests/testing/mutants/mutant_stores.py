"""A right store, and one that is wrong in one way for each test of `StoreContract` and `KeptStoreContract`.

Child processes of the suite open these stores, too: this folder is on their `sys.path`, and nothing here is relative.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from inarch import Event, SessionInfo, StoreError
from inarch.testing import KeptStoreContract
from inarch_plugins.sqlite_store.store import SqliteStore


class Right:
    """Hands everything to a good store."""

    def __init__(self, path: str) -> None:
        self.folder = Path(path)
        self.good = SqliteStore(path)
        weakref.finalize(self, self.good.close)  # what is wrong may be that it is never closed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.good, name)


class Suite(KeptStoreContract):
    def __init__(self, name: str = "Right") -> None:
        self.opener = f"mutant_stores:{name}"  # type: ignore[misc]


class Reorders(Right):
    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        return [*self.good.load(session_id, after)][::-1]


class AsTheyCame(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.order: list[int] = []

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        self.order += [event.seq for event in events]
        self.good.append(session_id, events)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        return sorted(self.good.load(session_id, after), key=lambda event: self.order.index(event.seq))


class CountsAfter(Right):
    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        return self.good.load(session_id)[max(after, 0) :]


class ScansFromTheStart(Right):
    def scan(self, session_id: str, after: int = 0) -> Iterator[Event]:
        return iter(self.good.load(session_id))


class ScansWords(Right):
    def scan_kinds(self, session_id: str, kinds: Sequence[str], after: int = 0) -> Iterator[Event]:
        return (one for one in self.good.load(session_id, after) if any(kind in one.line for kind in kinds))


class LendsForAWhile(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.lent: dict[str, tuple[Event, str, int]] = {}

    def fork(self, source_id: str, first: Event, last: int) -> None:
        if last not in {event.seq for event in self.load(source_id)}:
            raise StoreError("missing", "no such event")
        self.lent[first.session_id] = first, source_id, last

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        if session_id not in self.lent:
            return self.good.load(session_id, after)
        first, source_id, last = self.lent[session_id]
        there = [first, *(event.moved(session_id) for event in self.load(source_id) if 1 < event.seq <= last)]
        return [event for event in (*there, *self.good.load(session_id)) if event.seq > after]


class StaleSnapshots(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.kept: dict[tuple[str, str], tuple[int, bytes]] = {}

    def put_snapshot(self, session_id: str, name: str, seq: int, data: bytes) -> None:
        if self.good.load(session_id):
            self.kept[session_id, name] = seq, data

    def get_snapshot(self, session_id: str, name: str) -> tuple[int, bytes] | None:
        return self.kept.get((session_id, name))


class BeginsEmpty(Right):
    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        return self.good.sessions(root) or [SessionInfo("s", "", "", "", 0)]


class RefusesAgain(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        known = {event.seq for event in self.good.load(session_id)}
        if any(event.seq in known for event in events):
            raise StoreError("busy", "it is there")
        self.good.append(session_id, events)


class HalfBatches(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            self.good.append(session_id, [event])


class OldestFirst(Right):
    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        return [*reversed(self.good.sessions(root))]


class KeepsBlobs(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.kept: dict[str, bytes] = {}

    def put_blob(self, session_id: str, data: bytes) -> str:
        ref = self.good.put_blob(session_id, data)
        self.kept[ref] = data
        return ref

    def get_blob(self, session_id: str, ref: str) -> bytes:
        return self.kept[ref]


class StaysDeleted(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        if session_id not in self.__dict__.get("gone", ()):
            self.good.append(session_id, events)

    def delete(self, session_id: str) -> None:
        self.gone = [session_id]
        self.good.delete(session_id)


class TakesEverything(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        with suppress(StoreError):
            self.good.append(session_id, events)


class TextBlobs(Right):
    def put_blob(self, session_id: str, data: bytes) -> str:
        return self.good.put_blob(session_id, data.decode("utf-8", "replace").encode())


class SharedBlobs(Right):
    def put_blob(self, session_id: str, data: bytes) -> str:
        return self.good.put_blob("all", data)

    def get_blob(self, session_id: str, ref: str) -> bytes:
        return self.good.get_blob("all", ref)


class LosesHalfCharacters(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        clean = [json.loads(event.line.encode("utf-8", "replace").replace(b"\\ud", b"\\u0d")) for event in events]
        self.good.append(session_id, [Event(**item) for item in clean])


class IdIsPath(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        with open(f"{self.folder}/{session_id}", "a") as file:
            file.write("x")
        self.good.append(session_id, events)


class SyncsOnce(Right):
    synced = False

    async def sync(self) -> None:
        if self.synced:
            raise StoreError("busy", "it was synced")
        self.synced = True


class Unlocked(Right):
    """Readers see half a batch."""

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        if session_id == "a":
            events = events[:1]
        self.good.append(session_id, events)


class ClosesOnce(Right):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise StoreError("busy", "it is closed")
        self.closed = True


class ForgetsOnClose(Right):
    def close(self) -> None:
        for info in self.good.sessions():
            self.good.delete(info.id)


class Buffers(Right):
    """What is appended waits in memory until the store is read or closed."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.waiting: list[tuple[str, list[Event]]] = []

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        self.waiting.append((session_id, [*events]))

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        self.close()
        return self.good.load(session_id, after)

    def close(self) -> None:
        waiting, self.waiting = self.waiting, []
        for session_id, events in waiting:
            self.good.append(session_id, events)


class ForEverybody(Right):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        self.good.append(session_id, events)
        for file in self.folder.iterdir():
            file.chmod(0o755)


class OneProcess(Right):
    """The folder belongs to whoever came first."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        owner = self.folder / "owner"
        if not owner.exists():
            owner.write_text(str(os.getpid()))
        if owner.read_text() != str(os.getpid()):
            raise StoreError("permission", "another process has it")


class WithoutChecksums:
    """Lines of JSON without a checksum."""

    def __init__(self, path: str) -> None:
        self.file = Path(path, "events")
        self.file.parent.mkdir(parents=True, exist_ok=True)

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.writelines(event.line + "\n" for event in events)

    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        found = []
        for line in self.file.read_bytes().split(b"\n") if self.file.exists() else ():
            try:
                event = Event(**json.loads(line))
            except (ValueError, TypeError):
                continue
            if event.session_id == session_id and event.seq > after:
                found.append(event)
        return found

    def close(self) -> None:
        pass


WRONG: dict[str, type[Any]] = {
    "test_events_come_back_in_order_as_they_were": Reorders,
    "test_numbers_rule_the_order": AsTheyCame,
    "test_load_after_a_number_gives_the_rest": CountsAfter,
    "test_a_store_that_scans_yields_what_it_loads": ScansFromTheStart,
    "test_a_store_that_scans_kinds_yields_those_of_what_it_loads": ScansWords,
    "test_a_store_that_forks_lends_events_and_bytes_for_good": LendsForAWhile,
    "test_a_store_that_keeps_snapshots_keeps_them_as_long_as_they_are_true": StaleSnapshots,
    "test_appending_nothing_makes_no_session": BeginsEmpty,
    "test_what_is_here_already_is_passed_over": RefusesAgain,
    "test_another_event_of_the_same_number_is_refused_with_its_whole_batch": HalfBatches,
    "test_sessions_are_listed_newest_first_and_by_root": OldestFirst,
    "test_deleting_removes_events_and_blobs_of_that_session_only": KeepsBlobs,
    "test_a_deleted_session_can_begin_again": StaysDeleted,
    "test_a_deleted_session_takes_nothing_more": TakesEverything,
    "test_what_another_process_deleted_takes_nothing_more": TakesEverything,
    "test_blobs_are_bytes_by_content": TextBlobs,
    "test_a_blob_that_is_not_there_is_missing": SharedBlobs,
    "test_any_text_comes_back": LosesHalfCharacters,
    "test_any_session_id_is_a_name_and_no_path": IdIsPath,
    "test_sync_returns_with_and_without_something_to_do": SyncsOnce,
    "test_threads_may_share_a_store": Unlocked,
    "test_closing_twice_is_fine": ClosesOnce,
    "test_a_session_goes_on_where_another_store_left_it": ForgetsOnClose,
    "test_two_stores_in_one_folder_see_each_other": Buffers,
    "test_only_the_owner_may_read_anything": ForEverybody,
    "test_after_kill_9_everything_appended_is_there_and_appending_goes_on": Buffers,
    "test_processes_may_write_at_once": OneProcess,
    "test_a_cut_end_costs_the_end_and_appending_goes_on": WithoutChecksums,
    "test_damage_never_brings_back_a_changed_event_or_stops_the_work": WithoutChecksums,
}


def suite(test: str = "") -> Suite:
    """The suite of the right store, or of the one that fails a test."""
    return Suite(WRONG[test].__name__ if test else "Right")
