"""What is kept says its version: the same is read, an older one is brought up beside a copy, a newer one is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inarch import StoreError, is_older
from inarch_lib.staging import keep_former


def test_a_newer_one_is_refused_with_what_where_and_what_to_do() -> None:
    with pytest.raises(StoreError, match="/x/a was written by a newer Inarch") as caught:
        is_older(Path("/x/a"), 3, 2)
    assert "upgrade Inarch" in caught.value.remedy


def test_the_copy_is_whole_private_and_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("first")
    former = keep_former(path, 1)
    path.write_text("second")
    assert keep_former(path, 1) == former == tmp_path / "kept.json.version-1"
    assert former.read_text() == "first" and former.stat().st_mode & 0o777 == 0o600
    assert sorted(tmp_path.iterdir()) == [path, former]


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    path.write_text("no database")

    def copy(source: Path, target: Path) -> None:
        target.write_text("half")
        with closing(sqlite3.connect(source)) as connection:
            connection.execute("SELECT 1 FROM a")

    with pytest.raises(sqlite3.Error):
        keep_former(path, 1, copy)
    assert [*tmp_path.iterdir()] == [path]
