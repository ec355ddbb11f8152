"""Another process swaps directories and files with links to the outside: no tool reads or changes anything there."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.file_read import digest

pytestmark = pytest.mark.once

SECRET = "SECRET-of-the-outside"
CLEAN = {"not_found", "permission", "conflict", "validation"}


@contextlib.contextmanager
def swapping(folder: Path, *names: str) -> Iterator[None]:
    """Let another process swap names in a folder meanwhile."""
    script = Path(__file__).with_name("swapper.py")
    with subprocess.Popen(
        [sys.executable, script, folder, *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            output, _ = other.communicate("")
        assert other.returncode == 0 and int(output) > 10


def tree(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return everything below a folder."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() else None
        found[str(path)] = (status.st_mode, status.st_uid, status.st_nlink, status.st_mtime_ns, data)
    return found


@pytest.fixture
def outside(files: Any) -> Path:
    """A tree outside that looks like the one inside, and links to it that will be swapped in."""
    place: Path = files.folder.parent / "outside"
    (place / "sub").mkdir(parents=True)
    for name in ("file.txt", "sub/deep.txt", "gone.txt", "old.txt"):
        (place / name).write_text(f"{SECRET} needle\n")
    files.put("dir/file.txt", "inside needle\n")
    files.put("dir/sub/deep.txt", "inside needle\n")
    files.put("dir2/sub/deep.txt", "inside needle\n")
    os.symlink(place, files.folder / "link")
    os.symlink(place / "file.txt", files.folder / "filelink")
    files.put("plain.txt", "inside needle\n")
    os.symlink(place / "sub", files.folder / "dir2" / "sublink")
    return place


def _calls(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    edit = {"search": "inside", "replace": "inside inside", "description": ""}
    for path in ("dir/file.txt", "dir/sub/deep.txt", "plain.txt", "dir2/sub/deep.txt"):
        yield "read_file", {"file_path": path}
        yield "patch_source_file", {"file_path": path, **edit}
        yield "write_file", {"file_path": path, "content": "inside needle\n"}
    yield "read_multiple_files", {"file_paths": ["dir/file.txt", "dir/sub/deep.txt", "plain.txt"]}
    yield "list_files", {"pattern": "**/*.txt"}
    yield "list_files", {"pattern": "dir/**"}
    yield "list_directory", {"directory": "dir/sub"}
    yield "create_file", {"file_path": f"dir/new/{number}.txt", "content": "inside\n"}
    yield "create_file", {"file_path": f"dir2/sub/{number}.txt", "content": "inside\n"}
    yield "move_file", {"file_path": f"dir/new/{number}.txt", "new_path": f"dir/sub/moved{number}.txt"}
    yield "move_file", {"file_path": "dir/old.txt", "new_path": f"got{number}.txt"}
    yield "delete_file", {"file_path": "dir/gone.txt"}
    yield "delete_file", {"file_path": f"dir/sub/moved{number}.txt"}
    if number % 20 == 0:
        yield "search_files", {"pattern": "needle", "path": "dir"}
        yield "search_files", {"pattern": "needle"}


@pytest.mark.parametrize("rounds", [8, pytest.param(120, marks=pytest.mark.slow)])
def test_nothing_outside_is_read_or_changed_while_links_are_swapped_in(files: Any, outside: Path, rounds: int) -> None:
    before = tree(outside)
    outcomes: Counter[tuple[str, str]] = Counter()
    with swapping(files.folder, "dir", "link", "plain.txt", "filelink", "dir2/sub", "dir2/sublink"):
        for number in range(rounds):
            for name, arguments in _calls(number):
                result = files.call(name, **arguments)
                assert SECRET not in json.dumps(result.data)
                outcomes[name, "done" if result.success else result.error.code] += 1
                if not result.success:
                    said = f"{result.error.message} {result.error.remedy}"
                    assert result.error.code in CLEAN and SECRET not in said, result.error
                    assert "failed at tool" not in said and "Error" not in said, said
    assert tree(outside) == before
    # Both happened, so the race was one.
    for name in ("read_file", "list_directory"):
        assert outcomes[name, "done"], outcomes
        assert sum(count for (tool, code), count in outcomes.items() if tool == name and code != "done"), outcomes
    assert outcomes["write_file", "done"] and outcomes["write_file", "permission"], outcomes
    left = list(files.folder.rglob(".inarch-*"))
    assert not left


def test_what_may_not_grow_leaves_the_old_bytes(files: Any) -> None:
    file = files.put("a.txt", "one\n")
    files.data("read_file", file_path="a.txt")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    try:
        errors = [
            files.error("write_file", file_path="a.txt", content="x" * 5_000),
            files.error("patch_source_file", file_path="a.txt", search="one", replace="x" * 5_000, description=""),
            files.error("create_file", file_path="new/deep/b.txt", content="x" * 5_000),
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert all(error.code == "execution" and "not written" in error.message for error in errors), errors
    assert file.read_text() == "one\n" and os.listdir(files.folder) == ["a.txt"]


@pytest.mark.usefixtures("permissions_count")
def test_a_read_only_directory_and_a_read_only_file_stay_as_they_are(files: Any) -> None:
    closed, open_file = files.put("closed/a.txt", "one\n"), files.put("b.txt", "one\n")
    closed.parent.chmod(0o500)
    open_file.chmod(0o444)
    known = digest(b"one\n")
    try:
        for act in (
            lambda: files.workspace.replace("closed/a.txt", [b"x"], known),
            lambda: files.workspace.replace("closed/new.txt", [b"x"], None),
            lambda: files.workspace.replace("closed/new/b.txt", [b"x"], None),
            lambda: files.workspace.remove("closed/a.txt", known),
            lambda: files.workspace.move("closed/a.txt", "c.txt", known),
            lambda: files.workspace.move("b.txt", "closed/b.txt", known),
            lambda: files.workspace.replace("b.txt", [b"x"], known),
        ):
            with pytest.raises(ToolFailed) as caught:
                act()
            assert caught.value.code == "permission"
    finally:
        closed.parent.chmod(0o700)
    assert closed.read_text() == open_file.read_text() == "one\n"
    assert sorted(os.listdir(files.folder)) == ["b.txt", "closed"] and os.listdir(closed.parent) == ["a.txt"]
