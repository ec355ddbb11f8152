"""What calls keep of the files they change, and what a command is compared with."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from inarch.calls import before_images, comparing
from inarch.calls.before_images import Keeper, Keeping
from inarch.calls.comparing import Tree
from inarch.contract.call_events import FileChanged, FileChanging
from inarch.contract.errors import ToolFailed
from inarch.contract.events import Note
from inarch.journal.journal import Journal
from inarch_sandbox_fs.workspace import FolderWorkspace
from inarch_sdk.memory_store import MemoryStore

Kitchen = Any


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

    def settle(self) -> None:
        """Wait until what was written just now is no longer new to a comparison."""
        newest = max(place.lstat().st_ctime_ns for place in (self.folder, *self.folder.rglob("*")))
        while time.time_ns() < newest + 2 * comparing._RACY_NS:
            time.sleep(0.01)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    made = Place(tmp_path / "w")
    yield made
    made.workspace.close()


def test_a_command_without_changes_records_nothing(place: Place) -> None:
    (place.folder / "a").write_text("1")
    with place.keeping().comparing(("",)):
        (place.folder / "a").touch()
        os.utime(place.folder / "a", (1, 1))
    assert place.recorded == []


def test_a_change_that_keeps_size_and_time_is_seen(place: Place) -> None:
    file = place.folder / "a"
    file.write_text("one")
    times = file.stat().st_mtime_ns
    with place.keeping().comparing(("",)):
        file.write_text("two")
        os.utime(file, ns=(times, times))
    assert place.changes == [("c", "a", b"one", b"two")]


def test_a_change_in_the_same_instant_is_seen(place: Place) -> None:
    file = place.folder / "a"
    for number in range(20):  # on most file systems some of these have the same times
        with place.keeping(str(number)).comparing(("",)):
            file.write_text(f"{number:02}")
    assert [after for *_, after in place.changes] == [f"{number:02}".encode() for number in range(20)]


def test_only_what_may_be_written_is_compared(place: Place) -> None:
    for name in ("in/a", "out/a", "in2"):
        (place.folder / name).parent.mkdir(exist_ok=True)
        (place.folder / name).write_text("1")
    with place.keeping().comparing(("in/",)):
        for name in ("in/a", "out/a", "in2"):
            (place.folder / name).write_text("2")
    assert place.changes == [("c", "in/a", b"1", b"2")]


@pytest.mark.parametrize("writes", [(), (".git/",), (".git", ".inarch/x")])
def test_nothing_is_read_for_what_writes_no_files_of_the_owner(place: Place, writes: tuple[str, ...]) -> None:
    with place.keeping().comparing(writes):
        (place.folder / "a").write_text("1")
    assert place.recorded == []
    assert place.keeper._tree is None


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


def test_too_many_files_are_told_once_and_nothing_is_recorded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_FILES", 2)
    for number in range(5):
        (place.folder / str(number)).write_text("1")
    for _ in range(2):
        with place.keeping().comparing(("",)):
            (place.folder / "0").write_text("2")
    assert place.notes == ["what commands change can't be undone: there are more than 2 files"]
    assert place.changes == []


def test_too_many_bytes_are_told_and_recorded_as_not_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_BYTES", 10)
    (place.folder / "big").write_text("x" * 11)
    (place.folder / "small").write_text("1")
    with place.keeping().comparing(("",)):
        for name in ("big", "small"):
            with (place.folder / name).open("a") as file:
                file.write("2")
    kept = {one.path: one.kept for one in place.recorded if isinstance(one, FileChanged)}
    assert kept == {"big": False, "small": True}
    assert len(place.notes) == 2


def test_only_what_changed_is_read_again(place: Place) -> None:
    for number in range(10):
        (place.folder / str(number)).write_text("1")
    place.settle()
    tree = Tree(place.workspace, "", 1000)
    tree.look(("",))
    length = tree._end
    tree.look(("",))
    assert tree._end == length == 10
    (place.folder / "3").write_text("22")
    tree.look(("",))
    assert tree._end == length + 2


def test_the_copies_have_no_name_and_do_not_grow_for_ever(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_BYTES", 100)
    tree = Tree(place.workspace, str(place.folder), 1000)
    for number in range(10):
        (place.folder / "a").write_text(f"{number}" * 90)
        tree.look(("",))
        assert tree._end <= 300
        assert [item.name for item in place.folder.iterdir()] == ["a"]
        (path, before, after) = next(iter(_changed(tree, place.folder / "a")))
        assert (path, before.data(), after.data()) == ("a", f"{number}".encode() * 90, b"changed")


def _changed(tree: Tree, file: Path) -> Iterator[Any]:
    file.write_text("changed")
    return tree.differences(("",))


class Plain:
    """A workspace of another kind, which can neither survey nor restore."""

    root = "/"


def test_a_workspace_that_does_not_say_what_changed_is_told() -> None:
    with pytest.raises(ToolFailed, match="does not say what changed"):
        Tree(Plain(), "", 1000).look(("",))  # type: ignore[arg-type]


def test_without_a_keeper_changes_are_recorded_all_the_same(kitchen: Kitchen, write_file: Any) -> None:
    kitchen.call(write_file, file_path="a", content="x")
    (event,) = kitchen.of_kind("file.changed")
    assert (event.data["path"], event.data["kept"]) == ("a", False)


def test_the_same_bytes_are_kept_once(place: Place) -> None:
    keeping = place.keeping()
    for number in range(3):
        data = f"{number}".encode()
        before = place.workspace.digest("a") if number else None
        images = keeping.before("a", before)
        place.workspace.replace("a", keeping.taking("a", images, [data]), before)
        keeping.changed(place_change(place, before), images)
    assert [change[2:] for change in place.changes] == [(None, b"0"), (b"0", b"1"), (b"1", b"2")]
    assert all(one.kept for one in place.recorded)


def place_change(place: Place, before: str | None) -> Any:
    from inarch.contract.files import FileChange

    return FileChange("a", before, place.workspace.digest("a"))


def test_a_bounded_number_of_images_is_known_to_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(before_images, "MOST_REFS", 3)
    keeper = Place(tmp_path).keeper
    refs = [keeper.put(b"%d" % number) for number in range(5)]
    assert [keeper.has(ref) for ref in refs] == [False, False, True, True, True]
    assert [keeper.journal.store.get_blob("s", ref) for ref in refs] == [b"%d" % number for number in range(5)]
