"""Undo over the root and added folders: byte for byte, whole or not at all, never in a folder that was not added."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from attrs import define, evolve

from inarch import FileState, ToolFailed
from inarch.calls.before_images import Keeper
from inarch.journal.journal import Journal
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs.folders import Folders
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.undo.undo_run import Undoing

from .conftest import Desk

MODE = 0o100644


@define
class Both:
    """A desk whose session has a folder added to its root."""

    desk: Desk
    lib: Path

    def __attrs_post_init__(self) -> None:
        self.lib.mkdir()
        (self.lib / "a").write_bytes(b"one\r\n\xff")
        (self.lib / "gone").write_text("gone\n")
        (self.lib / "kept").write_text("one\n")
        self.desk.write("a", "one\n")
        desk, workspace = self.desk, Folders.beside(self.desk.workspace.root, [str(self.lib)], Settings())
        desk.workspace = workspace  # type: ignore[assignment]
        keeper = Keeper(desk.journal, workspace, str(desk.folder))
        desk.scheduler = evolve(desk.scheduler, workspace=workspace, keeper=keeper)

    def at(self, name: str) -> str:
        return f"+{self.lib}/{name}"

    def change(self, *more: tuple[str, dict[str, str]]) -> None:
        """Change, make and remove files of both in one turn."""
        for path in ("a", self.at("gone"), self.at("kept")):
            self.desk.seen[path] = self.desk.workspace.digest(path)
        self.desk.turn(
            "change",
            ("patch_source_file", {"file_path": "a", "search": "one", "replace": "two"}),
            ("create_file", {"file_path": self.at("deep/er/new"), "content": "new\n"}),
            ("delete_file", {"file_path": self.at("gone")}),
            ("patch_source_file", {"file_path": self.at("kept"), "search": "one", "replace": "two"}),
            *more,
        )

    def tree(self) -> dict[str, bytes]:
        files = [*self.lib.rglob("*"), *self.desk.root.rglob("*")]
        return {str(file): file.read_bytes() if file.is_file() else b"" for file in files}


@pytest.fixture
def both(desk: Desk, tmp_path: Path) -> Both:
    return Both(desk, tmp_path.resolve() / "lib")


def test_a_turn_over_both_is_undone_and_done_again(both: Both) -> None:
    before = both.tree()
    both.change(("move_file", {"file_path": both.at("a"), "new_path": both.at("b")}))
    after = both.tree()
    assert both.desk.undo().done and both.tree() == before
    assert both.desk.redo().done and both.tree() == after


def test_one_on_another_device(desk: Desk, memory_path: Path) -> None:
    test_a_turn_over_both_is_undone_and_done_again(Both(desk, memory_path.resolve() / "lib"))


def test_a_folder_that_fails_has_those_before_it_put_back(both: Both) -> None:
    (both.lib / "link").symlink_to("a")
    before, workspace = both.tree(), both.desk.workspace
    states = [
        _state(both.at("a"), b"other", b"one\r\n\xff"), _state(both.at("made"), b"made", None),
        FileState(both.at("deep"), 0o40755), _state(both.at("gone"), None, b"gone\n"),
        _state("a", b"other", b"not what stands there"),
    ]  # fmt: skip
    with pytest.raises(ToolFailed, match="has changed"):
        workspace.restore_all(states)
    assert both.tree() == before


def _state(path: str, after: bytes | None, before: bytes | None) -> FileState:
    expected = None if before is None else sha256(before).hexdigest()
    return FileState(path, MODE if after is not None else 0, after or b"", expected, MODE if before is not None else 0)


_KILLED = """
import os
import sys
from inarch.journal.journal import Journal
from inarch.sessions.extension import Access
from inarch_plugins.undo.undo_run import Undoing
from inarch_plugins.sandbox_fs.folders import Folders
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_plugins.sqlite_store.store import SqliteStore
store, count, rename = SqliteStore(sys.argv[2]), int(sys.argv[3]), os.rename
def counted(*args, **more):
    global count
    count -= 1
    if not count:
        os.kill(os.getpid(), 9)
    rename(*args, **more)
os.rename = counted
journal = Journal(store, "session", seq=store.load("session")[-1].seq)
workspace = Folders.beside(sys.argv[1], [sys.argv[4]], Settings())
Undoing(Access(workspace, journal)).run("undo")
"""


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5])
def test_an_undo_that_was_killed_is_finished_by_the_next_one(both: Both, step: int) -> None:
    before = both.tree()
    both.change()
    words = (str(both.desk.root), str(both.desk.folder / "state"), str(step), str(both.lib))
    ran = subprocess.run([sys.executable, "-c", _KILLED, *words], capture_output=True)
    killed = ran.returncode == -9
    assert killed or ran.returncode == 0, ran.stderr
    journal = Journal(both.desk.store, "session", seq=both.desk.store.load("session")[-1].seq)
    assert Undoing(Access(both.desk.workspace, journal)).run("undo").done is killed
    assert both.tree() == before
