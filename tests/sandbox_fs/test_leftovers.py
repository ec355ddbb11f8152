"""What a process that was killed while it put paths back left beside them, and two that do so at once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarch import FileState
from inarch_plugins.sandbox_fs.leftovers import name_beside
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

REG = stat.S_IFREG | 0o644


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[FolderWorkspace]:
    (tmp_path / "root" / "d").mkdir(parents=True)
    opened = FolderWorkspace.open(str(tmp_path / "root"))
    yield opened
    opened.close()


def own_name(workspace: FolderWorkspace) -> str:
    descriptor = os.open(workspace.root, os.O_RDONLY)
    try:
        return name_beside(descriptor)
    finally:
        os.close(descriptor)


def test_leftovers_go_and_nothing_else_does(workspace: FolderWorkspace) -> None:
    root = Path(workspace.root)
    for folder in (root, root / "d"):
        (folder / own_name(workspace)).write_bytes(b"left")
    aside = root / own_name(workspace)
    aside.mkdir()
    (aside / own_name(workspace)).symlink_to("nowhere")
    used = root / own_name(workspace)
    used.mkdir()
    (used / "mine").write_bytes(b"")
    others = (".inarch-undo-1-00.tmp", ".inarch-00.tmp", "mine.tmp", f"{own_name(workspace)}.mine")
    for name in others:
        (root / name).write_bytes(b"")
    workspace.restore_all([FileState("new", REG, b"x")], ["d/gone/file"])
    assert {path.name for path in root.rglob("*")} == {*others, used.name, "mine", "d", "new"}
    (root / "d" / own_name(workspace)).write_bytes(b"left")
    workspace.restore_all([], ["d/file"])
    assert os.listdir(root / "d") == []


def test_one_waits_for_the_other(workspace: FolderWorkspace) -> None:
    root = Path(workspace.root)
    (root / "a").write_bytes(b"1")
    left = root / own_name(workspace)
    left.write_bytes(b"of the other, which is at work")
    state = FileState("a", REG, b"2", hashlib.sha256(b"1").hexdigest(), REG)
    other = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        work = threading.Thread(target=workspace.restore_all, args=([state],))
        work.start()
        work.join(0.2)
        assert work.is_alive()
        assert left.exists()
        assert (root / "a").read_bytes() == b"1"
    finally:
        os.close(other)
    work.join()
    assert (root / "a").read_bytes() == b"2"
    assert not left.exists()
