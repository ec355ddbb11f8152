from __future__ import annotations

import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from inarch import ToolFailed, UsageError
from inarch_plugins.sandbox_fs.file_read import digest
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


def _code(act: Any, *arguments: Any, **more: Any) -> str:
    with pytest.raises(ToolFailed) as caught:
        act(*arguments, **more)
    return caught.value.code


def test_a_root_that_is_no_directory_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for root in ("file", "missing"):
        with pytest.raises(UsageError):
            FolderWorkspace.open(str(tmp_path / root))


def test_special_files_are_refused_without_hanging(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(files.folder / "fifo")
    (files.folder / "folder").mkdir()
    monkeypatch.chdir(files.folder)  # a socket's path is limited to some 100 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        for name in ("fifo", "socket", "folder"):
            assert _code(files.workspace.read, name) == "validation", name
            assert _code(files.workspace.replace, name, [b"x"], "0" * 32) == "validation", name
            assert _code(files.workspace.replace, name, [b"x"], None) == "conflict", name


def test_a_device_is_refused(files: Any) -> None:
    try:
        os.mknod(files.folder / "null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert _code(files.workspace.read, "null") == "validation"


def test_a_missing_file_names_the_nearest_one(files: Any) -> None:
    files.put("src/parser.py")
    with pytest.raises(ToolFailed) as caught:
        files.workspace.read("src/praser.py")
    assert caught.value.code == "not_found"
    assert "'src/parser.py'" in caught.value.remedy
    with pytest.raises(ToolFailed) as caught:
        files.workspace.read("scr/parser.py")
    assert "'src'" in caught.value.remedy


def test_links_inside_are_read_and_never_written_through(files: Any) -> None:
    files.put("real/file", "old")
    os.symlink("real/file", files.folder / "link")
    os.symlink("real", files.folder / "folder")
    assert files.workspace.read("link").data == b"old"
    assert files.workspace.read("folder/file").data == b"old"
    known = digest(b"old")
    for path in ("link", "folder/file"):
        assert _code(files.workspace.replace, path, [b"new"], known) == "permission"
        assert _code(files.workspace.remove, path, known) == "permission"
    assert _code(files.workspace.replace, "folder/new", [b"new"], None) == "permission"
    assert _code(files.workspace.move, "real/file", "folder/moved", known) == "permission"
    assert (files.folder / "real" / "file").read_text() == "old"
    assert files.workspace.stat("link").kind == "link"


def test_a_save_during_the_write_is_not_lost(files: Any) -> None:
    files.put("a", "one")

    def chunks() -> Any:
        yield b"mine"
        (files.folder / "a").write_text("theirs")

    assert _code(files.workspace.replace, "a", chunks(), digest(b"one")) == "conflict"
    assert (files.folder / "a").read_text() == "theirs"
    assert os.listdir(files.folder) == ["a"]


def test_mode_and_hard_links_are_kept(files: Any) -> None:
    script = files.put("script", "one")
    script.chmod(0o751)
    os.link(script, files.folder / "other")
    files.workspace.replace("script", [b"two"], digest(b"one"))
    assert stat.S_IMODE(script.stat().st_mode) == 0o751
    assert (files.folder / "other").read_text() == "one"


def test_new_files_and_folders_follow_the_umask(files: Any) -> None:
    before = os.umask(0o027)
    try:
        files.workspace.replace("new/deep/file", [b"x"], None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((files.folder / "new/deep/file").stat().st_mode) == 0o640
    assert stat.S_IMODE((files.folder / "new").stat().st_mode) == 0o750


def test_a_closed_workspace_fails_clearly(files: Any) -> None:
    files.workspace.close()
    files.workspace.close()
    assert _code(files.workspace.read, "a") == "cancelled"


@pytest.mark.parametrize("path", [".git/config", ".GIT/x", ".inarch/config.toml", "sub/.git/hooks/pre-commit"])
def test_protected_names_are_never_written(files: Any, path: str) -> None:
    assert _code(files.workspace.replace, path, [b"x"], None) == "permission"
    files.put(path, "old")
    known = digest(b"old")
    files.put("free", "old")
    assert _code(files.workspace.replace, path, [b"x"], known) == "permission"
    assert _code(files.workspace.remove, path, known) == "permission"
    assert _code(files.workspace.move, path, "stolen", known) == "permission"
    assert _code(files.workspace.move, "free", f"{path}2", known) == "permission"
    assert files.workspace.read(path).data == b"old"
