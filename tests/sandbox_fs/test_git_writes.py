"""`git add` and `git commit` as commands: in a repository's root, in a folder of it, and in a linked work tree."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inarch_plugins.sandbox_fs.commands.classification import classify
from inarch_plugins.sandbox_fs.commands.git_writes import WRITES

from .shells import GIT, Shell

pytestmark = pytest.mark.needs("git")
PLACES = pytest.mark.parametrize("place", ["root", "folder", "linked"])


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ("git", "-c", "init.defaultBranch=main", *words), cwd=folder, env={**os.environ, **GIT}, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a hook that fails, whose committer only the user's own configuration knows."""
    home, top = tmp_path / "home", tmp_path / "top"
    (top / "sub").mkdir(parents=True)
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.invalid\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    git(top, "init", "-q")
    (top / "a").write_text("a\n")
    (top / "sub/b").write_text("b\n")
    git(top, "add", "-A")
    git(top, "-c", "user.name=A", "-c", "user.email=a@b.invalid", "commit", "-qm", "first")
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    return top


def place_of(top: Path, place: str) -> Path:
    if place == "linked":
        git(top, "worktree", "add", "-q", str(top.parent / "linked"))
        return top.parent / "linked"
    return top / "sub" if place == "folder" else top


@PLACES
def test_what_is_staged_is_committed_with_the_users_name(repository: Path, open_files: Any, place: str) -> None:
    root = place_of(repository, place)
    (root / "new file").write_text("new\n")
    result = Shell(open_files(root), {})("git add 'new file' && git commit -m 'add a file'")
    assert result["exit_code"] == 0, result
    assert git(root, "log", "-1", "--format=%an %s").strip() == "Ada add a file"
    assert git(root, "show", "--name-only", "--format=").strip().endswith("new file")
    assert "pre-commit" in result["note"]
    assert not list(repository.rglob("ran"))


@PLACES
def test_other_work_of_git_does_not_get_these_rights(repository: Path, place: str) -> None:
    root = place_of(repository, place)
    for command in ("git commit --amend -m x", "git config user.name Eve", "git -C . add a", "git add -p"):
        assert classify(command, {}, str(root)).rule not in WRITES


@pytest.mark.parametrize("command", ["git add -A", "git add -u", "git commit -am x", "git commit --all -m x"])
def test_a_folder_of_a_repository_changes_nothing_of_the_others(
    repository: Path, open_files: Any, command: str
) -> None:
    (repository / "a").write_text("changed\n")
    assert "outside the workspace" in Shell(open_files(repository / "sub"), {}).error(command).message
    assert git(repository, "diff", "--cached", "--name-only") == ""


def test_a_file_that_a_filter_would_change_is_not_staged(repository: Path, open_files: Any) -> None:
    (repository / ".gitattributes").write_text("*.bin filter=big\n")
    git(repository, "config", "filter.big.clean", "touch ran")
    (repository / "x.bin").write_text("big\n")
    assert "filter big" in Shell(open_files(repository), {}).error("git add .").message
    assert git(repository, "diff", "--cached", "--name-only") == ""
    assert not (repository / "ran").exists()
