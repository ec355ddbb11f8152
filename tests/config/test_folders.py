"""What plugins keep beside the configuration and in a trusted project's `.inarch`."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from inarch.config.plugin_folders import ProjectFolder, folders_of
from inarch.config.trust import Trust
from inarch.contract.errors import ToolFailed

from .conftest import Place


def project_of(place: Place) -> ProjectFolder:
    found = folders_of(place.load())["project"]
    assert found is not None
    return found


def trust(place: Place) -> None:
    Trust(str(place.root), place.state).grant(Trust(str(place.root), place.state).standing().files)


def test_the_users_file_is_private_and_whole(place: Place) -> None:
    folder = folders_of(place.load())["user"]
    assert folder.read("memory.md") is None
    folder.change("memory.md", lambda before: b"one" if before is None else None)
    assert folder.read("memory.md") == b"one"
    path = place.file.parent / "memory.md"
    assert folder.place("memory.md") == str(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.names() == ["memory.md"]
    folder.change("memory.md", lambda before: None)
    assert not path.exists()


def test_the_users_links_are_followed_and_stay(place: Place) -> None:
    dotfiles = place.home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "memory.md").write_bytes(b"old")
    link = place.file.parent / "memory.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(dotfiles / "memory.md")
    folders_of(place.load())["user"].change("memory.md", lambda before: b"new")
    assert link.is_symlink()
    assert (dotfiles / "memory.md").read_bytes() == b"new"


@pytest.mark.parametrize(
    "name", ["", "/etc/passwd", "../x", "a/../b", "a//b", ".", "a\0b", "config.toml", "Config.TOML"]
)
def test_no_name_leads_out_or_to_the_configuration(place: Place, name: str) -> None:
    for folder in (folders_of(place.load())["user"], project_of(place)):
        with pytest.raises(ToolFailed):
            folder.read(name)
        with pytest.raises(ToolFailed):
            folder.change(name, lambda before: b"x")
    assert [*place.root.iterdir()] == []


def test_a_fifo_and_a_file_too_large_are_refused_at_once(place: Place) -> None:
    folder = folders_of(place.load())["user"]
    place.file.parent.mkdir(parents=True)
    os.mkfifo(place.file.parent / "pipe.md")
    with pytest.raises(ToolFailed, match="not a regular file"):
        folder.read("pipe.md")
    with pytest.raises(ToolFailed, match="larger than"):
        folder.change("memory.md", lambda before: b"x" * 1_000_001)
    assert folder.read("memory.md") is None


def test_changes_at_the_same_time_are_all_kept(place: Place) -> None:
    for folder in (folders_of(place.load())["user"], project_of(place)):
        start = threading.Barrier(10)

        def run(number: int, folder: object = folder, start: threading.Barrier = start) -> None:
            start.wait()
            folder.change("memory.md", lambda before: (before or b"") + f"{number}\n".encode())  # type: ignore[attr-defined]

        threads = [threading.Thread(target=run, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = (folder.read("memory.md") or b"").split()
        assert sorted(map(int, lines)) == list(range(10))


def test_the_first_file_of_a_bare_project_is_trusted_and_nothing_else(place: Place) -> None:
    folder = project_of(place)
    folder.change("memory.md", lambda before: b"one")
    assert place.load().trusted
    assert (place.root / ".inarch" / "memory.md").stat().st_mode & 0o777 == 0o600
    place.project("[profiles.default]\nmax_iterations = 99\n")
    assert not place.load().trusted
    assert folders_of(place.load())["project"] is None
    with pytest.raises(ToolFailed, match="not trusted in its present state"):
        folder.change("memory.md", lambda before: b"two")
    with pytest.raises(ToolFailed, match="not trusted in its present state"):
        folder.read("memory.md")


def test_inarchs_own_change_keeps_trust_and_anybody_elses_ends_it(place: Place) -> None:
    place.project("[profiles.default]\nmax_iterations = 30\n")
    assert folders_of(place.load())["project"] is None
    trust(place)
    folder = project_of(place)
    folder.change("paths/login.md", lambda before: b"# login")
    folder.change("memory.md", lambda before: b"one")
    assert folder.names() == ["config.toml", "memory.md", "paths/login.md"]
    assert folder.names("paths") == ["paths/login.md"]
    folder.change("paths/login.md", lambda before: None)
    config = place.load()
    assert (config.trusted, config.profile.max_iterations) == (True, 30)
    assert folder.read("memory.md") == b"one"
    (place.root / ".inarch" / "memory.md").write_bytes(b"somebody else's")
    assert not place.load().trusted
    with pytest.raises(ToolFailed, match="not trusted"):
        folder.change("memory.md", lambda before: b"two")
    assert (place.root / ".inarch" / "memory.md").read_bytes() == b"somebody else's"


def test_a_change_that_fails_leaves_file_and_trust(place: Place) -> None:
    folder = project_of(place)
    folder.change("memory.md", lambda before: b"one")

    def fail(before: bytes | None) -> bytes:
        raise ToolFailed("validation", "not this")

    with pytest.raises(ToolFailed, match="not this"):
        folder.change("memory.md", fail)
    assert folder.read("memory.md") == b"one"
    assert place.load().trusted
    assert [path.name for path in (place.root / ".inarch").iterdir()] == ["memory.md"]


def test_links_are_not_written_through(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = project_of(place)
    (place.root / ".inarch").symlink_to(outside)
    with pytest.raises(ToolFailed):
        folder.change("memory.md", lambda before: b"one")
    (place.root / ".inarch").unlink()
    folder.change("memory.md", lambda before: b"one")
    (place.root / ".inarch" / "paths").symlink_to(outside)
    with pytest.raises(ToolFailed):
        folder.change("paths/x.md", lambda before: b"one")
    assert [*outside.iterdir()] == []


def test_a_swapped_file_is_not_read(place: Place) -> None:
    folder = project_of(place)
    folder.change("memory.md", lambda before: b"one")
    (place.root / ".inarch" / "memory.md").write_bytes(b"planted")
    with pytest.raises(ToolFailed, match="not trusted"):
        folder.read("memory.md")
