"""Approvals that are kept for a project: for its real path, by one writer at a time, and nothing of a damaged file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarch.config.approvals import ProjectApproval, approvals_of, keep_approval, revoke_approvals
from inarch.contract.errors import StoreError

from ..forking import LONGEST_S


def approval(name: str) -> ProjectApproval:
    return ProjectApproval(name, "write_file", f"write_file on {name}", f"key of {name}", "p 1", "s", "2030-01-01")


def test_they_are_of_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    state = tmp_path / "deep" / "state"
    keep_approval(str(tmp_path / "link"), approval("a"), state)
    assert approvals_of(str(tmp_path / "project"), state) == (approval("a"),)
    assert approvals_of(str(tmp_path), state) == ()
    assert (state.stat().st_mode & 0o777, (state / "approvals.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_one_or_all_are_revoked(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "a"):
        keep_approval("/x", approval(name), tmp_path)
    assert [one.id for one in approvals_of("/x", tmp_path)] == ["b", "c", "a"]
    assert revoke_approvals("/x", tmp_path, "b") == (approval("b"),)
    assert revoke_approvals("/x", tmp_path, "b") == ()
    assert [one.id for one in revoke_approvals("/x", tmp_path)] == ["c", "a"]
    assert approvals_of("/x", tmp_path) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"projects": 7}',
        '{"projects": {"/x": 7}}',
        '{"projects": {"/x": [1, {}, {"id": "a"}]}}',
        "[" * 9999,
    ],
)
def test_what_is_damaged_approves_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "approvals.json").write_text(text)
    assert approvals_of("/x", tmp_path) == ()
    keep_approval("/x", approval("a"), tmp_path)
    assert approvals_of("/x", tmp_path) == (approval("a"),)


def test_what_can_not_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StoreError, match="approvals can't be kept in"):
        keep_approval("/x", approval("a"), tmp_path / "state")


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from inarch.config.approvals import ProjectApproval, keep_approval\n"
        "for number in range(20):\n"
        "    one = ProjectApproval(f'{sys.argv[1]}{number}', *'tskpsg')\n"
        "    keep_approval('/x', one, Path(sys.argv[2]))\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-P", "-c", code, name, os.fspath(tmp_path)], close_fds=True) for name in "ab"
    ]
    assert [process.wait(LONGEST_S) for process in started] == [0, 0]
    assert len(approvals_of("/x", tmp_path)) == 40
