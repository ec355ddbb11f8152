"""Approvals that are kept for a project: for its real path, by one writer at a time, and nothing of a damaged file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarch.config.approvals import Approvals, ProjectApproval
from inarch.contract.errors import StoreError

from ..forking import LONGEST_S


def approval(name: str) -> ProjectApproval:
    return ProjectApproval(name, "write_file", f"write_file on {name}", f"key of {name}", "p 1", "s", "2030-01-01")


def test_they_are_of_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    state = tmp_path / "deep" / "state"
    Approvals(str(tmp_path / "link"), state).keep(approval("a"))
    assert Approvals(str(tmp_path / "project"), state).known() == (approval("a"),)
    assert Approvals(str(tmp_path), state).known() == ()
    assert (state.stat().st_mode & 0o777, (state / "approvals.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_one_or_all_are_revoked(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "a"):
        Approvals("/x", tmp_path).keep(approval(name))
    assert [one.id for one in Approvals("/x", tmp_path).known()] == ["b", "c", "a"]
    assert Approvals("/x", tmp_path).revoke("b") == (approval("b"),)
    assert Approvals("/x", tmp_path).revoke("b") == ()
    assert [one.id for one in Approvals("/x", tmp_path).revoke()] == ["c", "a"]
    assert Approvals("/x", tmp_path).known() == ()


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
    assert Approvals("/x", tmp_path).known() == ()
    Approvals("/x", tmp_path).keep(approval("a"))
    assert Approvals("/x", tmp_path).known() == (approval("a"),)


def test_what_can_not_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StoreError, match="approvals can't be stored in"):
        Approvals("/x", tmp_path / "state").keep(approval("a"))


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from inarch.config.approvals import Approvals, ProjectApproval\n"
        "for number in range(20):\n"
        "    one = ProjectApproval(f'{sys.argv[1]}{number}', *'tskpsg')\n"
        "    Approvals('/x', Path(sys.argv[2])).keep(one)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-P", "-c", code, name, os.fspath(tmp_path)], close_fds=True) for name in "ab"
    ]
    assert [process.wait(LONGEST_S) for process in started] == [0, 0]
    assert len(Approvals("/x", tmp_path).known()) == 40
