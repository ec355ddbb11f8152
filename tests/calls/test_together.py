"""Files that a call changes together: all or none, declared, recorded with both sides, undone as any edit."""

from __future__ import annotations

import asyncio
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch import Effects, FileState, PluginContext, tool
from inarch.plugins.registration import Bound
from inarch.testing import calls, says, scripted_app

FILE = stat.S_IFREG | 0o644
LINK = stat.S_IFLNK | 0o777


def ref(data: bytes) -> str:
    return sha256(data).hexdigest()


def put(path: str, data: bytes, before: bytes | None = None, mode: int = FILE, was: int = FILE) -> FileState:
    expected = None if before is None else ref(before)
    return FileState(path, mode, data, expected, 0 if before is None else was)


def run(root: Path, states: list[FileState], writes: set[str]) -> tuple[inarch.App, inarch.Session, inarch.Turn]:
    @tool(name="together", effects=Effects(writes=frozenset(writes)))
    def together(context: Any) -> list[str]:
        """Change files."""
        return list(context.workspace.restore_all(states))

    app, _ = scripted_app([calls(("together", {})), says("ok")], root, journal=True, flags={"approve": "all"})
    bound: Bound[Any] = Bound("p", together, PluginContext("p", str(root)))
    app.composition = evolve(app.composition, tools={**app.composition.tools, "together": bound})
    session = app.session()
    return app, session, asyncio.run(session.run("go"))


def standing(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode, os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes(),
        )
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STATE", "CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    made = tmp_path / "root"
    made.mkdir()
    (made / "a.txt").write_bytes(b"one\r\n\xff")
    (made / "gone.txt").write_bytes(b"gone\n")
    (made / "link").symlink_to("a.txt")
    for name in ("a.txt", "gone.txt"):
        (made / name).chmod(0o644)
    return made


def test_all_is_done_and_undone_byte_for_byte_without_having_been_read(root: Path) -> None:
    before = standing(root)
    states = [
        put("a.txt", b"two", b"one\r\n\xff", stat.S_IFREG | 0o755),
        put("gone.txt", b"", b"gone\n", 0),
        put("sub/new.txt", b"new\n"),
        put("link", b"gone.txt", b"a.txt", LINK, LINK),
    ]
    app, session, turn = run(root, states, {"a.txt", "gone.txt", "sub/new.txt", "link"})
    assert turn.calls[0].result is not None and turn.calls[0].result.success, turn.calls[0].result
    assert standing(root) == {
        "a.txt": (stat.S_IFREG | 0o755, b"two"), "sub/new.txt": (FILE, b"new\n"), "link": (LINK, b"gone.txt"),
    }  # fmt: skip
    assert session.undo().done
    assert standing(root) == before and not (root / "sub").exists()
    assert session.redo().done
    assert standing(root)["sub/new.txt"] == (FILE, b"new\n")
    app.close()


def test_nothing_is_done_where_something_else_stands_than_was_expected(root: Path) -> None:
    before = standing(root)
    app, _, turn = run(root, [put("new.txt", b"new"), put("a.txt", b"two", b"other")], {"new.txt", "a.txt"})
    result = turn.calls[0].result
    assert result is not None and result.error is not None and result.error.code == "conflict"
    assert standing(root) == before
    app.close()


def test_what_the_call_did_not_declare_is_refused(root: Path) -> None:
    before = standing(root)
    app, _, turn = run(root, [put("a.txt", b"two", b"one\r\n\xff")], {"gone.txt"})
    result = turn.calls[0].result
    assert result is not None and result.error is not None and result.error.code == "permission"
    assert "a.txt is not among what this call declared to write" in result.error.message
    assert standing(root) == before
    app.close()
