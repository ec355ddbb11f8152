"""What calls keep of the files they change, and what a command is compared with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch.calls import workspace_diff
from inarch.calls.before_images import Keeper, Keeping
from inarch.contract.call_events import FileChanged, FileChanging
from inarch.contract.events import Note
from inarch.journal.journal import Journal
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore


@define(eq=False)
class Place:
    """A folder with a keeper, and what one call records."""

    folder: Path
    workspace: FolderWorkspace = field(init=False)
    store: MemoryStore = field(init=False, factory=MemoryStore)
    keeper: Keeper = field(init=False)
    recorded: list[Any] = field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self.workspace = FolderWorkspace.open(str(self.folder))
        self.keeper = Keeper(Journal(self.store, "s"), self.workspace)

    def keeping(self, call_id: str = "c") -> Keeping:
        return Keeping(self.keeper, call_id, self.record)

    def record(self, *payloads: Any, at_once: bool = True) -> None:
        self.recorded += [one for one in payloads if not isinstance(one, FileChanging)]

    @property
    def changes(self) -> list[tuple[str, str, bytes | None, bytes | None]]:
        return [
            (
                one.call_id,
                one.path,
                *(one_side and self.store.get_blob("s", one_side) for one_side in (one.before, one.after)),
            )
            for one in self.recorded
            if isinstance(one, FileChanged)
        ]

    @property
    def notes(self) -> list[str]:
        return [one.text for one in self.recorded if isinstance(one, Note)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    made = Place(tmp_path / "w")
    yield made
    made.workspace.close()


def test_a_change_that_keeps_size_and_time_is_seen(place: Place) -> None:
    file = place.folder / "a"
    file.write_text("one")
    times = file.stat().st_mtime_ns
    with place.keeping().comparing(("",)):
        file.write_text("two")
        os.utime(file, ns=(times, times))
    assert place.changes == [("c", "a", b"one", b"two")]


def test_only_what_may_be_written_is_compared(place: Place) -> None:
    for name in ("in/a", "out/a", "in2"):
        (place.folder / name).parent.mkdir(exist_ok=True)
        (place.folder / name).write_text("1")
    with place.keeping().comparing(("in/",)):
        for name in ("in/a", "out/a", "in2"):
            (place.folder / name).write_text("2")
    assert place.changes == [("c", "in/a", b"1", b"2")]


def test_two_commands_at_once_have_each_their_own_changes(place: Place) -> None:
    for name in ("x", "y"):
        (place.folder / name).mkdir()
    with place.keeping("one").comparing(("x",)):
        (place.folder / "x" / "a").write_text("1")
        with place.keeping("other").comparing(("y",)):
            (place.folder / "y" / "b").write_text("2")
        (place.folder / "x" / "c").write_text("3")
    assert place.changes == [
        ("other", "y/b", None, b"2"), ("one", "x/a", None, b"1"), ("one", "x/c", None, b"3"),
    ]  # fmt: skip


def test_changes_are_recorded_however_a_command_ends(place: Place) -> None:
    with pytest.raises(KeyboardInterrupt), place.keeping().comparing(("",)):
        (place.folder / "a").write_text("1")
        raise KeyboardInterrupt
    assert place.changes == [("c", "a", None, b"1")]


def test_too_many_files_are_reported_once_and_nothing_is_recorded(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_diff, "MOST_FILES", 2)
    for number in range(5):
        (place.folder / str(number)).write_text("1")
    for _ in range(2):
        with place.keeping().comparing(("",)):
            (place.folder / "0").write_text("2")
    assert place.notes == ["what commands change can't be undone: there are more than 2 files"]
    assert place.changes == []
