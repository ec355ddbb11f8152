"""Putting many paths back at once: all of them or none, never through a link, never where something else stands."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inarch import FileState, ToolFailed
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

REG, DIR, LNK = stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755, stat.S_IFLNK | 0o777


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for place in sorted(root.rglob("*")):
        mode = place.lstat().st_mode
        data = os.readlink(os.fsencode(place)) if stat.S_ISLNK(mode) else b""
        found[str(place.relative_to(root))] = mode, place.read_bytes() if stat.S_ISREG(mode) else data
    return found


def write(workspace: FolderWorkspace, path: str, data: bytes, mode: int = 0o644) -> Path:
    place = Path(workspace.root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(mode)
    return place


def over(path: str, before: bytes, data: Any, mode: int = REG) -> FileState:
    return FileState(path, mode, data, sha(before), REG)


def test_everything_is_left_as_it_should_be(workspace: FolderWorkspace) -> None:
    root = Path(workspace.root)
    write(workspace, "a", b"1")
    write(workspace, "d/b", b"2")
    write(workspace, "file", b"3")
    stayed = workspace.restore_all(
        [
            over("a", b"1", b"one", stat.S_IFREG | 0o4750),
            FileState("d/b", 0, b"", sha(b"2"), REG),
            FileState("d", 0, b"", None, (root / "d").stat().st_mode),
            FileState("n/m/new", REG, lambda: b"new"),
            FileState("n/l", LNK, b"m/new"),
            FileState("empty", stat.S_IFDIR | 0o700),
            FileState("file", DIR, b"", sha(b"3"), REG),
            FileState("file/in", REG, b"4"),
        ]
    )
    assert stayed == ()
    found = tree(root)
    assert {path: data for path, (mode, data) in found.items() if not stat.S_ISDIR(mode)} == {
        "a": b"one", "n/m/new": b"new", "n/l": b"m/new", "file/in": b"4",
    }  # fmt: skip
    assert found["a"][0] == stat.S_IFREG | 0o4750
    assert found["empty"][0] == stat.S_IFDIR | 0o700
    assert found.keys() == {"a", "n", "n/m", "n/m/new", "n/l", "empty", "file", "file/in"}


@pytest.mark.parametrize("expected", [None, sha(b"else")])
def test_what_is_not_as_expected_is_a_conflict(workspace: FolderWorkspace, expected: str | None) -> None:
    write(workspace, "a", b"1")
    write(workspace, "b", b"2")
    before = tree(Path(workspace.root))
    state = FileState("b", REG, b"new", expected, REG if expected else 0)
    with pytest.raises(ToolFailed) as failed:
        workspace.restore_all([over("a", b"1", b"new"), state])
    assert failed.value.code == "conflict"
    assert tree(Path(workspace.root)) == before


def test_a_change_at_the_last_moment_takes_everything_back(workspace: FolderWorkspace) -> None:
    root = Path(workspace.root)
    write(workspace, "a", b"1", 0o600)
    write(workspace, "gone", b"2")
    last = write(workspace, "z", b"3")
    (root / "empty").mkdir()
    before = tree(root)

    def late() -> bytes:
        last.write_bytes(b"somebody else's")
        return b"new"

    states = [
        FileState("a", REG, b"new", sha(b"1"), stat.S_IFREG | 0o600),
        FileState("gone", 0, b"", sha(b"2"), REG),
        FileState("empty", 0, b"", None, before["empty"][0]),
        FileState("made/deep/x", REG, b"x"),
        FileState("made", stat.S_IFDIR | 0o700),
        over("z", b"3", late),
    ]
    with pytest.raises(ToolFailed, match="z has changed"):
        workspace.restore_all(states)
    assert tree(root) == before | {"z": (before["z"][0], b"somebody else's")}


_NO_ROOM = """
import hashlib, resource, signal, stat, sys
from inarch import FileState, ToolFailed
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
mode = stat.S_IFREG | 0o644
small = FileState("a", mode, b"new", hashlib.sha256(b"1").hexdigest(), mode)
try:
    FolderWorkspace.open(sys.argv[1]).restore_all([small, FileState("b", mode, b"x" * 5000)])
except ToolFailed as failed:
    print(failed.message)
"""


def test_no_room_takes_everything_back(workspace: FolderWorkspace) -> None:
    write(workspace, "a", b"1")
    before = tree(Path(workspace.root))
    ran = subprocess.run([sys.executable, "-c", _NO_ROOM, workspace.root], capture_output=True, text=True, check=True)
    assert "b was not written" in ran.stdout
    assert tree(Path(workspace.root)) == before


def test_nothing_is_written_through_a_link(workspace: FolderWorkspace, tmp_path: Path) -> None:
    root = Path(workspace.root)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_bytes(b"1")
    (root / "link").symlink_to("../outside")
    (root / "l").symlink_to("../outside/file")
    (root / "inside").symlink_to("d")
    (root / "d").mkdir()
    for path in ("link/file", "link/new", "inside/new"):
        for state in (FileState(path, REG, b"x"), over(path, b"1", b"x"), FileState(path, 0, b"", sha(b"1"), REG)):
            with pytest.raises(ToolFailed):
                workspace.restore_all([state])
    with pytest.raises(ToolFailed):
        workspace.restore_all([over("l", b"1", b"x")])
    workspace.restore_all([FileState("l", REG, b"own", sha(b"../outside/file"), LNK)])
    assert (root / "l").read_bytes() == b"own"
    assert not (root / "l").is_symlink()
    assert (tmp_path / "outside" / "file").read_bytes() == b"1"
    assert tree(root / "d") == {}


def test_a_survey_shows_what_undo_covers_and_caches(workspace: FolderWorkspace) -> None:
    root = Path(workspace.root)
    write(workspace, ".gitignore", b"*.log\nbuild/\nnode_modules\nvenv\n__pycache__/\n")
    write(workspace, "a", b"12", 0o755)
    write(workspace, "x.log", b"1")
    write(workspace, "d/.inarch-0123456789abcdef.tmp", b"half")
    write(workspace, ".pytest_cache/.gitignore", b"*")
    for path in ("build/x", "build/target/x", "build/sub/.git/x", "node_modules/m/x", "d/__pycache__/x", ".git/config",
                 "venv/pyvenv.cfg", "target/tracked", "env/pyvenv.cfg", ".pytest_cache/v"):  # fmt: skip
        write(workspace, path, b"1")
    (root / "d" / "link").symlink_to("../../outside")
    os.mkfifo(root / "fifo")
    found = workspace.survey(100)
    kinds: dict[str, list[str]] = {}
    for entry in found.entries:
        kinds.setdefault(entry.kind, []).append(entry.path)
    assert {kind: sorted(paths) for kind, paths in kinds.items()} == {
        "file": [".gitignore", "a", "build/x", "env/pyvenv.cfg", "target/tracked", "x.log"],
        "directory": ["build", "build/sub", "d", "env", "target"],
        "link": ["d/link"],
        "other": [".pytest_cache", "build/target", "d/__pycache__", "node_modules", "venv"],
    }
    assert {entry.path: (entry.size, entry.mode) for entry in found.entries}["a"] == (2, 0o755)
    assert found.passed == (".pytest_cache/", "build/target/", "d/__pycache__/", "node_modules/", "venv/")
    assert not found.truncated and found.uncovered == workspace.uncovered() == ()
    assert workspace.survey(2).truncated and workspace.survey(2).uncovered == (".",)
    for number in range(20):
        write(workspace, f"wide/{number}", b"1")
    some = workspace.survey(20)
    assert not some.truncated and some.uncovered == ("wide",) and "wide/" in some.passed
    assert workspace.link_target("d/link") == b"../../outside"
    with pytest.raises(ToolFailed):
        workspace.link_target("a")
