"""An export is written whole or not at all, for its owner only, and over nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

import pytest

from inarch.contract.errors import UsageError
from inarch_plugins.commands.sessions.export import write_export


def test_a_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    target = tmp_path / "s.html"
    before = os.umask(0)
    try:
        assert write_export(lambda out: out.write("aé"), target) == 3
    finally:
        os.umask(before)
    assert target.read_text(encoding="utf-8") == "aé"
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.stat().st_nlink == 1
    assert [*tmp_path.iterdir()] == [target]


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    target = tmp_path / "s.html"
    target.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_export(lambda out: out.write("new"), target)
    assert target.read_text() == "mine"
    write_export(lambda out: out.write("new"), target, force=True)
    assert target.read_text() == "new"


def test_a_file_that_comes_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "s.html"

    def write(out: TextIO) -> None:
        out.write("new")
        target.write_text("theirs")

    with pytest.raises(UsageError, match="exists already"):
        write_export(write, target)
    assert target.read_text() == "theirs"
    assert [*tmp_path.iterdir()] == [target]


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def write(out: TextIO) -> None:
        out.write("half")
        raise RuntimeError("the other half")

    with pytest.raises(RuntimeError):
        write_export(write, tmp_path / "s.html")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("place", [".git/s.html", ".inarch/s.html", ".GIT/hooks/s.html", "sub/.Inarch/s.html", ".git"])
def test_protected_folders_get_no_export(tmp_path: Path, place: str) -> None:
    target = tmp_path / place
    target.parent.mkdir(parents=True, exist_ok=True)
    with pytest.raises(UsageError, match="is protected"):
        write_export(lambda out: out.write("x"), target, force=True)
    assert not target.exists()


def test_a_link_into_a_protected_folder_is_not_a_way_round(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "link").symlink_to(".git")
    with pytest.raises(UsageError, match="is protected"):
        write_export(lambda out: out.write("x"), tmp_path / "link" / "s.html")
