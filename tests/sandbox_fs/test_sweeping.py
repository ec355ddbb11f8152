"""What a process that was killed while it wrote leaves is gone after the next write to the folder; nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import inarch_lib.staging as staging
from inarch_lib.staging import temporary_name
from inarch_plugins.sandbox_fs.file_read import digest
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

KILLED = """
import os, signal, sys
import inarch_lib.staging as staging
from inarch_plugins.sandbox_fs.file_read import digest
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
root, named = sys.argv[1:]
workspace = FolderWorkspace.open(root)
def chunks():
    yield b"half"
    os.kill(os.getpid(), signal.SIGKILL)
if named:
    staging._UNNAMED = 0
else:
    os.rename = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
workspace.replace("d/a.txt", chunks() if named else (b"new",), digest(b"old"))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "d").mkdir(parents=True)
    (tmp_path / "root" / "d" / "a.txt").write_bytes(b"old")
    return tmp_path / "root"


def named_in(folder: Path) -> Path:
    """Return a path in a folder as a process that writes there would name it for a moment."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        return folder / temporary_name(descriptor)
    finally:
        os.close(descriptor)


def killed(root: Path, named: str) -> None:
    """Have a process killed in the middle of a write."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(root), named], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize("named", ["", "named"])
def test_the_next_write_to_the_folder_sweeps(root: Path, named: str) -> None:
    killed(root, named)
    (root / "b.txt").write_bytes(b"old")
    workspace = FolderWorkspace.open(str(root))
    workspace.replace("b.txt", [b"new"], digest(b"old"))
    assert len(os.listdir(root / "d")) == 2
    workspace.replace("d/a.txt", [b"new"], digest(b"old"))
    assert os.listdir(root / "d") == ["a.txt"]
    workspace.close()


@pytest.mark.parametrize("unnamed", [True, False])
def test_what_a_live_process_writes_stays(root: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool) -> None:
    if not unnamed:
        monkeypatch.setattr(staging, "_UNNAMED", 0)
    workspace, rename = FolderWorkspace.open(str(root)), os.rename
    seen: list[int] = []

    def late(*args: object, **kwargs: object) -> None:
        """Rename only after others have started and written beside."""
        monkeypatch.setattr(os, "rename", rename)
        other = FolderWorkspace.open(str(root))
        other.replace("d/b.txt", [b"theirs"], None)
        other.close()
        seen.append(len([*(root / "d").glob(".inarch-*")]))
        rename(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "rename", late)
    workspace.replace("d/a.txt", [b"new"], digest(b"old"))
    workspace.close()
    assert seen == [1]
    assert (root / "d" / "a.txt").read_bytes() == b"new"


def test_what_only_looks_like_ours_stays(root: Path, tmp_path: Path) -> None:
    killed(root, "")
    (left,) = (root / "d").glob(".inarch-*")
    shutil.copytree(root / "d", root / "copied")  # as a clone of a repository where somebody committed it
    target = tmp_path / "outside"
    target.write_bytes(b"theirs")
    link, folder, shape, pipe = (named_in(root / "d") for _ in range(4))
    link.symlink_to(target)
    folder.mkdir()
    os.mkfifo(pipe)
    shape = shape.with_name(f"{shape.name}.txt")
    old = root / "d" / ".inarch-0123456789abcdef.tmp"
    for file in (shape, old):
        file.write_bytes(b"theirs")
    workspace = FolderWorkspace.open(str(root))
    for name in ("d", "copied"):
        workspace.replace(f"{name}/a.txt", [b"new"], digest(b"old"))
    workspace.close()
    assert not left.exists()
    assert (root / "copied" / left.name).exists()
    assert target.read_bytes() == b"theirs"
    for path in (link, folder, shape, pipe, old):
        assert os.path.lexists(path)
