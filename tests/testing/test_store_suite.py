"""The suite finds what is wrong with a store: each broken one here fails at least one of its tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from inarch import ContextStore, Event, SessionInfo, StoreError
from inarch.testing.kept_store_suite import KeptStoreSuite
from inarch.testing.store_suite import StoreSuite
from inarch.testing.stores import JsonlStore


class Delegating:
    """A store that hands everything to a good one."""

    def __init__(self, path: str) -> None:
        self.good = JsonlStore(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.good, name)


class HalfBatches(Delegating):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            self.good.append(session_id, [event])


class WritesOver(Delegating):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        try:
            self.good.append(session_id, events)
        except StoreError:
            pass


class CountsAfter(Delegating):
    def load(self, session_id: str, after: int = 0) -> Sequence[Event]:
        return self.good.load(session_id)[max(after, 0) :]


class OldestFirst(Delegating):
    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        return [*reversed(self.good.sessions(root))]


class AnyRoot(Delegating):
    def sessions(self, root: str | None = None) -> Sequence[SessionInfo]:
        return self.good.sessions()


class SharedBlobs(Delegating):
    def put_blob(self, session_id: str, data: bytes) -> str:
        return self.good.put_blob("all", data)

    def get_blob(self, session_id: str, ref: str) -> bytes:
        return self.good.get_blob("all", ref)


class LosesHalfCharacters(Delegating):
    def append(self, session_id: str, events: Sequence[Event]) -> None:
        clean = [json.loads(event.line.encode("utf-8", "replace").replace(b"\\ud", b"\\u0d")) for event in events]
        self.good.append(session_id, [Event(**item) for item in clean])


class ForgetsOnClose(Delegating):
    def close(self) -> None:
        for info in self.good.sessions():
            self.good.delete(info.id)


class BuffersUntilClosed(Delegating):
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


class WithoutChecksums:
    """Lines of JSON without a checksum, in a file for everybody."""

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


def failures(suite: StoreSuite, folder: Path, only: str = "") -> list[str]:
    found = []
    for name in dir(suite):
        if name.startswith("test_") and only in name:
            (folder / name).mkdir(parents=True)
            try:
                getattr(suite, name)(folder / name)
            except (AssertionError, StoreError, AttributeError, TypeError, ValueError):
                found.append(name)
    return found


def suite_of(make: Callable[[str], Any]) -> StoreSuite:
    class Suite(StoreSuite):
        def open_store(self, folder: Path) -> ContextStore:
            store: ContextStore = make(str(folder))
            return store

    return Suite()


def kept_suite_of(make: Callable[[str], Any]) -> KeptStoreSuite:
    class Suite(KeptStoreSuite):
        opener = "inarch.testing.stores:JsonlStore"  # for the children, which these tests do without

        def open_store(self, folder: Path) -> ContextStore:
            store: ContextStore = make(str(folder))
            return store

    return Suite()


@pytest.mark.parametrize(
    ("make", "test"),
    [
        (HalfBatches, "refused_with_its_whole_batch"),
        (WritesOver, "refused_with_its_whole_batch"),
        (CountsAfter, "load_after_a_number"),
        (OldestFirst, "newest_first"),
        (AnyRoot, "by_root"),
        (SharedBlobs, "missing"),
        (LosesHalfCharacters, "any_text"),
    ],
)
def test_a_broken_store_is_found(make: Callable[[str], Any], test: str, tmp_path: Path) -> None:
    assert failures(suite_of(make), tmp_path / "broken", test)
    assert failures(suite_of(JsonlStore), tmp_path / "good", test) == []


@pytest.mark.parametrize(
    ("make", "test"),
    [
        (ForgetsOnClose, "goes_on_where_another_store_left_it"),
        (BuffersUntilClosed, "two_stores_in_one_folder"),
        (WithoutChecksums, "damage_never_brings_back"),
        (WithoutChecksums, "only_the_owner"),
    ],
)
def test_a_store_that_does_not_keep_well_is_found(make: Callable[[str], Any], test: str, tmp_path: Path) -> None:
    assert failures(kept_suite_of(make), tmp_path / "broken", test)
    assert failures(kept_suite_of(JsonlStore), tmp_path / "good", test) == []
